// Bounds: the Steiner tree against brute force, and no planner below any bound.
// SPDX-License-Identifier: MIT
#include "multicast/bounds/bounds.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <functional>

#include "multicast/measures.hpp"
#include "multicast/planner.hpp"
#include "topology/error.hpp"
#include "topology/generator.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::bounds_test {

using namespace testing;

namespace {

/// The fewest nodes of a connected set that has all end points, less one: tries every set of nodes.
std::uint64_t steiner_by_brute_force(const Topology& topology, const std::vector<NodeId>& points) {
  std::vector<std::uint32_t> near(topology.routers(), 0);
  for (std::uint32_t node = 0; node < topology.routers(); ++node)
    for (std::uint32_t port = 0; port < topology.ports(); ++port)
      if (const auto next = topology.neighbour(NodeId{node}, PortId{port})) near[node] |= 1U << next->value;
  std::uint32_t wanted = 0;
  for (const NodeId point : points) wanted |= 1U << point.value;
  int best = 32;
  for (std::uint32_t set = wanted; set < 1U << topology.routers(); set = (set + 1) | wanted) {
    if (std::popcount(set) >= best) continue;
    std::uint32_t reached = 1U << points[0].value;
    for (std::uint32_t before = 0; before != reached;) {
      before = reached;
      for (std::uint32_t node = 0; node < topology.routers(); ++node)
        if (before >> node & 1U) reached |= near[node] & set;
    }
    if ((reached & wanted) == wanted) best = std::popcount(reached);
  }
  return static_cast<std::uint64_t>(best - 1);
}

std::vector<NodeId> routers_of(const Request& request) {
  std::vector<NodeId> points{NodeId{request.source.value}};
  for (const HostId host : request.destinations) points.push_back(NodeId{host.value});
  return points;
}

}  // namespace

TEST_CASE("the length of the least Steiner tree equals brute force") {
  Dice dice(41);
  std::vector<std::unique_ptr<const Topology>> networks;
  networks.push_back(make("mesh", {4, 4}));
  networks.push_back(make("mesh", {5, 3}));
  networks.push_back(make("mesh", {2, 3, 2}));
  networks.push_back(make("torus", {4, 4}));
  networks.push_back(make("hypercube", {4}));
  for (const auto& topology : networks) {
    CAPTURE(topology->name());
    for (int round = 0; round < 60; ++round) {
      const Request request = random_request(*topology, 1 + dice.below(8), dice);
      const std::vector<NodeId> points = routers_of(request);
      const auto length = steiner_length(*topology, points);
      REQUIRE(length.has_value());
      CHECK(*length == steiner_by_brute_force(*topology, points));
    }
  }
}

TEST_CASE("dual ascent never exceeds the least Steiner tree, and mostly comes close") {
  Dice dice(44);
  std::uint64_t ascended = 0;
  std::uint64_t least = 0;
  for (const auto& [family, sizes] : std::vector<std::pair<std::string, std::vector<std::uint64_t>>>{
           {"mesh", {8, 8}}, {"torus", {6, 6}}, {"hypercube", {6}}, {"mesh", {3, 4, 4}}}) {
    const auto topology = make(family, sizes);
    CAPTURE(topology->name());
    for (int round = 0; round < 40; ++round) {
      const std::vector<NodeId> points = routers_of(random_request(*topology, 1 + dice.below(8), dice));
      const std::uint64_t bound = dual_ascent_bound(*topology, points);
      const std::uint64_t length = *steiner_length(*topology, points);
      CHECK(bound <= length);
      CHECK(bound + 1 >= points.size());
      ascended += bound;
      least += length;
    }
  }
  CHECK(ascended * 100 >= least * 94);
}

TEST_CASE("lesser bounds on traffic never exceed the least Steiner tree") {
  Dice dice(42);
  for (const auto& [family, sizes] : std::vector<std::pair<std::string, std::vector<std::uint64_t>>>{
           {"mesh", {4, 4}}, {"torus", {4, 4}}, {"hypercube", {4}}, {"mesh", {2, 2, 4}}}) {
    const auto topology = make(family, sizes);
    CAPTURE(topology->name());
    for (int round = 0; round < 40; ++round) {
      const Request request = random_request(*topology, 11 + dice.below(5), dice);
      const MulticastBounds bounds = bounds_of(*topology, request);
      CHECK_FALSE(bounds.traffic_exact);
      CHECK(bounds.traffic_channels <= steiner_by_brute_force(*topology, routers_of(request)));
      CHECK(bounds.traffic_channels >= request.destinations.size());
    }
  }
}

TEST_CASE("no planner is below a bound" * doctest::test_suite("long")) {
  Dice dice(43);
  std::uint64_t met = 0;
  for (const auto& topology : small_networks()) {
    CAPTURE(topology->name());
    for (const Planner* planner : planners()) {
      if (planner->unsupported(*topology)) continue;
      const BoundPlanner bound(*planner, *topology, {});
      CAPTURE(planner->name);
      for (int round = 0; round < 12; ++round) {
        const std::uint32_t k = planner->name == "unicast" ? 1 : 1 + dice.below(14);
        const Request request = random_request(*topology, k, dice);
        const MulticastBounds bounds = bounds_of(*topology, request);
        const Plan plan = bound.plan(request);
        CHECK(*plan.traffic_channels >= bounds.traffic_channels);
        CHECK(*plan.longest_chain_hops >= bounds.chain_hops);
        met += *plan.traffic_channels == bounds.traffic_channels ? 1 : 0;
        bool unicasts = true;
        std::uint64_t steps = 0;
        for (const Worm& worm : plan.worms) unicasts = unicasts && worm.stops.size() == 1;
        for (const Send& send : schedule(plan.worms)) steps = std::max<std::uint64_t>(steps, send.step);
        if (unicasts) CHECK(steps >= bounds.steps);
      }
    }
  }
  CHECK(met > 100);
}

TEST_CASE("bounds on graphs are those of distances asked for one by one") {
  Dice dice(44);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto network = build_topology(generate(
        *find_generator("irregular"), {{"switches", 40}, {"hosts", 1}, {"ports", 4}, {"seed", seed}}));
    const Request request = random_request(*network, 11 + dice.below(20), dice);
    std::vector<NodeId> left;
    std::uint32_t furthest = 0;
    const NodeId source = network->router_of(request.source);
    for (const HostId host : request.destinations) {
      left.push_back(network->router_of(host));
      furthest = std::max(furthest, network->distance(source, left.back()));
    }
    const std::uint64_t t = left.size() + 1;
    std::uint64_t tree = 0;
    std::vector<NodeId> joined{source};
    while (!left.empty()) {
      std::pair<std::uint32_t, std::size_t> nearest{unreachable, 0};
      for (std::size_t i = 0; i < left.size(); ++i)
        for (const NodeId at : joined) nearest = std::min(nearest, {network->distance(at, left[i]), i});
      tree += nearest.first;
      joined.push_back(left[nearest.second]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(nearest.second));
    }
    const MulticastBounds bounds = bounds_of(*network, request);
    CHECK(bounds.chain_hops == furthest);
    CHECK_FALSE(bounds.traffic_exact);
    CHECK(bounds.traffic_channels >= (tree * t + 2 * (t - 1) - 1) / (2 * (t - 1)));
    CHECK(bounds.traffic_channels <= tree);
  }
}

TEST_CASE("bounds of a self-send are 0, of a broadcast they are tight") {
  const auto mesh = make("mesh", {4, 4});
  const MulticastBounds self = bounds_of(*mesh, request_of(3, {3}));
  CHECK(self.traffic_channels == 0);
  CHECK(self.chain_hops == 0);
  CHECK(self.steps == 0);
  const MulticastBounds all =
      bounds_of(*mesh, request_of(0, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  CHECK(all.traffic_channels == 15);
  CHECK(all.chain_hops == 6);
  CHECK(all.steps == 4);
}

}  // namespace wormcast::bounds_test

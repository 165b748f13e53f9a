// Trees of today's chips: shortest-path, Steiner and RPM trees, DPM's services, rectangles.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::grid_trees_test {

using namespace testing;

namespace {

BoundPlanner bound(const Topology& topology, const char* name, const PlanOptions& options = {}) {
  return BoundPlanner(*find_planner(name), topology, options);
}

std::vector<std::uint32_t> stops_of(const Worm& worm) {
  std::vector<std::uint32_t> nodes;
  for (const Stop& stop : worm.stops) nodes.push_back(stop.node);
  return nodes;
}

/// Channels from the source to each destination.
std::map<std::uint32_t, std::uint32_t> depths(const Routes& routes) {
  std::map<std::uint32_t, std::uint32_t> result;
  for (const WormRoute& worm : routes.worms) {
    std::vector<std::uint32_t> depth;
    for (const RouteHop& hop : worm.hops) {
      depth.push_back((hop.parent < 0 ? 0 : depth[static_cast<std::size_t>(hop.parent)]) +
                      (hop.is_channel() ? 1U : 0U));
      if (!hop.is_channel()) result[hop.target] = depth.back();
    }
  }
  return result;
}

}  // namespace

TEST_CASE("shortest-path trees and RPM reach every destination by a shortest path") {
  Dice dice(31);
  for (const auto& topology : small_networks()) {
    CAPTURE(topology->name());
    for (const char* name : {"shortest-path-tree", "rpm"}) {
      if (find_planner(name)->unsupported(*topology)) continue;
      const BoundPlanner planner = bound(*topology, name);
      for (int round = 0; round < 40; ++round) {
        const Request request = random_request(*topology, 1 + dice.below(12), dice);
        const auto depth = depths(expand(planner.plan(request), planner.context().routing));
        for (const HostId host : request.destinations)
          CHECK(depth.at(host.value) == topology->distance(NodeId{request.source.value}, NodeId{host.value}));
      }
    }
  }
}

TEST_CASE("the shortest-path tree shares what the dimension-order tree cannot") {
  const auto mesh = make("mesh", {4, 4});
  // 5 = (1,1), 9 = (1,2) and 6 = (2,1): the second joins the first, turning from column to row.
  const Request request = request_of(0, {4, 5, 6});
  CHECK(*bound(*mesh, "xy-tree").plan(request).traffic_channels == 5);
  const Plan plan = bound(*mesh, "shortest-path-tree").plan(request);
  CHECK(*plan.traffic_channels == 3);
  CHECK(stops_of(plan.worms[0]) == std::vector<std::uint32_t>{4, 5, 6});
}

TEST_CASE("the Steiner tree takes no more channels than one path a destination, and may take detours") {
  Dice dice(32);
  const auto mesh = make("mesh", {8, 8});
  const BoundPlanner steiner = bound(*mesh, "steiner-tree");
  const BoundPlanner separate = bound(*mesh, "separate");
  std::uint64_t longer = 0;
  for (int round = 0; round < 200; ++round) {
    const Request request = random_request(*mesh, 1 + dice.below(30), dice);
    const Plan tree = steiner.plan(request);
    const Plan unicasts = separate.plan(request);
    CHECK(*tree.traffic_channels <= *unicasts.traffic_channels);
    CHECK(*tree.traffic_channels >= request.destinations.size());
    CHECK(*tree.longest_path_hops >= *unicasts.longest_path_hops);
    longer += *tree.longest_path_hops > *unicasts.longest_path_hops ? 1 : 0;
  }
  CHECK(longer > 100);
}

TEST_CASE("RPM: quadrants ride with the copies that go out anyway; up and down are two networks") {
  const auto mesh = make("mesh", {5, 5});  // the source is node 12 = (2,2)
  const BoundPlanner rpm = bound(*mesh, "rpm");
  const auto channels_out = [&](std::vector<std::uint32_t> destinations) {
    const Routes routes = expand(rpm.plan(request_of(12, std::move(destinations))), rpm.context().routing);
    std::multiset<std::string> out;
    for (const WormRoute& worm : routes.worms)
      for (const RouteHop& hop : worm.hops)
        if (hop.is_channel() && hop.parent < 0)
          out.insert(std::string(1, "EWNS"[hop.target % 4]) + (hop.vc == 0 ? "0" : "1"));
    return out;
  };
  using Out = std::multiset<std::string>;
  CHECK(channels_out({18}) == Out{"N0"});                // NE alone goes north
  CHECK(channels_out({18, 14}) == Out{"E0"});            // with the copy to the east
  CHECK(channels_out({18, 14, 22}) == Out{"E0", "N0"});  // its own direction first
  CHECK(channels_out({16, 18}) == Out{"N0"});            // NW with the copy that NE makes
  CHECK(channels_out({16}) == Out{"W0"});                // NW alone goes west
  CHECK(channels_out({16, 10, 22}) == Out{"N0", "W0"});
  CHECK(channels_out({6}) == Out{"S1"});  // SW alone goes south, second network
  CHECK(channels_out({8}) == Out{"E1"});  // SE alone goes east
  CHECK(channels_out({6, 8}) == Out{"S1"});
  CHECK(channels_out({14, 2}) == Out{"E1", "S1"});  // the row goes down where nothing is above
  CHECK(channels_out({14, 2, 22}) == Out{"E0", "N0", "S1"});
}

TEST_CASE("DPM: merged parts go through one representative, by the cheaper of unicasts and paths") {
  const auto mesh = make("mesh", {6, 6});
  const BoundPlanner dpm = bound(*mesh, "dpm");
  // Around (2,2) = 14: E (4,2) = 16 and NE (4,3) = 22 are merged, W (0,2) = 12 is served alone.
  const Plan plan = dpm.plan(request_of(14, {12, 16, 22}));
  REQUIRE(plan.worms.size() == 3);
  CHECK((stops_of(plan.worms[0]) == std::vector<std::uint32_t>{12}));
  CHECK((stops_of(plan.worms[1]) == std::vector<std::uint32_t>{16}));
  CHECK((stops_of(plan.worms[2]) == std::vector<std::uint32_t>{22}));
  CHECK(plan.worms[2].after == 1);
  CHECK((plan.worms[2].source == HostId{16}));
  CHECK(*plan.traffic_channels == 2 + 1 + 2);
  // One part, a row: after the representative a path is cheaper than unicasts.
  const Plan row = dpm.plan(request_of(12, {13, 14, 15, 16}));
  REQUIRE(row.worms.size() == 2);
  CHECK(stops_of(row.worms[1]) == std::vector<std::uint32_t>{14, 15, 16});
  CHECK(*row.traffic_channels == 4);
}

TEST_CASE("DPM costs at most twice what unicasts cost") {
  Dice dice(33);
  const auto mesh = make("mesh", {8, 8});
  const BoundPlanner dpm = bound(*mesh, "dpm");
  const BoundPlanner separate = bound(*mesh, "separate");
  for (int round = 0; round < 300; ++round) {
    const Request request = random_request(*mesh, 1 + dice.below(30), dice);
    // The representative R is the nearest of its part: d(R, t) <= d(s, R) + d(s, t) <= 2 d(s, t).
    CHECK(*dpm.plan(request).traffic_channels <= 2 * *separate.plan(request).traffic_channels);
  }
}

TEST_CASE("rectangle: one worm a box, whole boxes found, the source passed over") {
  const auto mesh = make("mesh", {6, 6});
  const BoundPlanner tree = bound(*mesh, "rectangle");
  const BoundPlanner rows = bound(*mesh, "rectangle", {{"shape", "rows"}});
  std::vector<std::uint32_t> box;
  for (std::uint32_t y = 2; y < 5; ++y)
    for (std::uint32_t x = 1; x < 5; ++x) box.push_back(y * 6 + x);
  // From outside: to the corner (1,2), then 3 along the row and 2 up each of 4 columns.
  const Plan outside = tree.plan(request_of(0, box));
  CHECK(outside.worms.size() == 1);
  CHECK(*outside.traffic_channels == 3 + 3 + 4 * 2);
  CHECK(rows.plan(request_of(0, box)).worms.size() == 3);
  CHECK(*rows.plan(request_of(0, box)).traffic_channels == (3 + 3) + (4 + 3) + (5 + 3));
  // From inside, the source no destination: still one box.
  std::vector<std::uint32_t> around = box;
  std::erase(around, 20U);  // (2,3)
  const Plan inside = tree.plan(request_of(20, around));
  CHECK(inside.worms.size() == 1);
  CHECK(*inside.traffic_channels == 11);
  CHECK(rows.plan(request_of(20, around)).worms.size() == 4);  // two in the source's own row
  // Two boxes that touch at a corner.
  CHECK(tree.plan(request_of(35, {0, 1, 6, 7, 14, 15, 20, 21})).worms.size() == 2);
}

}  // namespace wormcast::grid_trees_test

// HC routing on cube-connected cycles: the paper's paths, Theorem 2 exhaustively, and the dependency
// graph with and without the virtual channels.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "routing/routing_function.hpp"
#include "topology/error.hpp"
#include "unit/long_mode.hpp"
#include "unit/routing/channel_dependencies.hpp"

namespace wormcast::hc_test {

namespace {

std::unique_ptr<const Topology> ccc(std::uint64_t n, std::uint32_t virtual_channels = 0) {
  TopologySpec spec;
  spec.family = "ccc";
  spec.sizes = {n};
  spec.virtual_channels = virtual_channels;
  return build_topology(std::move(spec));
}

/// The largest n of the exhaustive tests: 6, or 8 in long runs.
std::uint64_t largest() { return testing::few_or_many(6u, 8u); }

/// The route as the paper writes it: "h0 H l0 …".
std::string letters(const RoutingFunction& routing, NodeId at, NodeId to) {
  std::string text;
  while (at != to) {
    const RoutingStep step = routing.next(at, {}, to);
    const std::uint32_t port = step.channel.value % 3;
    text += port == 2 ? "H " : (port == 0 ? "h" : "l") + std::to_string(step.vc) + " ";
    at = step.to;
  }
  return text;
}

template <class Visit>
void every_route(const RoutingFunction& routing, Visit visit) {
  const std::uint32_t n = routing.topology().routers();
  std::vector<std::uint32_t> route;  // channel · 2 + vc
  for (std::uint32_t from = 0; from < n; ++from)
    for (std::uint32_t to = 0; to < n; ++to) {
      route.clear();
      for (NodeId at{from}; at != NodeId{to};) {
        const RoutingStep step = routing.next(at, {}, NodeId{to});
        route.push_back(step.channel.value * 2 + step.vc);
        at = step.to;
      }
      visit(from, to, route);
    }
}

template <class Visit>
void every_forced_hop(const RoutingFunction& routing, Visit visit) {
  const std::uint32_t n = routing.topology().routers();
  for (std::uint32_t from = 0; from < n; ++from)
    for (std::uint32_t to = 0; to < n; ++to)
      for (std::uint32_t port = 0; port < 3 && from != to; ++port)
        visit(NodeId{from}, NodeId{to}, PortId{port});
}

/// Channels that a route b' → b with b <_d c and a route c → d with c <_d d have in common for some
/// b ≤ c: the smallest end of any route over the channel is no later than the largest start of a
/// route that goes up in the order.
std::uint32_t theorem_2_violations(const RoutingFunction& routing) {
  const std::uint32_t keys = routing.topology().channel_bound() * 2;
  std::vector<std::uint32_t> least_end(keys, UINT32_MAX);
  std::vector<std::int64_t> greatest_start(keys, -1);
  every_route(routing, [&](std::uint32_t from, std::uint32_t to, const std::vector<std::uint32_t>& route) {
    for (const std::uint32_t key : route) {
      least_end[key] = std::min(least_end[key], to);
      if (from < to) greatest_start[key] = std::max<std::int64_t>(greatest_start[key], from);
    }
  });
  std::uint32_t violations = 0;
  for (std::uint32_t key = 0; key < keys; ++key)
    violations += static_cast<std::int64_t>(least_end[key]) <= greatest_start[key] ? 1 : 0;
  return violations;
}

/// Whether the dependencies "holds the first, asks for the second" have no cycle (Kahn).
bool acyclic(const RoutingFunction& routing) {
  const std::uint32_t keys = routing.topology().channel_bound() * 2;
  std::vector<std::vector<std::uint32_t>> next(keys);
  every_route(routing, [&](std::uint32_t, std::uint32_t, const std::vector<std::uint32_t>& route) {
    for (std::size_t i = 1; i < route.size(); ++i) {
      auto& list = next[route[i - 1]];
      if (std::find(list.begin(), list.end(), route[i]) == list.end()) list.push_back(route[i]);
    }
  });
  std::vector<std::uint32_t> in(keys);
  for (const auto& list : next)
    for (const std::uint32_t key : list) ++in[key];
  std::vector<std::uint32_t> free(keys);
  std::iota(free.begin(), free.end(), 0u);
  std::erase_if(free, [&](std::uint32_t key) { return in[key] != 0; });
  std::uint32_t removed = 0;
  for (; !free.empty(); ++removed) {
    const std::uint32_t key = free.back();
    free.pop_back();
    for (const std::uint32_t later : next[key])
      if (--in[later] == 0) free.push_back(later);
  }
  return removed == keys;
}

}  // namespace

TEST_CASE("hc: the paper's two example paths") {
  const auto network = ccc(3);
  const auto routing = bind_routing("hc", *network);
  CHECK(letters(*routing, NodeId{3 * 0 + 1}, NodeId{3 * 7 + 0}) == "h0 H l0 H l0 H ");
  CHECK(letters(*routing, NodeId{3 * 1 + 2}, NodeId{3 * 3 + 0}) == "l0 H l1 ");
}

TEST_CASE("hc: Theorem 2 holds on every channel, for every n, and needs the virtual channels") {
  for (std::uint64_t n = 3; n <= largest(); ++n) {
    CAPTURE(n);
    const auto network = ccc(n);
    CHECK(theorem_2_violations(*bind_routing("hc", *network)) == 0);
    const auto narrow = ccc(n, 1);
    const std::uint32_t without = theorem_2_violations(*bind_routing("hc", *narrow));
    if (n == 3) CHECK(without == 20);
    if (n == 6) CHECK(without == 516);
    CHECK(without > 0);
  }
}

TEST_CASE("hc: unicasts cannot deadlock with the virtual channels, and can without") {
  for (std::uint64_t n = 3; n <= largest(); ++n) {
    CAPTURE(n);
    const auto network = ccc(n);
    CHECK(acyclic(*bind_routing("hc", *network)));
    const auto narrow = ccc(n, 1);
    CHECK_FALSE(acyclic(*bind_routing("hc", *narrow)));
  }
}

TEST_CASE("hc: the forced first hops that it takes leave unicasts free of deadlock, the others would not") {
  using testing::ChannelDependencies;
  for (std::uint64_t n = 3; n <= 4; ++n) {
    CAPTURE(n);
    const auto network = ccc(n);
    const auto routing = bind_routing("hc", *network);
    ChannelDependencies taken;
    std::array<ChannelDependencies, 2> any_port;  // with either virtual channel on the cycles
    std::uint32_t wrapped = 0;
    every_forced_hop(*routing, [&](NodeId from, NodeId to, PortId port) {
      const auto follow = [&](ChannelDependencies& graph, std::uint32_t vc) {
        graph.add_unicast(*routing, from, to);
        const NodeId end = *network->neighbour(from, port);
        if (end == to) return;
        const RoutingStep onwards = routing->next(end, {}, to);
        graph.add({network->channel(from, port).value, vc}, {onwards.channel.value, onwards.vc});
      };
      for (std::uint32_t vc = 0; vc < 2; ++vc) follow(any_port[vc], port.value == 2 ? 0 : vc);
      try {
        const RoutingStep step = routing->forced(from, port, {}, to);
        follow(taken, step.vc);
        wrapped += step.channel == routing->next(from, {}, to).channel ? 0 : 1;
      } catch (const InputError& error) {
        CHECK(error.field == "first_port");
      }
    });
    CHECK(wrapped > 0);
    CHECK(taken.acyclic());
    for (const ChannelDependencies& graph : any_port) CHECK_FALSE(graph.acyclic());
  }
}

TEST_CASE("hc: mean path lengths, far from the shortest") {
  const auto means = [](std::uint64_t n) {
    const auto network = ccc(n);
    const auto routing = bind_routing("hc", *network);
    std::uint64_t taken = 0;
    std::uint64_t shortest = 0;
    for (std::uint32_t a = 0; a < network->routers(); ++a)
      for (std::uint32_t b = 0; b < network->routers(); ++b) {
        taken += routing->distance(NodeId{a}, NodeId{b});
        shortest += network->distance(NodeId{a}, NodeId{b});
      }
    const double pairs = double(network->routers()) * double(network->routers() - 1);
    return std::pair(double(taken) / pairs, double(shortest) / pairs);
  };
  CHECK(means(3).first == doctest::Approx(4.12).epsilon(0.002));
  CHECK(means(3).second == doctest::Approx(3.22).epsilon(0.002));
  CHECK(means(5).first == doctest::Approx(8.15).epsilon(0.001));
  CHECK(means(5).second == doctest::Approx(5.99).epsilon(0.001));
}

TEST_CASE("hc takes one virtual channel where the topology has one, and is only for CCC") {
  const auto two = ccc(4);
  const auto one = ccc(4, 1);
  CHECK(bind_routing("hc", *two)->virtual_channels() == 2);
  CHECK(bind_routing("hc", *one)->virtual_channels() == 1);
  TopologySpec mesh;
  mesh.family = "mesh";
  mesh.sizes = {3, 3};
  const auto grid = build_topology(mesh);
  CHECK_THROWS_AS(bind_routing("hc", *grid), InputError);
}

}  // namespace wormcast::hc_test

// Dimension order on tori whose channels run one way: the only shortest routes, datelines, no dependency
// cycles.
// SPDX-License-Identifier: MIT
#include "routing/routing_function.hpp"

#include <doctest/doctest.h>

#include "topology/error.hpp"
#include "unit/multicast/random_requests.hpp"
#include "unit/routing/channel_dependencies.hpp"

namespace wormcast::one_way_test {

using namespace testing;

namespace {

/// The dimensions of the channels of a route, in order, each run once.
std::vector<std::uint32_t> dimensions_of(const RoutingFunction& routing, NodeId at, NodeId to) {
  std::vector<std::uint32_t> dimensions;
  RoutingState state = routing.first(at, to, 0);
  std::uint32_t hops = 0;
  bool wrapped = false;
  while (at != to) {
    const RoutingStep step = routing.next(at, state, to);
    const ChannelEnds ends = *routing.topology().ends(step.channel);
    CHECK(ends.from == at);
    CHECK(ends.to == step.to);
    const std::uint32_t dimension = ends.port.value / 2;
    if (dimensions.empty() || dimensions.back() != dimension) {
      dimensions.push_back(dimension);
      wrapped = false;
    }
    CHECK(step.vc == (wrapped ? 1 : 0));
    const bool up = ends.port.value % 2 == 0;
    const Grid& grid = *routing.topology().grid();
    wrapped = wrapped || up == (grid.coordinate(step.to, dimension) < grid.coordinate(at, dimension));
    at = step.to;
    state = step.state;
    ++hops;
  }
  return dimensions;
}

}  // namespace

TEST_CASE("one-way: forward the first dimension first, backward the last, swapped the other way") {
  for (const auto& dims : std::vector<std::vector<std::uint64_t>>{{1}, {2}, {5}, {4, 3}, {2, 2}, {3, 2, 4}})
    for (const char* family : {"torus-forward", "torus-backward"})
      for (const char* name : {"one-way", "one-way-swapped"}) {
        const auto torus = make(family, dims);
        const auto routing = bind_routing(name, *torus);
        CAPTURE(torus->name());
        CAPTURE(name);
        const bool ascending = (torus->ways() == Ways::up) == (std::string_view(name) == "one-way");
        CHECK(routing->last_dimension_first() == !ascending);
        ChannelDependencies dependencies;
        for (std::uint32_t u = 0; u < torus->routers(); ++u)
          for (std::uint32_t v = 0; v < torus->routers(); ++v) {
            if (u == v) continue;
            const std::vector<std::uint32_t> order = dimensions_of(*routing, NodeId{u}, NodeId{v});
            CHECK((ascending ? std::is_sorted(order.begin(), order.end())
                             : std::is_sorted(order.rbegin(), order.rend())));
            dependencies.add_unicast(*routing, NodeId{u}, NodeId{v});
          }
        CHECK(dependencies.acyclic());
      }
  CHECK_THROWS_AS(bind_routing("one-way", *make("torus", {3, 3})), InputError);
  CHECK_THROWS_AS(bind_routing("up-down", *make("torus-forward", {3, 3})), InputError);
}

TEST_CASE("without the second virtual channel of its datelines one-way would deadlock") {
  const auto ring = make("torus-forward", {5});
  const auto routing = bind_routing("one-way", *ring);
  ChannelDependencies one;
  for (std::uint32_t u = 0; u < 5; ++u) {
    const RoutingStep first = routing->next(NodeId{u}, {}, NodeId{(u + 2) % 5});
    const RoutingStep second = routing->next(first.to, first.state, NodeId{(u + 2) % 5});
    one.add({first.channel.value, 0}, {second.channel.value, 0});
  }
  CHECK_FALSE(one.acyclic());
}

}  // namespace wormcast::one_way_test

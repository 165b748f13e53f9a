// Torus routing: shorter way round, datelines, classes, kept directions, acyclic dependencies.
// SPDX-License-Identifier: MIT
#include "routing/grid_walk.hpp"

#include <doctest/doctest.h>

#include "topology/error.hpp"
#include "unit/multicast/random_requests.hpp"
#include "unit/routing/channel_dependencies.hpp"

namespace wormcast::torus_routing_test {

using namespace testing;

namespace {

std::vector<std::unique_ptr<const Topology>> tori() {
  std::vector<std::unique_ptr<const Topology>> all;
  for (auto dims : std::vector<std::vector<std::uint64_t>>{
           {1}, {2}, {3}, {6}, {1, 4}, {2, 2}, {5, 2}, {4, 4}, {5, 5}, {6, 4}, {3, 4, 3}, {2, 2, 3}})
    all.push_back(make("torus", dims));
  return all;
}

struct Walk {
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> vcs;
};

Walk walk(const RoutingFunction& routing, std::uint32_t from, std::vector<std::uint32_t> stops,
          std::uint32_t vc_class, std::optional<PortId> port = {}) {
  Walk result;
  NodeId at{from};
  RoutingState state = routing.first(at, NodeId{stops[0]}, vc_class);
  for (const std::uint32_t stop : stops)
    while (at != NodeId{stop}) {
      const RoutingStep step =
          port ? routing.forced(at, *port, state, NodeId{stop}) : routing.next(at, state, NodeId{stop});
      port.reset();
      at = step.to;
      state = step.state;
      result.nodes.push_back(at.value);
      result.vcs.push_back(step.vc);
    }
  return result;
}

using Nodes = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("torus dimension order takes shortest routes, ties by +") {
  for (const auto& torus : tori()) {
    CAPTURE(torus->name());
    for (const std::string_view name : {"dimension-order", "torus-ring"}) {
      const auto routing = bind_routing(name, *torus);
      for (std::uint32_t u = 0; u < torus->routers(); ++u)
        for (std::uint32_t v = 0; v < torus->routers(); ++v) {
          if (u == v) continue;
          CHECK(walk(*routing, u, {v}, 0).nodes.size() == torus->distance(NodeId{u}, NodeId{v}));
          CHECK(routing->distance(NodeId{u}, NodeId{v}) == torus->distance(NodeId{u}, NodeId{v}));
        }
    }
  }
  const auto ring = make("torus", {6});
  CHECK(walk(*bind_routing("xy", *ring), 1, {4}, 0).nodes == Nodes{2, 3, 4});
  CHECK(walk(*bind_routing("xy", *ring), 4, {1}, 0).nodes == Nodes{5, 0, 1});
  const auto torus = make("torus", {5, 4});
  CHECK(walk(*bind_routing("xy", *torus), 1, {4 + 5 * 3}, 0).nodes == Nodes{0, 4, 19});
}

TEST_CASE("virtual channels of unicasts look at the wrap ahead, those of longer worms at the wrap behind") {
  const auto ring = make("torus", {7});
  const auto routing = bind_routing("dimension-order", *ring);
  CHECK(walk(*routing, 5, {1}, 0).vcs == Nodes{0, 0, 1});
  CHECK(walk(*routing, 5, {1}, 1).vcs == Nodes{0, 0, 1});
  CHECK(walk(*routing, 1, {4}, 0).vcs == Nodes{1, 1, 1});
  CHECK(walk(*routing, 1, {4}, 1).vcs == Nodes{0, 0, 0});
  CHECK(walk(*routing, 1, {5}, 0).vcs == Nodes{0, 0, 1});  // 1 → 0 → 6 → 5
  CHECK(walk(*routing, 4, {6, 1}, 1).vcs == Nodes{0, 0, 0, 1});
  CHECK_THROWS_WITH_AS(routing->first(NodeId{0}, NodeId{1}, 2), "class 2; this routing function knows 0 to 1",
                       InputError);
  const auto torus = make("torus", {3, 3});
  CHECK(walk(*bind_routing("dimension-order", *torus), 2, {6}, 1).vcs == Nodes{0, 0});  // both wrap links
}

TEST_CASE("torus-ring goes on in the direction of its first port, its class fixes the virtual channels") {
  const auto torus = make("torus", {8, 3});
  const auto routing = bind_routing("torus-ring", *torus);
  CHECK_FALSE(routing->history_free());
  const Walk right = walk(*routing, 2, {4, 1}, 0);
  CHECK(right.nodes == Nodes{3, 4, 5, 6, 7, 0, 1});
  CHECK(right.vcs == Nodes{0, 0, 0, 0, 0, 0, 1});
  const Walk left = walk(*routing, 2, {4}, 0, PortId{1});
  CHECK(left.nodes == Nodes{1, 0, 7, 6, 5, 4});
  CHECK(left.vcs == Nodes{0, 0, 0, 1, 1, 1});
  CHECK(walk(*routing, 2, {4}, 1, PortId{1}).vcs == Nodes{0, 0, 0, 0, 0, 0});
  CHECK(walk(*routing, 2, {4}, 2, PortId{1}).vcs == Nodes{1, 1, 1, 1, 1, 1});
  CHECK(walk(*routing, 0, {16}, 0, PortId{2}).nodes == Nodes{8, 16});
  const auto narrow = make("torus", {1, 4});
  CHECK_THROWS_AS(bind_routing("torus-ring", *narrow)->forced(NodeId{0}, PortId{0}, {}, NodeId{1}),
                  InputError);
}

TEST_CASE("a ring of two nodes has two links and four channels; one of one node has none") {
  const auto ring = make("torus", {2});
  CHECK(ring->neighbour(NodeId{0}, PortId{0}) == NodeId{1});
  CHECK(ring->neighbour(NodeId{0}, PortId{1}) == NodeId{1});
  CHECK(ring->channel(NodeId{0}, PortId{0}) != ring->channel(NodeId{0}, PortId{1}));
  CHECK(walk(*bind_routing("torus-ring", *ring), 1, {0}, 0, PortId{1}).vcs == Nodes{0});
  const auto point = make("torus", {1});
  CHECK_FALSE(point->neighbour(NodeId{0}, PortId{0}));
}

TEST_CASE("unicasts of both dateline rules together are free of dependency cycles; one VC is not") {
  for (const auto& torus : tori()) {
    CAPTURE(torus->name());
    const auto routing = bind_routing("dimension-order", *torus);
    ChannelDependencies by_rule;
    for (std::uint32_t u = 0; u < torus->routers(); ++u)
      for (std::uint32_t v = 0; v < torus->routers(); ++v)
        for (const std::uint32_t vc_class : {0u, 1u})
          by_rule.add_unicast(*routing, NodeId{u}, NodeId{v}, vc_class);
    CHECK(by_rule.acyclic());
  }
  const auto ring = make("torus", {5});
  const auto routing = bind_routing("torus-ring", *ring);
  ChannelDependencies one_vc;
  ChannelDependencies dateline;
  for (std::uint32_t u = 0; u < 5; ++u)
    for (std::uint32_t v = 0; v < 5; ++v) {
      one_vc.add_unicast(*routing, NodeId{u}, NodeId{v}, 1);
      dateline.add_unicast(*routing, NodeId{u}, NodeId{v}, 0);
    }
  CHECK_FALSE(one_vc.acyclic());
  CHECK(dateline.acyclic());
}

}  // namespace wormcast::torus_routing_test

// Families: labels against the report's figure and the definition, channels, neighbours, bad sizes.
// SPDX-License-Identifier: MIT
#include "topology/topology.hpp"

#include <doctest/doctest.h>

#include <queue>

#include "router/router_model.hpp"
#include "topology/connectivity.hpp"
#include "topology/error.hpp"
#include "unit/networks.hpp"

namespace wormcast::topology_test {

using testing::make;

namespace {

std::vector<std::unique_ptr<const Topology>> samples() {
  std::vector<std::unique_ptr<const Topology>> all;
  for (auto dims : std::vector<std::vector<std::uint64_t>>{
           {1}, {7}, {1, 1}, {1, 5}, {5, 1}, {4, 3}, {3, 4}, {2, 2, 2}, {3, 3, 3}, {2, 1, 3, 2}, {5, 4, 3}})
    all.push_back(make("mesh", dims));
  for (auto dims : std::vector<std::vector<std::uint64_t>>{
           {1}, {2}, {3}, {8}, {1, 4}, {2, 2}, {5, 2}, {4, 3}, {3, 4, 5}, {2, 1, 3, 2}})
    all.push_back(make("torus", dims));
  for (std::uint64_t n = 1; n <= 7; ++n) all.push_back(make("hypercube", {n}));
  for (std::uint64_t n = 3; n <= 6; ++n) all.push_back(make("ccc", {n}));
  return all;
}

std::vector<std::uint32_t> breadth_first(const Topology& topology, NodeId from) {
  std::vector<std::uint32_t> hops(topology.routers(), 0xffffffff);
  std::queue<NodeId> queue;
  hops[from.value] = 0;
  queue.push(from);
  while (!queue.empty()) {
    const NodeId node = queue.front();
    queue.pop();
    for (std::uint32_t port = 0; port < topology.ports(); ++port) {
      const auto next = topology.neighbour(node, PortId{port});
      if (!next || hops[next->value] != 0xffffffff) continue;
      hops[next->value] = hops[node.value] + 1;
      queue.push(*next);
    }
  }
  return hops;
}

}  // namespace

TEST_CASE("labels of the 3x4 mesh are those of the report's Figure 2") {
  const auto mesh = make("mesh", {4, 3});
  const std::uint32_t figure[3][4] = {{0, 1, 2, 3}, {7, 6, 5, 4}, {8, 9, 10, 11}};
  for (std::uint32_t y = 0; y < 3; ++y)
    for (std::uint32_t x = 0; x < 4; ++x) CHECK(mesh->label(NodeId{x + 4 * y}).value == figure[y][x]);
}

TEST_CASE("labels are a Hamiltonian path in every family that has them") {
  for (const auto& topology : samples()) {
    if (!topology->labelled()) continue;
    CAPTURE(topology->name());
    for (std::uint32_t label = 0; label < topology->routers(); ++label) {
      const NodeId node = topology->node_at(Label{label});
      CHECK(topology->label(node) == Label{label});
      if (label > 0) CHECK(topology->distance(topology->node_at(Label{label - 1}), node) == 1);
    }
  }
}

TEST_CASE("channels name their ends, links go both ways, distance is the shortest path") {
  for (const auto& topology : samples()) {
    CAPTURE(topology->name());
    std::uint32_t used = 0;
    for (std::uint32_t c = 0; c < topology->channel_bound(); ++c) {
      const auto ends = topology->ends(ChannelId{c});
      if (!ends) continue;
      ++used;
      CHECK(topology->channel(ends->from, ends->port) == ChannelId{c});
      CHECK(topology->neighbour(ends->from, ends->port) == ends->to);
      CHECK(topology->distance(ends->to, ends->from) == 1);
      const ChannelId back = topology->opposite(ChannelId{c});
      CHECK(topology->ends(back)->from == ends->to);
      CHECK(topology->ends(back)->to == ends->from);
      CHECK(topology->opposite(back) == ChannelId{c});
    }
    CHECK_FALSE(topology->ends(ChannelId{topology->channel_bound()}));
    std::uint32_t ports = 0;  // with a link
    for (std::uint32_t node = 0; node < topology->routers(); ++node) {
      const auto hops = breadth_first(*topology, NodeId{node});
      for (std::uint32_t other = 0; other < topology->routers(); ++other)
        CHECK(topology->distance(NodeId{node}, NodeId{other}) == hops[other]);
      for (std::uint32_t port = 0; port < topology->ports(); ++port)
        if (const auto other = topology->neighbour(NodeId{node}, PortId{port})) {
          ++ports;
          CHECK(hops[other->value] == 1);
        }
    }
    CHECK(used == ports);
  }
}

TEST_CASE("every family is of one kind") {
  const auto kinds = [](const Topology& network) {
    return std::vector<bool>{network.line_grid(),     network.ring_grid(),       network.one_way_grid(),
                             network.bit_addresses(), network.cycle_nodes() > 0, network.given_by_links()};
  };
  std::vector<std::unique_ptr<const Topology>> all;
  for (const char* family : {"mesh", "torus", "torus-forward"}) all.push_back(make(family, {4, 3}));
  for (const char* family : {"hypercube", "ccc"}) all.push_back(make(family, {3}));
  TopologySpec graph;
  graph.family = "graph";
  graph.graph.routers = 1;
  graph.graph.hosts = {0};
  all.push_back(build_topology(graph));
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(all[i]->name());
    std::vector<bool> own(all.size(), false);
    own[i] = true;
    CHECK(kinds(*all[i]) == own);
  }
  CHECK(make("torus-backward", {4, 3})->one_way_grid());
  CHECK(make("ccc", {5})->cycle_nodes() == 5);
}

TEST_CASE("tori some of whose dimensions are lines: neighbours, distances, kinds") {
  for (const std::vector<std::uint32_t>& open :
       std::vector<std::vector<std::uint32_t>>{{0}, {1}, {0, 2}, {2}}) {
    TopologySpec spec;
    spec.family = "torus";
    spec.sizes = {4, 3, 5};
    spec.open = open;
    const auto network = build_topology(spec);
    CAPTURE(network->name());
    CHECK(network->ring_grid());
    CHECK_FALSE(network->torus_grid());
    const auto whole = make("torus", {4, 3, 5}), lines = make("mesh", {4, 3, 5});
    for (std::uint32_t node = 0; node < network->routers(); ++node) {
      for (std::uint32_t port = 0; port < 6; ++port) {
        const bool line = std::count(open.begin(), open.end(), port / 2) > 0;
        CHECK(network->wraps(port / 2) != line);
        CHECK(network->neighbour(NodeId{node}, PortId{port}) ==
              (line ? lines : whole)->neighbour(NodeId{node}, PortId{port}));
      }
      std::vector<std::uint32_t> hops;
      std::vector<NodeId> reached;
      Adjacency(*network).search(NodeId{node}, hops, reached);
      for (std::uint32_t to = 0; to < network->routers(); ++to)
        CHECK(network->distance(NodeId{node}, NodeId{to}) == hops[to]);
    }
  }
}

TEST_CASE("ccc has n 2^n nodes and 3 n 2^(n-1) links, each two channels") {
  for (std::uint64_t n = 3; n <= 10; ++n) {
    const auto ccc = make("ccc", {n});
    CHECK(ccc->routers() == n << n);
    std::uint64_t channels = 0;
    for (std::uint32_t c = 0; c < ccc->channel_bound(); ++c) channels += ccc->ends(ChannelId{c}) ? 1 : 0;
    CHECK(channels == 2 * (3 * n << (n - 1)));
  }
}

TEST_CASE("bad sizes are refused before anything is allocated") {
  CHECK_THROWS_AS(make("mesh", {}), InputError);
  CHECK_THROWS_AS(make("mesh", {4, 0}), InputError);
  CHECK_THROWS_AS(make("mesh", {1ull << 40, 1ull << 40}), InputError);
  CHECK_THROWS_AS(make("mesh", {65536, 65536}), InputError);
  CHECK_THROWS_AS(make("hypercube", {0}), InputError);
  CHECK_THROWS_AS(make("hypercube", {24}), InputError);  // 4.0e8 channel ids
  CHECK_THROWS_AS(make("hypercube", {40}), InputError);
  CHECK_THROWS_AS(make("hypercube", {3, 3}), InputError);
  CHECK_THROWS_AS(make("ccc", {2}), InputError);
  CHECK_THROWS_AS(make("ccc", {22}), InputError);
  CHECK_THROWS_WITH(
      make("msh", {3}),
      doctest::Contains(
          "unknown topology family 'msh'; did you mean 'mesh'? (known: mesh torus torus-forward"));
}

TEST_CASE("every network that is built has ids for seven virtual channels") {
  struct Sizes {
    const char* family;
    std::vector<std::uint64_t> sizes;
  };
  const std::vector<Sizes> largest = {
      {"hypercube", {23}}, {"ccc", {21}}, {"mesh", {8192, 8192}}, {"torus", {std::uint64_t{1} << 27}}};
  for (const Sizes& sizes : largest) {
    CAPTURE(sizes.family);
    const auto network = make(sizes.family, sizes.sizes);
    CHECK(network->channel_bound() <= 1U << 28);
    CHECK(network->virtual_channel_bound() >= 7);
  }
}

TEST_CASE("virtual channels are as many as the ids of what worms hold have room for") {
  CHECK(make("mesh", {8, 8})->virtual_channel_bound() == 255);
  TopologySpec spec;
  spec.family = "mesh";
  spec.sizes = {2048, 2048};
  const std::uint32_t most = build_topology(spec)->virtual_channel_bound();
  spec.virtual_channels = most;
  const auto full = build_topology(spec);
  CHECK(full->virtual_channel_bound() == most);
  const Resources resources(*full, RouterModel{});
  const ChannelId last{full->channel_bound() - 1};
  const ResourceId id = resources.consumption(HostId{0}, last, most - 1);
  CHECK(resources.describe(id).channel == last);
  CHECK(resources.describe(id).vc == most - 1);
  spec.virtual_channels = most + 1;
  CHECK_THROWS_WITH(build_topology(spec),
                    "128 are too many for mesh-2048x2048, whose channels have ids for 127 each");
}

TEST_CASE("given labels replace the snake and are checked") {
  TopologySpec spec;
  spec.family = "mesh";
  spec.sizes = {2, 2};
  spec.labels = {3, 2, 0, 1};
  CHECK(build_topology(spec)->label(NodeId{2}) == Label{0});
  CHECK(build_topology(spec)->node_at(Label{3}) == NodeId{0});
  spec.labels = {0, 2, 1, 3};  // labels 1 and 2 lie on a diagonal
  CHECK_THROWS_AS(build_topology(spec), InputError);
  spec.labels = {0, 0, 1, 2};
  CHECK_THROWS_AS(build_topology(spec), InputError);
  spec.labels = {0, 1, 2};
  CHECK_THROWS_AS(build_topology(spec), InputError);
}

}  // namespace wormcast::topology_test

// Tori whose channels run one way: the two of a chip are the torus, channel by channel.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "topology/connectivity.hpp"
#include "topology/error.hpp"
#include "topology/faults.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::one_way_torus_test {

using namespace testing;

namespace {

const std::vector<std::vector<std::uint64_t>> sizes = {{1}, {2}, {6}, {1, 4}, {2, 2}, {5, 3}, {3, 1, 4}};

}  // namespace

TEST_CASE("each channel of a torus belongs to the forward or to the backward one") {
  for (const auto& dims : sizes) {
    const auto torus = make("torus", dims);
    const auto forward = make("torus-forward", dims);
    const auto backward = make("torus-backward", dims);
    CHECK(torus->ways() == Ways::both);
    CHECK(forward->ways() == Ways::up);
    CHECK(backward->ways() == Ways::down);
    CHECK(forward->channel_bound() == torus->channel_bound());
    for (std::uint32_t id = 0; id < torus->channel_bound(); ++id) {
      const auto whole = torus->ends(ChannelId{id});
      const auto up = forward->ends(ChannelId{id});
      const auto down = backward->ends(ChannelId{id});
      CHECK(whole.has_value() == (up.has_value() || down.has_value()));
      CHECK_FALSE((up && down));
      if (!whole) continue;
      const ChannelEnds& part = up ? *up : *down;
      CHECK(part.from == whole->from);
      CHECK(part.to == whole->to);
      CHECK(part.port == whole->port);
      CHECK((part.port.value % 2 == 0) == up.has_value());
    }
  }
}

TEST_CASE("distances are those of a search, and from one network to the other those back") {
  for (const auto& dims : sizes) {
    const auto forward = make("torus-forward", dims);
    const auto backward = make("torus-backward", dims);
    const Adjacency adjacency(*forward);
    std::vector<std::uint32_t> hops;
    std::vector<NodeId> reached;
    for (std::uint32_t from = 0; from < forward->routers(); ++from) {
      adjacency.search(NodeId{from}, hops, reached);
      CHECK(reached.size() == forward->routers());
      for (std::uint32_t to = 0; to < forward->routers(); ++to) {
        CHECK(forward->distance(NodeId{from}, NodeId{to}) == hops[to]);
        CHECK(backward->distance(NodeId{to}, NodeId{from}) == hops[to]);
      }
    }
  }
}

TEST_CASE("as a graph they keep neighbours, ports and distances, and links can be taken out") {
  for (const char* family : {"torus-forward", "torus-backward"})
    for (const auto& dims : sizes) {
      const auto torus = make(family, dims);
      const auto graph = build_topology(as_graph(*torus));
      CHECK(graph->ways() == (torus->routers() > 1 ? Ways::mixed : Ways::both));
      std::uint32_t channels = 0;
      for (std::uint32_t id = 0; id < torus->channel_bound(); ++id)
        channels += torus->ends(ChannelId{id}) ? 1 : 0;
      CHECK(graph->spec().graph.links.size() == channels);
      for (std::uint32_t r = 0; r < torus->routers(); ++r) {
        for (std::uint32_t port = 0; port < torus->ports(); ++port)
          CHECK(graph->neighbour(NodeId{r}, PortId{port}) == torus->neighbour(NodeId{r}, PortId{port}));
        for (std::uint32_t to = 0; to < torus->routers(); ++to)
          CHECK(graph->distance(NodeId{r}, NodeId{to}) == torus->distance(NodeId{r}, NodeId{to}));
      }
    }
  Faults faults;
  faults.links = {"0,0,1,0"};
  const auto forward = make("torus-forward", {4, 3});
  const auto left = build_topology(with_faults(*forward, faults));
  CHECK(left->spec().failed == std::vector{0U});
  CHECK(left->distance(NodeId{0}, NodeId{1}) > 1);
  faults.links.clear();
  faults.random = 9;
  const auto torn = build_topology(with_faults(*forward, faults));
  CHECK(torn->spec().failed.size() == 9);
  CHECK_FALSE(no_paths(*torn));
  faults.random = 13;  // a ring through all nodes is the least
  CHECK_THROWS_AS(with_faults(*forward, faults), InputError);
}

TEST_CASE("what needs channels both ways refuses them") {
  const auto forward = make("torus-forward", {3, 3});
  CHECK_FALSE(forward->labelled());
  CHECK_THROWS_AS(make("torus-forward", {2, 2}, {0, 1, 3, 2}), InputError);
}

}  // namespace wormcast::one_way_torus_test

// Layouts of networks.
// SPDX-License-Identifier: MIT
#include "io/runs/node_layout.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "topology/faults.hpp"

namespace wormcast::io::node_layout_test {

namespace {

std::unique_ptr<const Topology> mesh(std::vector<std::uint64_t> sizes) {
  return build_topology({"mesh", std::move(sizes), 0, {}});
}

}  // namespace

TEST_CASE("nodes of a layout lie apart, also in many dimensions") {
  std::vector<std::unique_ptr<const Topology>> networks;
  networks.push_back(mesh({4, 3, 3, 2}));
  networks.push_back(build_topology({"hypercube", {6}, 0, {}}));
  for (const auto& topology : networks) {
    const NodeLayout layout(*topology);
    REQUIRE(layout.placed());
    for (std::uint32_t a = 0; a < topology->routers(); ++a)
      for (std::uint32_t b = 0; b < a; ++b) {
        const CanvasPoint p = layout.place(NodeId{a});
        const CanvasPoint q = layout.place(NodeId{b});
        CHECK((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) > 1600);
      }
  }
}

TEST_CASE(
    "a mesh with faults lies as the mesh does, and graphs whose names are no coordinates have no places") {
  const auto whole = mesh({4, 3});
  Faults faults;
  faults.routers = {"0,0"};
  faults.links = {"1,1,2,1"};
  const auto left = build_topology(with_faults(*whole, faults));
  const NodeLayout before(*whole);
  const NodeLayout after(*left);
  REQUIRE(after.placed());
  for (std::uint32_t r = 0; r < left->routers(); ++r) {
    const CanvasPoint p = before.place(NodeId{r + 1});  // one is gone, at the front
    const CanvasPoint q = after.place(NodeId{r});
    CHECK(p.x == q.x);
    CHECK(p.y == q.y);
  }
  const std::vector<std::vector<std::string>> others = {{"a", "b"},           {"0", "1"},    {"0,0", "0,0"},
                                                        {"0,0", "0,0,1"},     {"0,", "0,1"}, {",1", "0,1"},
                                                        {"0,1", "0,99999999"}};
  for (const auto& names : others) {
    TopologySpec spec;
    spec.family = "graph";
    spec.graph.routers = 2;
    spec.graph.hosts = {0, 1};
    spec.graph.links.emplace_back().ends = {0, 1};
    spec.graph.names = names;
    CHECK(!NodeLayout(*build_topology(spec)).placed());
  }
}

}  // namespace wormcast::io::node_layout_test

// Networks with faults: what goes, what stays, and that random faults leave one piece.
// SPDX-License-Identifier: MIT
#include "topology/faults.hpp"

#include <doctest/doctest.h>

#include <set>

#include "topology/error.hpp"
#include "unit/networks.hpp"

using namespace wormcast;
using testing::make;

TEST_CASE("a network as a graph has the same neighbours by the same ports") {
  for (const auto& [family, sizes] : {std::pair{"mesh", std::vector<std::uint64_t>{4, 3}},
                                      {"torus", {3, 2, 1}},
                                      {"torus", {2, 2}},
                                      {"hypercube", {4}},
                                      {"ccc", {3}}}) {
    const auto network = make(family, sizes);
    const auto graph = build_topology(as_graph(*network));
    REQUIRE(graph->routers() == network->routers());
    for (std::uint32_t r = 0; r < network->routers(); ++r)
      for (std::uint32_t p = 0; p < network->ports(); ++p) {
        CHECK(graph->neighbour(NodeId{r}, PortId{p}) == network->neighbour(NodeId{r}, PortId{p}));
        if (network->neighbour(NodeId{r}, PortId{p}))
          CHECK(graph->ends(graph->channel(NodeId{r}, PortId{p}))->port == PortId{p});
      }
  }
}

TEST_CASE("routers are named by number, coordinates or name") {
  const auto mesh = make("mesh", {4, 3});
  CHECK(router_named(*mesh, "7") == NodeId{7});
  CHECK(router_named(*mesh, "3,1") == NodeId{7});
  CHECK_FALSE(router_named(*mesh, "12"));
  CHECK_FALSE(router_named(*mesh, "4,0"));
  CHECK_FALSE(router_named(*mesh, "3,1,0"));
  CHECK_FALSE(router_named(*mesh, "3,"));
  CHECK(router_name(*mesh, NodeId{7}) == "3,1");
  TopologySpec named = as_graph(*mesh);
  named.graph.names[5] = "twice";
  named.graph.names[6] = "twice";
  const auto graph = build_topology(named);
  CHECK(router_named(*graph, "3,1") == NodeId{7});
  CHECK_FALSE(router_named(*graph, "twice"));
}

TEST_CASE("a text that is a number of one router and a name of another means neither") {
  const auto cube = make("hypercube", {3});
  Faults faults;
  faults.routers = {"2"};
  const auto left = build_topology(with_faults(*cube, faults));
  CHECK(router_named(*left, "1") == NodeId{1});
  CHECK_FALSE(router_named(*left, "5"));  // node 5 was 6, and what was 5 is 4
  CHECK(router_named(*left, "name:5") == NodeId{4});
  CHECK(router_named(*left, "number:5") == NodeId{5});
  CHECK(router_named(*left, "7") == NodeId{6});
  CHECK_FALSE(router_named(*left, "2"));
  CHECK_FALSE(router_named(*left, "name:2"));
  CHECK_FALSE(router_named(*left, "number:7"));
  CHECK_FALSE(router_named(*left, ""));
}

TEST_CASE("faults take out what they name and nothing else") {
  const auto mesh = make("mesh", {4, 3});
  Faults faults;
  faults.links = {"1,1,2,1", "0,4"};
  faults.routers = {"3,2"};
  const TopologySpec left = with_faults(*mesh, faults);
  CHECK(left.graph.routers == 11);
  CHECK(left.graph.links.size() == 17 - 2 - 2);
  CHECK(std::set<std::string>(left.graph.names.begin(), left.graph.names.end()).count("3,2") == 0);
  const auto graph = build_topology(left);
  for (std::uint32_t r = 0; r < graph->routers(); ++r) {
    const NodeId before = *router_named(*mesh, left.graph.names[r]);
    for (std::uint32_t p = 0; p < graph->ports(); ++p) {
      const auto to = graph->neighbour(NodeId{r}, PortId{p});
      if (to) CHECK(left.graph.names[to->value] == router_name(*mesh, *mesh->neighbour(before, PortId{p})));
    }
  }
  faults.links = {"0,6"};
  CHECK_THROWS_AS(with_faults(*mesh, faults), InputError);
}

TEST_CASE("random faults leave one piece, as many as asked for, the same for the same seed") {
  const auto torus = make("torus", {4, 4});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Faults faults;
    faults.random = seed % 18;
    faults.seed = seed;
    const TopologySpec left = with_faults(*torus, faults);
    CHECK(left.graph.links.size() == 32 - seed % 18);
    const auto graph = build_topology(left);
    for (std::uint32_t r = 0; r < 16; ++r) CHECK(graph->distance(NodeId{0}, NodeId{r}) != unreachable);
    const TopologySpec again = with_faults(*torus, faults);
    REQUIRE(again.graph.links.size() == left.graph.links.size());
    for (std::size_t k = 0; k < left.graph.links.size(); ++k)
      CHECK(again.graph.links[k].ends == left.graph.links[k].ends);
  }
  Faults faults;
  faults.random = 18;
  CHECK_THROWS_AS(with_faults(*torus, faults), InputError);
}

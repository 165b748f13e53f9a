// Lanes: the dependencies that are collected by destination and level are those of each message by itself.
// SPDX-License-Identifier: MIT
#include "deadlock/tables/table_check.hpp"

#include <doctest/doctest.h>

#include <set>

#include "topology/error.hpp"
#include "unit/deadlock/random_tables.hpp"

namespace wormcast::lane_graph_test {
namespace {

using Edges = std::set<std::pair<std::uint32_t, std::uint32_t>>;

Edges edges_of(const DependencyGraph& graph) {
  Edges edges;
  for (const Dependency& edge : graph.dependencies()) edges.insert({edge.from.value, edge.to.value});
  return edges;
}

RouterModel cut_through_model() {
  RouterModel model;
  model.cut_through = true;
  return model;
}

/// The links of a router as tables name them: channels out of it and its hosts.
std::vector<TableHop> links_of(const Topology& topology, NodeId router) {
  std::vector<TableHop> links;
  for (std::uint32_t h = 0; h < topology.hosts(); ++h)
    if (topology.router_of(HostId{h}) == router) links.push_back(~static_cast<TableHop>(h));
  for (std::uint32_t port = 0; port < topology.ports(); ++port)
    if (topology.neighbour(router, PortId{port}))
      links.push_back(static_cast<TableHop>(topology.channel(router, PortId{port}).value));
  std::sort(links.begin(), links.end());
  return links;
}

/// `tables` with an SL2VL entry for every pair of links of every router, of `lanes` lanes at random, now and
/// then none, and of pairs of hosts some levels.
ForwardingTables with_lanes(const ForwardingTables& tables, std::uint32_t lanes, bool levels,
                            Random& random) {
  const Topology& topology = tables.topology();
  ForwardingTables result(topology);
  for (std::uint32_t r = 0; r < topology.routers(); ++r) {
    RouterTable table;
    table.router = NodeId{r};
    for (std::uint32_t h = 0; h < topology.hosts(); ++h)
      table.unicast.push_back({tables.next(NodeId{r}, HostId{h}), {HostId{h}}});
    for (const auto& [name, group] : tables.groups())
      if (const auto hops = group.find(NodeId{r}); hops != group.end()) {
        table.multicast.push_back({name, hops->second});
        if (levels) table.multicast.back().service_level = std::uint8_t{3};
      }
    const std::vector<TableHop> links = links_of(topology, NodeId{r});
    for (const TableHop in : links)
      for (const TableHop out : links) {
        LevelVcs vcs{};
        for (std::uint8_t& vc : vcs)
          vc = random.below(40) == 0 ? no_lane : static_cast<std::uint8_t>(random.below(lanes));
        table.sl2vl.push_back({{in}, {out}, vcs});
      }
    for (std::uint32_t s = 0; levels && s < topology.hosts(); ++s)
      if (topology.router_of(HostId{s}) == NodeId{r})
        for (std::uint32_t d = 0; d < topology.hosts(); ++d)
          if (s != d && random.below(5) != 0)
            table.service_levels.push_back(
                {static_cast<std::uint8_t>(random.below(service_levels)), {HostId{s}}, {HostId{d}}});
    result.add(table);
  }
  return result;
}

/// One message after the other, at each of the levels it may have; true if it arrives at one.
bool add_message(const ForwardingTables& tables, const TableHops& hops, HostId from, HostId to,
                 std::uint32_t level, Edges& edges) {
  NodeId at = tables.topology().router_of(from);
  TableHop in = ~static_cast<TableHop>(from.value);
  ResourceId held = hops.from_host(from);
  for (std::uint32_t steps = 0; steps <= tables.topology().routers(); ++steps) {
    const TableHop out = tables.next(at, to);
    const std::uint8_t vc = tables.lane(in, out, level);
    if (vc == no_lane) return false;
    const ResourceId wanted = hops.out(out, vc);
    edges.insert({held.value, wanted.value});
    if (out < 0) return true;
    held = wanted;
    at = hops.leads_to(out);
    in = out ^ 1;
  }
  FAIL_CHECK("shortest ways circle");
  return false;
}

}  // namespace

/// Without causes the dependencies are the same, and where they have no cycle what is routed is, too; whether
/// that was compared.
bool same_without_causes(const ForwardingTables& tables, const DependencyGraph& graph,
                         const TableSurvey& survey) {
  DependencyGraph quick;
  const TableHops hops(tables.topology(), cut_through_model());
  const TableSurvey found = add_table_dependencies(tables, hops, OpenLevels::any, quick, false);
  CHECK(edges_of(quick) == edges_of(graph));
  CHECK(quick.resources() == graph.resources());
  CHECK(found.any_copies == survey.any_copies);
  if (!DependencyOrder(graph).acyclic()) return false;
  CHECK(found.routed == survey.routed);
  CHECK(found.unrouted.in_words(tables) == survey.unrouted.in_words(tables));
  return true;
}

TEST_CASE("dependencies of lanes are those of each message at each level it may have") {
  std::uint64_t dropped = 0;
  std::uint64_t open = 0;
  int compared = 0, acyclic = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    auto topology = irregular(seed, 3 + seed % 6);
    Random random = RandomStreams(seed, "lanes").stream(0);
    const ForwardingTables tables =
        with_lanes(random_tables(*topology, random), 1 + seed % 4, seed % 3 != 0, random);
    const TableHops hops(*topology, cut_through_model());
    Edges expected;
    std::uint64_t routed = 0;
    for (std::uint32_t s = 0; s < topology->hosts(); ++s)
      for (std::uint32_t d = 0; d < topology->hosts(); ++d) {
        if (s == d) continue;
        const auto stated = tables.level(HostId{s}, HostId{d});
        bool arrives = false;
        for (std::uint32_t level = 0; level < service_levels; ++level)
          if (!stated || *stated == level)
            arrives = add_message(tables, hops, HostId{s}, HostId{d}, level, expected) || arrives;
        routed += arrives ? 1 : 0;
        dropped += arrives ? 0 : 1;
        open += arrives && !stated ? 1 : 0;
      }
    DependencyGraph graph;
    const TableSurvey survey = add_table_dependencies(tables, hops, OpenLevels::any, graph);
    const Edges found = edges_of(graph);
    for (const auto& edge : expected) CHECK(found.contains(edge));
    CHECK(survey.routed == routed);
    if (!survey.any_copies) CHECK(found == expected);
    for (const ForwardingTables& some : {tables, random_tables(*topology, random)}) {
      DependencyGraph all;
      const TableSurvey of_all = add_table_dependencies(some, hops, OpenLevels::any, all);
      acyclic += same_without_causes(some, all, of_all) ? 1 : 0;
      ++compared;
    }
    DependencyGraph shared;
    add_table_dependencies(tables, hops, OpenLevels::every, shared);
    for (const auto& edge : edges_of(shared)) CHECK(found.contains(edge));
  }
  CHECK(acyclic > compared / 8);
  CHECK(dropped > 20);
  CHECK(open > 20);
}

}  // namespace wormcast::lane_graph_test

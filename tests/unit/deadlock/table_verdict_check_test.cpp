// Verdicts on tables: a numbering or a circle is accepted exactly where the routes one by one bear it out.
// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "checks/checked_verdict.hpp"
#include "checks/table_verdict_check.hpp"
#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/tables/table_check.hpp"
#include "multicast/table_routes.hpp"
#include "router/router_model.hpp"
#include "router/worm_footprint.hpp"
#include "unit/deadlock/random_tables.hpp"

namespace wormcast::table_verdict_check_test {

namespace {

using Edges = std::set<std::pair<ResourceId, ResourceId>>;

/// What each route that the tables make brings about, worked out from the expanded routes, and by walking
/// those that are lost or run in a circle, which are not expanded.
struct Oracle {
  std::map<std::pair<HostId, HostId>, Edges> of_route;
  std::size_t arrived = 0;
  Edges of_group;

  Oracle(const ForwardingTables& tables, const RouterModel& model) {
    const Topology& topology = tables.topology();
    const Resources resources(topology, model);
    each_table_route(tables, 32, [&](const Routes& routes) {
      DependencyGraph graph;
      graph.add(Footprint(topology, resources, model, routes.worms.front(), 1), WormCause{});
      const Request& request = routes.plan.request;
      const bool unicast = request.workload.size() == 1;
      Edges& edges = unicast ? of_route[{request.source, request.destinations.front()}] : of_group;
      for (const Dependency& edge : graph.dependencies()) edges.insert({edge.from, edge.to});
    });
    arrived = of_route.size();
    for (std::uint32_t s = 0; s < topology.hosts(); ++s)
      for (std::uint32_t d = 0; d < topology.hosts(); ++d)
        if (s != d && !of_route.contains({HostId{s}, HostId{d}}))
          walk(tables, resources, HostId{s}, HostId{d});
  }

  void walk(const ForwardingTables& tables, const Resources& resources, HostId source, HostId destination) {
    const Topology& topology = tables.topology();
    Edges& edges = of_route[{source, destination}];
    ResourceId held = resources.host_link(source);
    NodeId at = topology.router_of(source);
    while (true) {
      const TableHop hop = tables.next(at, destination);
      if (hop == ForwardingTables::no_hop) return;
      REQUIRE(hop >= 0);
      const ChannelId channel{static_cast<std::uint32_t>(hop)};
      if (!edges.insert({held, resources.network(channel, 0)}).second) return;
      held = resources.network(channel, 0);
      at = topology.ends(channel)->to;
    }
  }

  bool rises(const std::vector<ResourceId>& numbering) const {
    std::map<ResourceId, std::size_t> number;
    for (std::size_t i = 0; i < numbering.size(); ++i) number[numbering[i]] = i;
    const auto risen = [&](const Edges& edges) {
      return std::all_of(edges.begin(), edges.end(), [&](const auto& edge) {
        return number.contains(edge.first) && number.contains(edge.second) &&
               number[edge.first] < number[edge.second];
      });
    };
    return risen(of_group) && std::all_of(of_route.begin(), of_route.end(),
                                          [&](const auto& route) { return risen(route.second); });
  }
};

bool holds(const ForwardingTables& tables, const Verdict& verdict) {
  return check_table_verdict(tables, verdict).outcome == CheckedVerdict::Outcome::holds;
}

}  // namespace

TEST_CASE("a numbering of tables is accepted exactly where it rises along every route and tree") {
  int accepted = 0, refused = 0;
  std::uint64_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto topology = irregular(seed, 3 + seed % 4);
    Random random = RandomStreams(seed, "numbering").stream(0);
    const ForwardingTables whole = random_tables(*topology, random);
    const ForwardingTables tables = seed % 3 == 0 ? spoilt_tables(whole, 6, random) : whole;
    Verdict verdict = check_tables(tables, RouterModel{});
    if (verdict.answer() != Answer::safe) continue;
    const Oracle oracle(tables, verdict.model);
    CHECK(verdict.worms == oracle.arrived);
    lost += verdict.unrouted;
    CHECK(holds(tables, verdict));
    CHECK(oracle.rises(verdict.numbering()));
    const std::vector<ResourceId> numbering = verdict.numbering();
    std::vector<ResourceId>& changed = std::get<ByNumbering>(verdict.evidence).numbering;
    for (int trial = 0; trial < 60; ++trial) {
      changed = numbering;
      const std::size_t at = random.below(numbering.size());
      if (trial % 6 == 0) {
        changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(at));
      } else {  // any two, or neighbours, which few dependencies join
        const std::size_t next = (at + 1) % numbering.size();
        const std::size_t other = trial % 2 == 0 ? random.below(numbering.size()) : next;
        std::swap(changed[at], changed[other]);
      }
      const bool right = oracle.rises(verdict.numbering());
      CHECK(holds(tables, verdict) == right);
      ++(right ? accepted : refused);
    }
  }
  CHECK(accepted > 100);
  CHECK(refused > 100);
  CHECK(lost > 30);
}

TEST_CASE("tables by which nothing arrives prove nothing, and are not safe") {
  const auto topology = irregular(1, 4);
  for (const bool with_group : {false, true}) {
    ForwardingTables tables(*topology);
    RouterTable table;
    table.router = topology->router_of(HostId{0});
    std::uint32_t port = 0;
    while (!topology->neighbour(table.router, PortId{port})) ++port;
    const ChannelId away = topology->channel(table.router, PortId{port});
    table.unicast.push_back({static_cast<TableHop>(away.value), {HostId{7}}});
    if (with_group) table.multicast.push_back({"g", {~TableHop{0}}});
    tables.add(table);
    Verdict verdict = check_tables(tables, RouterModel{});
    CHECK(verdict.answer() == Answer::unknown);
    CHECK(verdict.numbering().empty());
    CHECK(check_table_verdict(tables, verdict).outcome == CheckedVerdict::Outcome::undecided);
    verdict.evidence = evidence_for(Answer::safe);
    CHECK(check_table_verdict(tables, verdict).outcome == CheckedVerdict::Outcome::refused);
  }
}

TEST_CASE("a step of a circle is accepted exactly where the route or group that it names has it") {
  int accepted = 0, refused = 0;
  std::uint64_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto topology = irregular(seed, 4 + seed % 5);
    Random random = RandomStreams(seed, "circle").stream(0);
    const ForwardingTables whole = random_tables(*topology, random);
    const ForwardingTables tables = seed % 3 == 0 ? spoilt_tables(whole, 6, random) : whole;
    Verdict verdict = check_tables(tables, RouterModel{});
    if (verdict.answer() != Answer::loop) continue;
    Oracle oracle(tables, verdict.model);
    CHECK(verdict.worms == oracle.arrived);
    lost += verdict.unrouted;
    CHECK(holds(tables, verdict));
    const std::vector<Dependency> cycle = verdict.cycle;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const std::pair edge{cycle[i].from, cycle[i].to};
      for (std::uint32_t s = 0; s < topology->hosts(); ++s)
        for (std::uint32_t d = 0; d < topology->hosts(); ++d) {
          verdict.cycle = cycle;
          verdict.cycle[i].cause = LegCause{HostId{s}, HostId{d}};
          const bool right = oracle.of_route[{HostId{s}, HostId{d}}].contains(edge);
          CHECK(holds(tables, verdict) == right);
          ++(right ? accepted : refused);
        }
      verdict.cycle = cycle;
      verdict.cycle[i].cause = GroupCause{0};
      CHECK(holds(tables, verdict) == oracle.of_group.contains(edge));
    }
  }
  CHECK(accepted > 100);
  CHECK(refused > 1000);
  CHECK(lost > 100);
}

/// A line of switches with a host each, or a ring that is taken one way; at `gap` the last host is left out.
Verdict verdict_on_row(std::uint32_t switches, bool ring, std::uint32_t gap,
                       const std::function<void(const ForwardingTables&, Verdict)>& look) {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = switches;
  for (std::uint32_t r = 0; r < switches; ++r) {
    spec.graph.hosts.push_back(r);
    if (ring || r + 1 < switches) spec.graph.links.emplace_back().ends = {r, (r + 1) % switches};
  }
  const auto topology = build_topology(spec);
  ForwardingTables tables(*topology);
  for (std::uint32_t r = 0; r < switches; ++r) {
    RouterTable table;
    table.router = NodeId{r};
    RouterTable::Unicast down{static_cast<TableHop>(2 * r) - 1, {}}, up{static_cast<TableHop>(2 * r), {}};
    for (std::uint32_t d = 0; d < switches; ++d)
      if (d != r && (r != gap || d + 1 != switches))
        (d < r && !ring ? down : up).destinations.push_back(HostId{d});
    table.unicast = {{~static_cast<TableHop>(r), {HostId{r}}}};
    for (const RouterTable::Unicast& way : {down, up})
      if (!way.destinations.empty()) table.unicast.push_back(way);
    tables.add(table);
  }
  Verdict verdict = check_tables(tables, RouterModel{});
  CHECK(holds(tables, verdict));
  look(tables, verdict);
  return verdict;
}

TEST_CASE(
    "of more hosts than a part of a search has: dependencies, pairs and numberings as counted by hand") {
  constexpr std::uint32_t switches = 1100;
  constexpr std::uint64_t pairs = std::uint64_t{switches} * (switches - 1);
  int tried = 0, refused = 0;
  const Verdict line = verdict_on_row(switches, false, switches, [&](const auto& tables, Verdict changed) {
    std::vector<ResourceId>& numbers = std::get<ByNumbering>(changed.evidence).numbering;
    for (std::size_t at = 0; at + 1 < numbers.size(); at += numbers.size() / 20) {
      std::rotate(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(at + 1), numbers.end());
      refused += holds(tables, changed) ? 0 : 1;
      ++tried;
    }
  });
  CHECK(line.answer() == Answer::safe);
  CHECK(refused == tried);
  CHECK(tried > 10);
  CHECK(line.worms == pairs);
  // Of hosts, of links that end at hosts, and of links that go on.
  CHECK(line.dependencies == (2 * switches - 2) + 2 * (switches - 1) + 2 * (switches - 2));
  const Verdict lost = verdict_on_row(switches, false, 1000, [](auto...) {});
  CHECK(lost.answer() == Answer::safe);
  CHECK(lost.unrouted == 1001);
  CHECK(lost.tables.unrouted.starts_with("1001 of 1208900 pairs of hosts are not routed (first: 0 to 1099"));
  const Verdict ring = verdict_on_row(switches, true, switches, [](auto...) {});
  CHECK(ring.answer() == Answer::loop);
  CHECK(ring.worms == pairs);
  CHECK(ring.cycle.size() == switches);
}

}  // namespace wormcast::table_verdict_check_test

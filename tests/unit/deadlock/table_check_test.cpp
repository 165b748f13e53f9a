// Forwarding tables: dependencies collected by destination are those of the routes one by one.
// SPDX-License-Identifier: MIT
#include "deadlock/tables/table_check.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>

#include "deadlock/checker/checker.hpp"
#include "deadlock/graph/dependency_graph.hpp"
#include "multicast/table_routes.hpp"
#include "router/worm_footprint.hpp"
#include "topology/error.hpp"
#include "topology/random.hpp"
#include "unit/deadlock/random_tables.hpp"

namespace wormcast::table_check_test {

TEST_CASE("dependencies of tables are those of their routes under cut-through") {
  int loops = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto topology = irregular(seed, 3 + seed % 7);
    Random random = RandomStreams(seed, "tables").stream(0);
    const ForwardingTables tables = random_tables(*topology, random);
    const Verdict verdict = check_tables(tables, RouterModel{}, {}, true);
    RouterModel model;
    model.cut_through = true;
    const Resources resources(*topology, model);
    DependencyGraph graph;
    std::uint64_t unicasts = 0;
    each_table_route(tables, 32, [&](const Routes& routes) {
      unicasts += routes.plan.request.workload.size() == 1 ? 1 : 0;
      graph.add(Footprint(*topology, resources, model, routes.worms.front(), 1), WormCause{});
    });
    std::set<std::pair<std::uint32_t, std::uint32_t>> by_route, by_table;
    for (const Dependency& edge : graph.dependencies()) by_route.insert({edge.from.value, edge.to.value});
    for (const Dependency& edge : verdict.tables.graph) by_table.insert({edge.from.value, edge.to.value});
    CHECK(by_table == by_route);
    CHECK(verdict.worms == unicasts);
    CHECK(unicasts == std::uint64_t{topology->hosts()} * (topology->hosts() - 1));
    loops += verdict.answer() == Answer::loop ? 1 : 0;
  }
  CHECK(loops > 5);
  CHECK(loops < 55);
}

TEST_CASE("several lanes without their tables are unknown, and routes that circle do not arrive") {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = 3;
  spec.graph.hosts = {0, 1, 2};
  for (const auto& ends : {std::array{0U, 1U}, {1U, 2U}, {2U, 0U}})
    spec.graph.links.emplace_back().ends = ends;
  const auto check = [&](std::uint32_t lanes, bool circle) {
    spec.virtual_channels = lanes;
    const auto topology = build_topology(spec);
    ForwardingTables tables(*topology);
    for (std::uint32_t r = 0; r < 3; ++r) {
      RouterTable table;
      table.router = NodeId{r};
      const HostId own{r}, next{(r + 1) % 3}, last{(r + 2) % 3};
      table.unicast.push_back({~static_cast<TableHop>(r), {own}});
      // Clockwise; in a circle no router delivers host 0's.
      table.unicast.push_back({static_cast<TableHop>(2 * r), {std::min(next, last), std::max(next, last)}});
      if (circle && r == 0) table.unicast.erase(table.unicast.begin());
      if (circle && r == 0)
        table.unicast.front().destinations.insert(table.unicast.front().destinations.begin(), own);
      tables.add(table);
    }
    return check_tables(tables, RouterModel{});
  };
  CHECK(check(0, false).answer() == Answer::loop);
  CHECK(check(1, false).answer() == Answer::loop);
  CHECK(check(2, false).answer() == Answer::unknown);
  CHECK(check(0, false).unrouted == 0);
  CHECK(check(0, true).unrouted == 2);
  CHECK(check(0, true).worms == 4);
}

TEST_CASE("pairs that are not routed are those that routes one by one miss, and the first is named") {
  int loops = 0, gaps = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto topology = irregular(seed, 3 + seed % 7);
    Random random = RandomStreams(seed, "holes").stream(0);
    const ForwardingTables whole = random_tables(*topology, random);
    CHECK(check_tables(whole, RouterModel{}).tables.unrouted.empty());
    ForwardingTables tables(*topology);  // the same with some hops missing and some at random
    for (std::uint32_t r = 0; r < topology->routers(); ++r) {
      RouterTable table;
      table.router = NodeId{r};
      for (std::uint32_t h = 0; h < topology->hosts(); ++h) {
        TableHop hop = whole.next(NodeId{r}, HostId{h});
        const std::uint64_t fate = random.below(12);
        if (fate == 0) continue;
        const PortId port{static_cast<std::uint32_t>(random.below(topology->ports()))};
        if (fate == 1 && topology->neighbour(NodeId{r}, port))
          hop = static_cast<TableHop>(topology->channel(NodeId{r}, port).value);
        table.unicast.push_back({hop, {HostId{h}}});
      }
      tables.add(table);
    }
    std::uint64_t routes = 0;
    const UnroutedPairs missing = each_table_route(tables, 32, [&](const Routes&) { ++routes; });
    const Verdict verdict = check_tables(tables, RouterModel{});
    CHECK(verdict.worms == routes);
    CHECK(verdict.unrouted == missing.count());
    CHECK(verdict.unrouted + routes == std::uint64_t{topology->hosts()} * (topology->hosts() - 1));
    CHECK(verdict.tables.unrouted == missing.in_words(tables));
    loops += verdict.tables.unrouted.find("loop at") != std::string::npos ? 1 : 0;
    gaps += verdict.tables.unrouted.find("no entry at") != std::string::npos ? 1 : 0;
  }
  CHECK(loops > 3);
  CHECK(gaps > 10);
}

TEST_CASE("a switch that sends its own host's packets away: the other routes by that channel count") {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = 3;
  spec.graph.hosts = {0, 0, 1, 2};
  for (const auto& ends : {std::array{0U, 1U}, {1U, 2U}, {2U, 0U}})
    spec.graph.links.emplace_back().ends = ends;
  const auto topology = build_topology(spec);
  ForwardingTables tables(*topology);
  for (std::uint32_t r = 0; r < 3; ++r) {
    RouterTable table;
    table.router = NodeId{r};
    std::vector<HostId> away;
    for (std::uint32_t h = 0; h < 4; ++h)  // clockwise, host 0 even from its own switch
      if (h == 0 || spec.graph.hosts[h] != r)
        away.push_back(HostId{h});
      else
        table.unicast.push_back({~static_cast<TableHop>(h), {HostId{h}}});
    table.unicast.push_back({static_cast<TableHop>(2 * r), away});
    tables.add(table);
  }
  const Verdict verdict = check_tables(tables, RouterModel{}, {}, true);
  CHECK(verdict.answer() == Answer::loop);
  CHECK(verdict.unrouted == 3);  // to host 0, from everyone
  CHECK(verdict.worms == 9);
  const Resources resources(*topology, verdict.model);
  for (const std::uint32_t host : {0U, 1U})
    CHECK(std::any_of(verdict.tables.graph.begin(), verdict.tables.graph.end(), [&](const Dependency& edge) {
      return edge.from == resources.host_link(HostId{host}) && edge.to == resources.network(ChannelId{0}, 0);
    }));
}

TEST_CASE("tables that no router can have are refused") {
  const auto topology = irregular(1, 4);
  const auto refused = [&](const RouterTable& table) {
    try {
      check_router_table(table, *topology);
    } catch (const InputError& error) {
      return error.field;
    }
    return std::string("accepted");
  };
  RouterTable table;
  table.unicast.push_back({0, {HostId{3}, HostId{4}}});
  CHECK(refused(table) == "accepted");
  table.unicast.push_back({0, {HostId{4}}});
  CHECK(refused(table) == "unicast");
  table.unicast[1] = {1, {HostId{5}}};  // leaves another router
  CHECK(refused(table) == "unicast[1].hop");
  table.unicast[1] = {-1, {HostId{5}}};  // consumed as another host
  CHECK(refused(table) == "unicast[1].destinations");
  table.unicast.pop_back();
  table.multicast = {{"a", {-1, 0}}, {"a", {0}}};
  CHECK(refused(table) == "multicast[1].group");
  table.multicast = {{"a", {0, -1}}};
  CHECK(refused(table) == "multicast[0].hops");
}

}  // namespace wormcast::table_check_test

// Dependencies of forwarding tables, destination by destination and switch by switch.
//
// Under cut-through switching a packet that waits holds one buffer, that of the channel it came by, so the
// dependencies of a unicast are those from each channel of its route to the next, and those of a multicast
// lead at every switch of its tree from each link of the tree to every other. A cycle is a credit loop:
// packets can wait for each other around it. InfiniBand switches drop what has waited too long at the head of
// a queue, so the loop need not last. Where service levels choose virtual channels (lane_graph.cpp), a level
// that is not stated may be any: no loop among all that there can be is safe, and a loop is certain where
// what is there at every level closes it, alone or with a message that closes one at each of its levels.
// Cost: O(switches · hosts) steps, and O(hosts²) for the check of the evidence; memory: the tables and the
// dependencies, no routes. cite: Dally, Seitz 1987; ibdmchk(1); asynchronous trees with packet buffers:
// derived here.
// SPDX-License-Identifier: MIT
#include "deadlock/tables/table_check.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <variant>

#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

constexpr const char* path_level_files = "lines of node GUID, LID and SL, or saquery's path records";
constexpr const char* sl2vl_files = "opensm-sl2vl.dump, or ibdiagnet's lines";

/// What has to be known to tell whether the cycle is there, of which some is not in `certain`.
std::string missing_levels(const ForwardingTables& tables, const TableSurvey& survey,
                           const std::vector<Dependency>& cycle, DependencyGraph& certain) {
  std::string pairs, groups;
  for (const Dependency& edge : cycle) {
    const std::size_t before = certain.size();
    certain.add(edge.from, edge.to, edge.cause);
    if (certain.size() == before) continue;
    if (const auto* pair = std::get_if<LegCause>(&edge.cause); pair != nullptr && pairs.empty())
      pairs = fmt::format(
          "the service level of {} pairs of hosts is not known (in the cycle: {} to {}): path SLs are needed "
          "({})",
          survey.open_pairs, called(tables.topology(), pair->source),
          called(tables.topology(), pair->destination), path_level_files);
    if (const auto* group = std::get_if<GroupCause>(&edge.cause); group != nullptr && groups.empty())
      groups = fmt::format(
          "the service level of {} groups is not known (in the cycle: {}): group records are needed "
          "(saquery -g)",
          survey.open_groups, std::next(tables.groups().begin(), group->group)->first);
  }
  return pairs + (pairs.empty() || groups.empty() ? "" : "; ") + groups;
}

/// For each level that the message may have a cycle that it closes with what is certain, each cycle once;
/// nothing where it closes none at some level.
std::vector<Dependency> closed_at_every_level(const ForwardingTables& tables, const TableHops& hops,
                                              const std::vector<Dependency>& certain, const Cause& message) {
  std::vector<Dependency> cycles;
  const auto same = [](const Dependency& a, const Dependency& b) { return a.from == b.from && a.to == b.to; };
  for (std::uint32_t level = 0; level < service_levels; ++level) {
    DependencyGraph graph;
    for (const Dependency& edge : certain) graph.add(edge.from, edge.to, edge.cause);
    add_message(tables, hops, message, level, graph);
    const DependencyOrder order(graph);
    if (order.acyclic()) return {};
    const std::vector<Dependency> cycle = order.shortest_cycle();
    if (std::search(cycles.begin(), cycles.end(), cycle.begin(), cycle.end(), same) == cycles.end())
      cycles.insert(cycles.end(), cycle.begin(), cycle.end());
  }
  return cycles;
}

/// The same of the first route or group without a stated level that has such cycles: of all groups, and of
/// the routes to hosts whose routes are on cycles, as far as they are looked at.
std::vector<Dependency> closed_by_one(const ForwardingTables& tables, const TableHops& hops,
                                      const DependencyGraph& graph, const DependencyOrder& order,
                                      const DependencyGraph& certain) {
  constexpr std::size_t most_messages = 1000;
  const auto on_a_cycle = [&](const auto& edge) { return order.on_a_cycle(edge.from, edge.to); };
  std::vector<Dependency> there;
  for (const DependencyGraph::Edge& edge : certain.edges())
    if (on_a_cycle(edge)) there.push_back(certain.dependency(edge));
  std::vector<Cause> open;
  std::uint32_t index = 0;
  for (const auto& [name, group] : tables.groups()) {
    if (!tables.level(name)) open.emplace_back(GroupCause{index});
    ++index;
  }
  std::set<HostId> destinations;
  for (const Dependency& edge : graph.dependencies())
    if (const auto* pair = std::get_if<LegCause>(&edge.cause); pair != nullptr && on_a_cycle(edge))
      destinations.insert(pair->destination);
  for (const HostId to : destinations)
    for (std::uint32_t s = 0; s < tables.topology().hosts() && open.size() < most_messages; ++s)
      if (HostId{s} != to && !tables.level(HostId{s}, to)) open.emplace_back(LegCause{HostId{s}, to});
  for (const Cause& message : open)
    if (auto cycles = closed_at_every_level(tables, hops, there, message); !cycles.empty()) return cycles;
  return {};
}

/// Why a cycle of tables that do not choose virtual channels is no certain loop; empty where it is one.
std::string missing_lanes(const ForwardingTables& tables) {
  if (tables.has_levels())
    return fmt::format(
        "which virtual channel a service level takes is not known: SL2VL tables are needed ({})",
        sl2vl_files);
  if (tables.topology().spec().virtual_channels > 1)
    return fmt::format(
        "which virtual channel a route takes is not known: SL2VL tables ({}) and path SLs ({}) are needed",
        sl2vl_files, path_level_files);
  return "";
}

/// The graph has a cycle: a loop, or unknown where something is missing to be certain.
void judge_cycle(const ForwardingTables& tables, const TableHops& hops, const TableSurvey& survey,
                 const DependencyGraph& graph, const DependencyOrder& order, Verdict& verdict) {
  verdict.cycle = order.shortest_cycle();
  std::string limit;
  if (!tables.has_lanes()) {
    limit = missing_lanes(tables);
  } else if (survey.open_pairs != 0 || survey.open_groups != 0) {
    DependencyGraph certain;
    add_table_dependencies(tables, hops, OpenLevels::every, certain);
    const DependencyOrder of_all(certain);
    std::vector<Dependency> cycles =
        of_all.acyclic() ? closed_by_one(tables, hops, graph, order, certain) : of_all.shortest_cycle();
    if (cycles.empty())
      limit = missing_levels(tables, survey, verdict.cycle, certain);
    else
      verdict.cycle = std::move(cycles);
  }
  verdict.evidence = ByCycle{};
  if (!limit.empty()) verdict.evidence = AtLimit{std::move(limit)};
}

}  // namespace

void require_table_network(const Topology& topology) {
  if (!topology.hosts_have_links())
    refuse("router",
           "forwarding tables are checked on networks of family graph, not on {}; check the routes that "
           "route-expand makes of them (route-expand FILE | check-deadlock)",
           topology.name());
}

Verdict check_tables(const ForwardingTables& tables, const RouterModel& model, const AnswerCheck& check,
                     bool listed) {
  const Topology& topology = tables.topology();
  require_table_network(topology);
  const TableHops hops(topology, model);
  DependencyGraph graph;
  const TableSurvey survey = add_table_dependencies(tables, hops, OpenLevels::any, graph, listed);
  const DependencyOrder order(graph);
  Verdict result;
  if (!order.acyclic() && !listed) {  // causes are asked for
    graph = {};
    result = check_tables(tables, model, check, true);
    result.tables.graph.clear();
    return result;
  }
  result.scope = tables_scope;
  result.model = model;
  result.model.cut_through = true;
  result.multicasts = tables.groups().size();
  result.worms = survey.routed;
  result.unrouted = survey.unrouted.count();
  result.tables.unrouted = survey.unrouted.in_words(tables);
  result.tables.supposes_one_lane = !tables.has_lanes() && !tables.has_levels();
  result.resources = graph.resources();
  result.dependencies = graph.size();
  for (const auto& [name, group] : tables.groups()) result.tables.groups.push_back(name);
  if (order.acyclic() && survey.routed == 0 && !survey.any_copies) {
    result.evidence = AtLimit{"nothing to check: no pair of hosts is routed on " + topology.name()};
  } else if (order.acyclic()) {
    result.evidence = ByNumbering{order.numbering()};
  } else {
    judge_cycle(tables, hops, survey, graph, order, result);
  }
  if (check) check(topology, result, &tables);
  if (listed) result.tables.graph = graph.dependencies();
  return result;
}

}  // namespace wormcast

// Dependencies of forwarding tables, destination by destination and switch by switch.
//
// Under cut-through switching a packet that waits holds one buffer, that of the channel it came by, so the
// dependencies of a unicast are those from each channel of its route to the next, and those of a multicast
// lead at every switch of its tree from each link of the tree to every other. All routes to a destination
// form a tree (or a loop): each switch is walked once for a destination, however many hosts send
// through it. A cycle is a credit loop: packets can wait for each other around it. InfiniBand switches drop
// what has waited too long at the head of a queue, so the loop need not last. Where service levels choose
// virtual channels (lane_graph.cpp), a level that is not stated may be any: no loop among all that there can
// be is safe, and a loop is certain where what is there at every level closes it, alone or with a message
// that closes one at each of its levels. Cost: O(switches · hosts) steps,
// and O(hosts²) for the check of the evidence; memory: the tables and the dependencies, no routes. cite:
// Dally, Seitz 1987; ibdmchk(1); asynchronous trees with packet buffers: derived here.
// SPDX-License-Identifier: MIT
#include "deadlock/tables/table_check.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>
#include <variant>

#include "topology/connectivity.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

class TableGraph {
 public:
  TableGraph(const ForwardingTables& tables, const TableHops& hops, DependencyGraph& graph)
      : tables_(tables),
        topology_(tables.topology()),
        hops_(hops),
        graph_(graph),
        known_(tables.topology(), 1),
        hosts_of_(tables.topology()),
        no_hops_(topology_.routers(), ForwardingTables::no_hop),
        leads_to_(topology_.routers()),
        walked_(topology_.routers()) {
    first_hop_.resize(topology_.channel_bound());
  }

  TableSurvey run() {
    if (tables_.has_unicast())
      for (std::uint32_t d = 0; d < topology_.hosts(); ++d) add_routes_to(HostId{d});
    std::uint32_t index = 0;
    for (const auto& [name, group] : tables_.groups())
      survey_.any_copies |= add_tree(tables_, hops_, group, GroupCause{index++}, every_level, graph_);
    return std::move(survey_);
  }

 private:
  static constexpr NodeId nowhere{UINT32_MAX};

  void add_routes_to(HostId destination) {
    // All hops at once: a walk then waits for nothing but this row.
    to_destination_ = tables_.hops_to(destination);
    if (to_destination_.empty()) to_destination_ = no_hops_;
    for (std::size_t r = 0; r < to_destination_.size(); ++r)
      leads_to_[r] = to_destination_[r] < 0 ? nowhere : hops_.leads_to(to_destination_[r]);
    const NodeId end = topology_.router_of(destination);
    for (std::uint32_t r = 0; r < topology_.routers(); ++r) {
      std::uint64_t sources = hosts_of_.at(NodeId{r}).size();
      if (end.value == r) --sources;
      if (sources == 0) continue;
      if (walk(NodeId{r}, destination))
        survey_.routed += sources;
      else
        survey_.unrouted.add(first_source(NodeId{r}, destination), destination, sources);
      leave_hosts(NodeId{r}, destination, end.value == r);
    }
  }

  /// From a host's link to the first channel, once for each channel: with all hosts of the switch, unless one
  /// of them is the destination, which tables may send away, too.
  void leave_hosts(NodeId router, HostId destination, bool its_own) {
    const TableHop hop = to_destination_[router.value];
    if (hop == ForwardingTables::no_hop) return;
    if (hop >= 0) {
      if (first_hop_[static_cast<std::size_t>(hop)]) return;
      first_hop_[static_cast<std::size_t>(hop)] = !its_own;
    }
    for (const HostId source : hosts_of_.at(router))
      if (source != destination)
        graph_.add(hops_.from_host(source), hops_.out(hop), LegCause{source, destination});
  }

  /// The first host of a router that sends something to `destination`.
  HostId first_source(NodeId router, HostId destination) const {
    const auto hosts = hosts_of_.at(router);
    return hosts.front() == destination && hosts.size() > 1 ? hosts[1] : hosts.front();
  }

  /// Adds the route on from `router`; true if it arrives.
  bool walk(NodeId router, HostId destination) {
    const std::uint32_t epoch = 2 * (destination.value + 1);
    path_.clear();
    bool arrives = false;
    for (NodeId at = router;; at = leads_to_[at.value]) {
      std::uint32_t& here = walked_[at.value];
      if ((here | 1U) == (epoch | 1U)) {  // known from here on, or a loop
        arrives = here != epoch;
        break;
      }
      here = epoch;
      path_.push_back(at);
      if (leads_to_[at.value] != nowhere) continue;
      arrives = to_destination_[at.value] != ForwardingTables::no_hop;
      break;
    }
    for (const NodeId at : path_) walked_[at.value] = epoch | (arrives ? 1U : 0U);
    add_turns(first_source(router, destination), destination);
    return arrives;
  }

  /// From each channel of the path to the next.
  void add_turns(HostId source, HostId destination) {
    for (const NodeId at : path_) {
      if (leads_to_[at.value] == nowhere) continue;
      const TableHop hop = to_destination_[at.value], next = to_destination_[leads_to_[at.value].value];
      if (next != ForwardingTables::no_hop && (next < 0 || known_.is_new(hop, 0, next, 0)))
        graph_.add(hops_.out(hop), hops_.out(next), LegCause{source, destination});
    }
  }

  const ForwardingTables& tables_;
  const Topology& topology_;
  const TableHops& hops_;
  DependencyGraph& graph_;
  KnownTurns known_;
  HostsByRouter hosts_of_;
  std::span<const TableHop> to_destination_;  ///< by router: its hop to the destination at hand
  const std::vector<TableHop> no_hops_;       ///< where no router has one
  std::vector<NodeId> leads_to_;              ///< by router: where that hop leads; nowhere if to no router
  /// By router: 2 · (destination + 1) of the last walk through it, and whether it arrives in the last bit.
  std::vector<std::uint32_t> walked_;
  std::vector<bool> first_hop_;  ///< by channel: routes of all hosts of its switch begin with it
  std::vector<NodeId> path_;
  TableSurvey survey_;
};

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
  const auto on_a_cycle = [&](const Dependency& edge) { return order.on_a_cycle(edge.from, edge.to); };
  std::vector<Dependency> there;
  std::copy_if(certain.dependencies().begin(), certain.dependencies().end(), std::back_inserter(there),
               on_a_cycle);
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
    add_lane_dependencies(tables, hops, OpenLevels::every, certain);
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

Verdict check_tables(const ForwardingTables& tables, const RouterModel& model, const AnswerCheck& check) {
  const Topology& topology = tables.topology();
  require_table_network(topology);
  const TableHops hops(topology, model);
  DependencyGraph graph;
  const TableSurvey survey = tables.has_lanes() ? add_lane_dependencies(tables, hops, OpenLevels::any, graph)
                                                : TableGraph(tables, hops, graph).run();
  Verdict result;
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
  const DependencyOrder order(graph);
  if (order.acyclic() && survey.routed == 0 && !survey.any_copies) {
    result.evidence = AtLimit{"nothing to check: no pair of hosts is routed on " + topology.name()};
  } else if (order.acyclic()) {
    result.evidence = ByNumbering{order.numbering()};
  } else {
    judge_cycle(tables, hops, survey, graph, order, result);
  }
  if (check) check(topology, result, &tables);
  result.tables.graph = std::move(graph).dependencies();
  return result;
}

}  // namespace wormcast

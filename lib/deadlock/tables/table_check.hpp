// Credit loops of forwarding tables: the unicast routes between all hosts, and all multicast groups.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/verdict.hpp"
#include "deadlock/worms/table_hops.hpp"
#include "router/router_model.hpp"
#include "routing/forwarding_tables.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Throws InputError, which says what to do, for networks other than graphs: their hosts have no links
/// that tables could name.
void require_table_network(const Topology& topology);

/// The verdict on the tables under cut-through switching: safe, loop, or unknown where routes could be on one
/// of several virtual channels and what chooses it is not stated, or where nothing arrives. Throws InputError
/// for networks other than graphs. Its evidence has been checked independently.
/// `check` hears of it; may be empty. `listed`: with every dependency and its first cause.
Verdict check_tables(const ForwardingTables& tables, const RouterModel& model, const AnswerCheck& check = {},
                     bool listed = false);

/// What the tables are called whose destinations and groups have service levels by which no loop is left.
inline constexpr std::string_view levels_change = "service-levels";
/// `stated`, of which `tables` are made, in this way; empty where that takes more virtual channels than the
/// topology or InfiniBand has, or a route to one host, or a group, closes a loop by itself.
std::vector<RouterTable> tables_by_level(const ForwardingTables& tables, std::vector<RouterTable> stated);
/// That, if the check of the changed tables says that no loop is left.
std::vector<Suggestion> suggest_levels(const ForwardingTables& tables, const RouterModel& model,
                                       const std::vector<RouterTable>& stated, const AnswerCheck& check);

// Dependencies of forwarding tables, whose messages may choose virtual channels by their service level.

/// Of messages whose service level is not stated.
enum class OpenLevels : std::uint8_t {
  any,   ///< all that they have at some level
  every  ///< those that they have at every level
};

/// What the collection of dependencies met.
struct TableSurvey {
  std::uint64_t routed = 0;       ///< pairs of hosts whose route arrives, at some level where none is stated
  std::uint64_t open_pairs = 0;   ///< of all, without a stated level
  std::uint64_t open_groups = 0;  ///< that lead from one link to another, without a stated level
  bool any_copies = false;        ///< some group leads from one link to another
  UnroutedPairs unrouted;

  void add(const TableSurvey& other) {
    routed += other.routed;
    open_pairs += other.open_pairs;
    open_groups += other.open_groups;
    any_copies |= other.any_copies;
    unrouted.add(other.unrouted);
  }
};

/// Adds the dependencies of a group's messages of that level (without SL2VL tables of any): what comes to a
/// switch by a link of the group leaves by all others of it, from the members on; links that no message can
/// come by bring no dependency. True if there is any way from one link to another.
bool add_tree(const ForwardingTables& tables, const TableHops& hops, const ForwardingTables::Group& group,
              const GroupCause& cause, std::uint32_t level, DependencyGraph& graph);

/// Adds those of a route (LegCause) or group by itself, at that level; such tables have SL2VL tables.
void add_message(const ForwardingTables& tables, const TableHops& hops, const Cause& cause,
                 std::uint32_t level, DependencyGraph& graph);

/// Adds the dependencies of all routes and groups of `tables`; `open` is for such as have SL2VL tables.
/// Without `causes`, which is quicker, those of routes have none, and `open_pairs` is 0; what is routed is
/// right only if the dependencies have no cycle.
TableSurvey add_table_dependencies(const ForwardingTables& tables, const TableHops& hops, OpenLevels open,
                                   DependencyGraph& graph, bool causes = true);

}  // namespace wormcast

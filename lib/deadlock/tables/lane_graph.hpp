// Dependencies of forwarding tables whose messages choose virtual channels by their service level.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/table_hops.hpp"
#include "routing/forwarding_tables.hpp"
#include "routing/unrouted.hpp"

namespace wormcast {

/// Of the dependencies of messages whose service level nobody states.
enum class OpenLevels : std::uint8_t {
  any,   ///< all that they have at some level
  every  ///< those that they have at every level
};

/// What the collection of dependencies met.
struct LaneSurvey {
  std::uint64_t routed = 0;      ///< pairs of hosts whose route arrives, at some level where none is stated
  std::uint64_t open_pairs = 0;  ///< of these, without a stated level
  std::optional<LegCause> first_open_pair;
  std::vector<std::string> open_groups;  ///< that lead from one link to another, without a stated level
  bool any_copies = false;               ///< some group leads from one link to another
  UnroutedPairs unrouted;
};

/// Adds the dependencies of all routes and groups of `tables`, which have SL2VL tables.
LaneSurvey add_lane_dependencies(const ForwardingTables& tables, const TableHops& hops, OpenLevels open,
                                 DependencyGraph& graph);

}  // namespace wormcast

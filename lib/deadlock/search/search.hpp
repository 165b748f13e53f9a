// The exact search for a set of worms that block each other for good.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "deadlock/check_options.hpp"
#include "deadlock/graph/dependency_cycles.hpp"
#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/graph/route_store.hpp"
#include "deadlock/graph/worm_footprint.hpp"
#include "deadlock/search/blocked_set.hpp"
#include "deadlock/search/exploration.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

struct DeadlockSearchResult {
  /// The set, in an order in which the worms can be started one after the other.
  std::optional<std::vector<BlockedWorm>> deadlock;
  /// Where no such order was found: the order of the single requests, with indices into the set.
  std::vector<ExploredRequest> requests;
  bool exhausted = false;  ///< everything was looked at: without a deadlock, there is none
  bool unsettled =
      false;  ///< of worms that share FIFOs, sets are left that could deadlock with others in between
  bool relations_open =
      false;  ///< of worms that wait for others to arrive, an order of starts was not settled
  std::uint64_t looked_at = 0;
};

/// Looks for a deadlock among the stored routes. `footprints` are those of the store's routes.
DeadlockSearchResult search_deadlock(const RouteStore& store, const std::vector<Footprint>& footprints,
                                     const DependencyOrder& order, const Topology& topology,
                                     const RouterModel& model, const SearchLimits& limits);

/// Worms of one component that are explored at most.
inline constexpr std::uint64_t most_queueing_worms = 8;

/// Looks for a deadlock in which some worm waits for a free resource behind others in its queue, or proves
/// that there is none. `order` is that of the graph closed over its queues.
DeadlockSearchResult search_queues(const RouteStore& store, const std::vector<Footprint>& footprints,
                                   const DependencyGraph& graph, const DependencyOrder& order,
                                   const Topology& topology, const RouterModel& model,
                                   const SearchLimits& limits);

enum class StartOrder : std::uint8_t { possible, impossible, undecided };

/// Gives each member the name of a worm of its route and sorts the set into an order in which the
/// worms can be started. `impossible` only where no choice of worms can be blocked so.
StartOrder find_start_order(std::vector<BlockedWorm>& set, const RouteStore& store,
                            const std::vector<Footprint>& footprints, const Resources& resources);

}  // namespace wormcast

// The exact search for a set of worms that block each other for good.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "deadlock/check_options.hpp"
#include "deadlock/graph/dependency_cycles.hpp"
#include "deadlock/graph/route_store.hpp"
#include "deadlock/graph/worm_footprint.hpp"
#include "deadlock/search/blocked_set.hpp"
#include "deadlock/search/exploration.hpp"
#include "topology/resources.hpp"

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

}  // namespace wormcast

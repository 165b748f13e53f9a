// The exact search for a set of worms that block each other for good.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "deadlock/graph/dependency_cycles.hpp"
#include "deadlock/graph/route_store.hpp"
#include "deadlock/graph/worm_footprint.hpp"
#include "deadlock/search/blocked_set.hpp"
#include "deadlock/search/exploration.hpp"
#include "topology/resources.hpp"

namespace wormcast {

struct SearchLimits {
  std::uint64_t partial_sets = 1'000'000;  ///< that the search looks at
  std::uint64_t states = 100'000;          ///< that an exploration of one set looks at
  /// Of all sets together.
  std::uint64_t all_states() const { return most_explorations * states; }

 private:
  static constexpr std::uint64_t most_explorations = 10;  ///< that meet their limit
};

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

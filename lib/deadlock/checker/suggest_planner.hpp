// What to change so that all multicasts of a planner can be proved free of deadlock.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "deadlock/checker/suggest.hpp"
#include "deadlock/relation_scope.hpp"
#include "multicast/planner_choice.hpp"

namespace wormcast {

/// A planner with all its multicasts, beside all unicasts of a routing function or ("") without.
struct PlannerQuestion {
  const Topology& topology;
  PlannerChoice choice;  ///< `routing`: that of its stops; empty: its default
  std::string unicast;
  CheckOptions options;
  RelationScope relation;
};

/// Every single change of a fixed list, from what is configured to what costs buffers or time, after which
/// check_all_multicasts() says `safe` or `safe-unreachable`; each with the options of check-deadlock that say
/// so. `tell` hears of each change, before it is tried and after.
std::vector<Suggestion> suggest(const PlannerQuestion& asked,
                                const std::function<void(const SuggestionTrial&)>& tell = {});

}  // namespace wormcast

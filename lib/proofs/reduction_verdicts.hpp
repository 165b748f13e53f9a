// Verdicts on all reductions that a planner can make, alone and beside all unicasts of a routing function.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "checks/checked_verdict.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/planner.hpp"
#include "multicast/planner_choice.hpp"
#include "routing/routing_function.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Reductions are planned by the routing function whose routes are those of the default run backwards, as
/// plan-multicast does, where none is named.
BoundPlanner bind_for_reductions(const PlannerChoice& choice, const Topology& topology,
                                 std::string_view routing);

/// `unicast` may be null. Throws InputError for routers of whose joins nothing is argued.
Verdict check_all_reductions(const BoundPlanner& planner, const RoutingFunction* unicast,
                             const CheckOptions& options);

inline bool speaks_of_reductions(const Verdict& verdict) {
  return verdict.scope.starts_with("all reductions of ");
}
CheckedVerdict check_reductions_verdict(const BoundPlanner& planner, const RoutingFunction* unicast,
                                        const Verdict& verdict);

}  // namespace wormcast

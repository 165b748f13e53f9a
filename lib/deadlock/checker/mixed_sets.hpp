// Deadlocks of multicasts on routes of their own together with unicasts whose routers choose.
// SPDX-License-Identifier: MIT
#pragma once

#include "deadlock/checker/checker.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/planner.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {

/// Looks for one among sets that are drawn; true if it is in `result`.
bool find_mixed_deadlock(const BoundPlanner& planner, const RoutingFunction& unicast,
                         const CheckOptions& options, Verdict& result);

}  // namespace wormcast

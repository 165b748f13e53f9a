// Verdicts on a planner and a routing function as such: every multicast they can produce.
// SPDX-License-Identifier: MIT
#pragma once

#include "deadlock/checker/checker.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/planner.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {

/// Every source and destination set on the planner's topology, any number at once, of any length;
/// `unicast`: together with unicasts between all pairs by that routing function (null: without).
/// Throws InputError where the planner does not say what it can produce, and for a length beside headers
/// whose length depends on the multicast.
/// Where routers choose, or `relation` says something, it is check_all_relations() that answers.
Verdict check_all_multicasts(const BoundPlanner& planner, const RoutingFunction* unicast,
                             const CheckOptions& options, const RelationScope& relation = {});

}  // namespace wormcast

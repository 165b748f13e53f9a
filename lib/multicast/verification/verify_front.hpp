// The check of a front of optimal stars.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/plan.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {

/// Points get longer and cheaper one after the other, each with its worms, and none is beaten by the plan
/// itself. Throws Violation.
void check_front_order(const Plan& plan);

/// True if the front of a plan whose certificate is valid lacks no point; false where that is not settled:
/// no certificate, or too many states. Throws Violation if a better star exists.
bool front_is_complete(const Plan& plan, const RoutingFunction& routing);

}  // namespace wormcast

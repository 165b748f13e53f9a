// The whole trade-off of a multicast's stars between longest path and traffic.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "multicast/plan.hpp"
#include "multicast/planner.hpp"

namespace wormcast {

/// What planners of optimal label-ordered stars have as Planner::front. Throws InputError for stars with
/// other rules (--edge-disjoint, --worms-a-port any) and where a search for a point stops at its limit.
std::vector<FrontPoint> front_of_stars(const PlanningContext& context, const Request& request);

/// Every star that no other one beats in both longest path and traffic, shortest path first. Throws
/// InputError for planners that have no front, and as front_of_stars.
std::vector<FrontPoint> front_of(const BoundPlanner& bound, const Request& request);

}  // namespace wormcast

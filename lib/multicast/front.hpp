// The whole trade-off of a multicast's stars between longest path and traffic.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "multicast/plan.hpp"
#include "multicast/planner.hpp"

namespace wormcast {

/// Every star that no other one beats in both longest path and traffic, shortest path first. `bound`
/// is an ocms or otms planner without --edge-disjoint; throws InputError for others.
std::vector<FrontPoint> front_of(const BoundPlanner& bound, const Request& request);

}  // namespace wormcast

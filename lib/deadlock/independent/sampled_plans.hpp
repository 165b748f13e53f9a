// Plans of a planner for chosen and for random multicasts, with their routes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "deadlock/multicast_set.hpp"
#include "multicast/planner.hpp"
#include "multicast/routes.hpp"
#include "topology/router_model.hpp"

namespace wormcast {

/// The routes of one multicast each, with ids that count from 0; sets that the planner refuses (`unicast`:
/// more than one destination), and ways that its routing function does not go, are passed over.
std::vector<Routes> plan_all(const BoundPlanner& planner, const MulticastSet& requests);

/// Why random plans cannot be right if worms of `flits` take what they hold and wait for in the order of
/// `numbering`, by code that knows no legs; "" if they can. Half of the multicasts are random, half of
/// destinations near their source. The same sample each time.
std::string refuse_by_plans(const BoundPlanner& planner, const RouterModel& model, std::uint64_t flits,
                            const std::vector<ResourceId>& numbering);

}  // namespace wormcast

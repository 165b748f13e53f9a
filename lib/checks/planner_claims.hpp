// Whether the legs that a planner declares are all of its worms: by samples of plans.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "multicast/planner_choice.hpp"
#include "router/router_model.hpp"
#include "topology/ids.hpp"

namespace wormcast {

/// Why random plans cannot be right if worms of `flits` take what they hold and wait for in the order of
/// `numbering`, by code that knows no legs; "" if they can. Half of the multicasts are random, half of
/// destinations near their source. The same sample each time.
std::string refuse_by_plans(const BoundPlanner& planner, const RouterModel& model, std::uint64_t flits,
                            const std::vector<ResourceId>& numbering);

}  // namespace wormcast

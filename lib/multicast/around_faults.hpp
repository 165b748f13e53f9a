// Worms of planners by dimension order on grids where links have failed.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "multicast/legs.hpp"
#include "multicast/plan.hpp"
#include "multicast/planner.hpp"

namespace wormcast {

/// Cuts what the routes to its stops do not reach directly (RoutingFunction::direct()) off each worm, as a
/// worm of its own from the same source, whose first leg goes around. One that would then take a channel
/// twice, or turn back, becomes unicasts.
void cut_at_faults(const RoutingFunction& routing, std::vector<Worm>& worms);

/// Whether no leg of the worm goes around.
bool reached_directly(const RoutingFunction& routing, const Worm& worm);

/// More than any worms on a grid ask for: unicasts to all, and on every virtual channel every turn but back,
/// and all outputs of a router together.
void legs_of_any_worms(const PlanningContext& context, LegSink& sink);

/// Planner::legs, of worms that have been cut. Trees: more than any trees produce.
void legs_of_planner(const PlanningContext& context, LegSink& sink);

}  // namespace wormcast

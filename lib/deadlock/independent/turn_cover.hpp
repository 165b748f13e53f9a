// Planners that say all turns of their worms: whether these are all that an adaptive function lets worms
// take.
// SPDX-License-Identifier: MIT
#pragma once

#include "deadlock/relation_scope.hpp"
#include "multicast/planner.hpp"
#include "routing/routing_function.hpp"
#include "topology/router_model.hpp"

namespace wormcast {

/// True if the planner gives its legs as turns (LegSink::start, turn), and every hop that its adaptive
/// function offers, from any source and after any stops, is one of them; so too of `unicast` (nullptr: none),
/// if that is adaptive. One that is not has one virtual channel. What is then shown of channels by the turns
/// holds of all their virtual channels, whichever routers choose.
bool turns_cover_choices(const BoundPlanner& planner, const RoutingFunction* unicast);
/// Whether the planner's worms are judged by their turns, as routers copy that route worms.
bool judged_by_turns(const BoundPlanner& planner, const RoutingFunction* unicast, const RouterModel& model,
                     const RelationScope& relation);

}  // namespace wormcast

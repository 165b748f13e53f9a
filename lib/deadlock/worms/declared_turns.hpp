// Whether the turns that a planner declares are all that routers choose among.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/planner_choice.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {

/// True if the planner gives its legs as turns (LegSink::start, turn), and every hop that its adaptive
/// function offers, from any source and after any stops, is one of them; so too of `unicast` (nullptr: none),
/// if that is adaptive. One that is not has one virtual channel. What is then shown of channels by the turns
/// holds of all their virtual channels, whichever routers choose.
bool turns_cover_choices(const BoundPlanner& planner, const RoutingFunction* unicast);

}  // namespace wormcast

// Whether routes can be simulated under a router model.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/routes.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Throws InputError for a worm of routes that check_routes() accepts if it would take one resource of
/// the model twice (the consumption channel of a node, say, where there is one for all inputs).
void check_simulable(const Topology& topology, const RouterModel& model, const Routes& routes);

}  // namespace wormcast

// Whether routes can be simulated: a second look at what any program may have written.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/routes.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Throws InputError unless every worm is a tree of connected channels that ends in consumption
/// channels, no worm uses a resource twice, a worm starts at the multicast's source or where the worm
/// it is `after` is consumed, and each destination is reached exactly once.
void check_routes(const Topology& topology, const RouterModel& model, const Routes& routes);

}  // namespace wormcast

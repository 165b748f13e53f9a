// Whether routes can be simulated under a router model.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "multicast/routes.hpp"
#include "topology/resources.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// What the worms of routes ask for.
struct RouteNeeds {
  std::uint32_t consumption_hops = 0;  ///< consumption channels that they take
  Cycle latest_request = 0;            ///< the latest cycle that a request is held back to
};

/// Throws InputError for a worm of routes that check_routes() accepts if it would take one resource of
/// the model twice (the consumption channel of a node, say, where there is one for all inputs), and for
/// routes whose worms are routed on the way.
RouteNeeds check_simulable(const Resources& resources, const Routes& routes);

}  // namespace wormcast

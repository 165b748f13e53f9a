// Routes: those of every worm of one multicast.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "multicast/plan.hpp"
#include "router/worm_route.hpp"

namespace wormcast {

/// The routes of one multicast, or of a reduction: those of the multicast that it is backwards, each channel
/// being the one that leads back to the root. Its hops stand from the root outwards: what a hop is the parent
/// of comes before it, and a consumption hop is where a part starts. Imported routes have no plan: then
/// `plan` holds only the request and has no worms. Under an adaptive routing function the worms have no hops:
/// routers choose them on the way to the stops of the plan's worms.
struct Routes {
  Plan plan;
  std::vector<WormRoute> worms;

  /// True if no worm has hops (all of a multicast are alike).
  bool routed_on_the_way() const { return !worms.empty() && worms.front().hops.empty(); }
};

class RoutingFunction;
/// The routes of one plan, by a fresh Expander (multicast/expansion/expand.hpp).
Routes expand(Plan plan, const RoutingFunction& routing);

}  // namespace wormcast

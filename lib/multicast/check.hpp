// Structural checks of plans and routes that come from outside: what every consumer may rely on.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/plan.hpp"
#include "multicast/request.hpp"
#include "multicast/routes.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Throws InputError unless destinations are sorted, distinct, not empty, and free of the source
/// (a self-send excepted), and no multicast depends on itself.
void check_request(const Request& request);

/// Throws InputError (field "worms[i].stops[j]" …) unless every worm has stops whose parents come
/// before them, an existing first port, a source that holds the message by then, and all worms
/// together deliver to each destination exactly once and to nobody else.
void check_plan(const Plan& plan, const Topology& topology);

/// The same for routes: every worm's hops are chains of existing channels that end in consumption
/// channels, no worm uses a (channel, VC) twice, and each destination is delivered to exactly once. Worms
/// that are routed on the way are chains of stops, of an adaptive routing function, and all alike.
void check_routes(const Routes& routes, const Topology& topology);

/// Throws InputError for routes whose worms are routed on the way; `else_do` ends the sentence with who can
/// take them, or what can be done.
void require_hops(const Routes& routes, const char* else_do);

/// Where virtual channels share a link that passes one flit at a time: throws InputError for a lock-step worm
/// that would copy itself into two of them, which would have to pass together.
void check_links_once(const Topology& topology, const Routes& routes);

}  // namespace wormcast

// The routes that forwarding tables make: every pair of hosts, every sender of every multicast group.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "multicast/routes.hpp"
#include "routing/forwarding_tables.hpp"

namespace wormcast {

/// Calls visit(routes) for every pair of hosts whose route arrives, by source and destination, then for
/// every member of every group, to all others of it, each of `length_flits`. Ids count from 0, all start in
/// cycle 0. Returns the pairs of hosts that were left out; none where the tables say nothing of unicasts.
/// Throws InputError ("multicast") where a group's links form a circle, and where SL2VL tables choose
/// virtual channels by a service level that is not stated.
UnroutedPairs each_table_route(const ForwardingTables& tables, std::uint64_t length_flits,
                               const std::function<void(const Routes&)>& visit);

/// The routes of a request: the tree of a group of just its hosts, or else a worm to each destination.
/// Nothing where one does not arrive.
std::optional<Routes> table_route(const ForwardingTables& tables, const Request& request);

}  // namespace wormcast

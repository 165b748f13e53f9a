// Worms run flit by flit by the plain rules of routers (deadlock/plain, which the search's exploration asks,
// too): in a given order of starts, or in all orders of requests. Witnesses, and deadlocks that are said to
// be unreachable, are checked by it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "deadlock/plain/plain_worm.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// True if worms that start one after the other, each when those before have come to rest, and that make the
/// requests of their hops in `late` (by worm) only when all are in place, stand still for good.
bool stands_still_in_turn(const Topology& topology, const RouterModel& model,
                          const std::vector<ExploredWorm>& worms,
                          const std::vector<std::vector<std::int32_t>>& late);

struct AllOrders {
  bool deadlock = false;   ///< some order of requests ends in one
  bool exhausted = false;  ///< every order has been followed to its end
};

/// Follows every order of requests, until one ends in a deadlock or `limit` states have been looked at.
AllOrders try_all_orders(const Topology& topology, const RouterModel& model,
                         const std::vector<ExploredWorm>& worms, std::uint64_t limit);

}  // namespace wormcast

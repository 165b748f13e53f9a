// What verdicts say of reductions: the order in which worms wait for each other, and cycles of it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checks/witness_runs.hpp"
#include "deadlock/verdict.hpp"
#include "deadlock/worms/joined_worms.hpp"

namespace wormcast {

/// Why the order does not exclude deadlock; empty: it does.
std::string refuse_join_order(const JoinedWorms& worms, const std::vector<WormCause>& order);
/// Why no worm waits so; an empty cycle is none where the order would not prove anything.
std::string refuse_join_cycle(const JoinedWorms& worms, const std::vector<Dependency>& cycle);

/// Follows every order of grants of routers that join by request, until `limit` states have been looked at.
AllOrders try_all_grants(const JoinedWorms& worms, const RouterModel& model, std::uint64_t limit);

}  // namespace wormcast

// What verdicts say of reductions: the order in which worms wait for each other, and cycles of it.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "deadlock/verdict.hpp"
#include "deadlock/worms/joined_worms.hpp"

namespace wormcast {

/// Why the order does not exclude deadlock; empty: it does.
std::string refuse_join_order(const JoinedWorms& worms, const std::vector<WormCause>& order);
/// Why no worm waits so; an empty cycle is none where the order would not prove anything.
std::string refuse_join_cycle(const JoinedWorms& worms, const std::vector<Dependency>& cycle);

}  // namespace wormcast

// Whether a set of blocked worms can be reached by starting its worms one after the other.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "deadlock/search/search.hpp"

namespace wormcast {

enum class StartOrder : std::uint8_t { possible, impossible, undecided };

/// Gives each member the name of a worm of its route and sorts the set into an order in which the
/// worms can be started. `impossible` only where no choice of worms can be blocked so.
StartOrder find_start_order(std::vector<BlockedWorm>& set, const RouteStore& store,
                            const std::vector<Footprint>& footprints, const Resources& resources);

}  // namespace wormcast

// Optimal edge-disjoint stars for any number of ports, on small instances.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "multicast/star_cost.hpp"
#include "multicast/star_half.hpp"

namespace wormcast {

/// The best star whose paths share no channel and have at most `limit` hops each, which must exist.
/// Throws InputError when more than `state_limit` states would be needed.
CostedStar disjoint_sweep(StarHalf& half, Goal goal, std::int64_t limit, std::uint64_t state_limit);

}  // namespace wormcast

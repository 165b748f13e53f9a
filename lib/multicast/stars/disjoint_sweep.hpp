// Optimal edge-disjoint stars for any number of ports, on small instances.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "multicast/building_blocks/star_cost.hpp"
#include "multicast/building_blocks/star_half.hpp"
#include "multicast/stars/star_search.hpp"

namespace wormcast {

/// The best star whose paths share no channel and have at most `limit` hops each; `known` is one of them,
/// and returned (not exact) where more than `state_limit` states and legs would have to be tried. `bound`:
/// what no such star is below.
SearchResult disjoint_sweep(StarHalf& half, Goal goal, std::int64_t limit, const CostedStar& known,
                            const StarCost& bound, std::uint64_t state_limit);
/// The best star of one path: there is always one, and it shares no channel with another.
CostedStar single_path(const StarHalf& half);

}  // namespace wormcast

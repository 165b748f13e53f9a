// Optimal stars of two paths that share no channel.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/building_blocks/star_cost.hpp"
#include "multicast/building_blocks/star_half.hpp"

namespace wormcast {

/// The best star of a half with at most two ports whose paths share no channel. `bound` is a lower
/// bound on its first criterion: the optimum without the disjointness. There always is a star: the
/// single path.
CostedStar disjoint_pair(StarHalf& half, Goal goal, std::int64_t bound);

/// The one of least traffic among those whose longest path has at most `limit` hops; `known` is one of
/// them, `bound` a lower bound on the traffic.
CostedStar disjoint_pair_within(StarHalf& half, std::int64_t limit, const CostedStar& known,
                                std::int64_t bound);

/// True if no two paths of the star share a channel.
bool is_disjoint(const StarHalf& half, const Star& star);

}  // namespace wormcast

// A better star from a star, by local search.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/building_blocks/star_cost.hpp"
#include "multicast/building_blocks/star_legs.hpp"

namespace wormcast {

/// A star of the same destinations whose (longest path, traffic) is not above that of `star`: none of the
/// changes looked at makes it smaller, or their number reached a limit. The same for the same input.
CostedStar exchanged(const StarLegs& legs, const Star& star);
/// The same by changes that cost no traffic: neither criterion is above that of `star`.
CostedStar shortened(const StarLegs& legs, const Star& star);

}  // namespace wormcast

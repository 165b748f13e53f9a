// The report's own method for the least longest path, a table over ends and lengths: what the planners'
// methods are compared with.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/building_blocks/star_cost.hpp"
#include "multicast/building_blocks/star_half.hpp"

namespace wormcast {

/// The best star of a half with at most two ports by the report's table, corrected.
CostedStar star_by_table(StarHalf& half, Goal goal);

}  // namespace wormcast

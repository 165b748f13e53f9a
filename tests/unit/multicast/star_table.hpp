// The report's own method for the least longest path: a table over ends and lengths.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/building_blocks/star_cost.hpp"
#include "multicast/building_blocks/star_half.hpp"

namespace wormcast {

/// The best star of a half with at most two ports by the report's table, corrected. Throws InputError
/// for more ports and where the table would take more than 1 GiB.
CostedStar star_by_table(StarHalf& half, Goal goal);

}  // namespace wormcast

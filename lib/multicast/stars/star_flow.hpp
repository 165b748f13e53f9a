// Stars of least traffic on any labelled graph, for any number of ports.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/building_blocks/star_half.hpp"
#include "multicast/stars/unlimited_star.hpp"
#include "multicast/stars/up_down_star.hpp"

namespace wormcast {

/// The star of least traffic; O(ports · k²) time.
Star least_traffic_flow(StarHalf& half);
/// The same without port limits, of the fewest paths; O(paths · k²) time.
Star least_traffic_flow(const UnlimitedStar& legs);
/// The same of up*/down* path worms, of which there must be a star.
Star least_traffic_flow(const UpDownStar& legs);

}  // namespace wormcast

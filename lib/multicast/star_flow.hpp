// Stars of least traffic on any labelled graph, for any number of ports.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/star_half.hpp"

namespace wormcast {

/// The star of least traffic; O(ports · k²) time.
Star least_traffic_flow(StarHalf& half);

}  // namespace wormcast

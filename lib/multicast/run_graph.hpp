// Stars of least traffic on the two-dimensional snake in linear time.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/plane_half.hpp"

namespace wormcast {

/// The star of least traffic of a half on the two-dimensional snake; O(k) time and memory.
Star least_traffic_plane(const PlaneHalf& half);

}  // namespace wormcast

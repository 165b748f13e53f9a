// The report's own method for least traffic: a minimum-weight perfect matching.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/star_half.hpp"

namespace wormcast {

/// The star of least traffic by the assignment method on the report's bipartite graph; O((k + P)³).
Star least_traffic_matching(StarHalf& half);

}  // namespace wormcast

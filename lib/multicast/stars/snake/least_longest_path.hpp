// Stars of least longest path on the two-dimensional snake.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "multicast/building_blocks/star_cost.hpp"
#include "multicast/stars/snake/plane_half.hpp"

namespace wormcast {

/// The events that a pass keeps, 8 bytes each, before it drops those that lead nowhere.
constexpr std::size_t kept_events = std::size_t{1} << 22;

/// The star of a half on the two-dimensional snake whose longest path is least, of least traffic
/// among those.
CostedStar balanced_plane(const PlaneHalf& half, std::size_t keep = kept_events);

/// The star of least traffic among those whose longest path has at most `limit` hops (shortest
/// longest path among those); nothing if there is none.
std::optional<CostedStar> least_traffic_within(const PlaneHalf& half, std::int64_t limit,
                                               std::size_t keep = kept_events);

}  // namespace wormcast

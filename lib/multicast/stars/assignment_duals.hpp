// Dual values of a least-traffic star: the proof that none is cheaper.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "multicast/building_blocks/star_half.hpp"
#include "multicast/stars/snake/plane_half.hpp"

namespace wormcast {

/// A price for visiting each destination and a rent for each predecessor (ports first, then
/// destinations) such that price[j] − rent[b] <= cost(b, j) and rent >= 0. Every star costs at least
/// Σ price − Σ rent.
struct AssignmentDuals {
  std::vector<std::int64_t> price;
  std::vector<std::int64_t> rent;

  std::int64_t bound() const;
};

/// Duals whose bound equals the cost of `star`, which must be of least traffic.
AssignmentDuals duals_of(const StarLegs& legs, const Star& star);

/// The same for a half on the two-dimensional snake, from the distances in its run graph; O(k).
AssignmentDuals duals_of_plane(const StarHalf& half, const PlaneHalf& plane);

}  // namespace wormcast

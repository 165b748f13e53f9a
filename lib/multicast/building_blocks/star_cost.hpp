// What a star costs.
// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>

#include "multicast/building_blocks/star_half.hpp"

namespace wormcast {

/// Hops; compared longest path first.
struct StarCost {
  std::int64_t longest = 0;
  std::int64_t traffic = 0;
  friend auto operator<=>(const StarCost&, const StarCost&) = default;
};

/// Which of the two is minimised first.
enum class Goal : std::uint8_t { longest_first, traffic_first };

constexpr bool better(const StarCost& a, const StarCost& b, Goal goal) {
  if (goal == Goal::longest_first) return a < b;
  return a.traffic != b.traffic ? a.traffic < b.traffic : a.longest < b.longest;
}

struct CostedStar {
  Star star;
  StarCost cost;
};

/// Adds up the legs of a star.
StarCost cost_of(const StarLegs& legs, const Star& star);
/// The star with what it costs.
CostedStar costed(const StarLegs& legs, Star star);

}  // namespace wormcast

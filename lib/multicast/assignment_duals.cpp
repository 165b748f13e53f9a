// Duals by shortest distances in the residual graph of the optimal assignment.
//
// Complementary slackness asks for price[j] − rent[b] = cost(b, j) where b precedes j, and rent 0 for
// every b that precedes nothing. Distances from the unmatched predecessors (0) over arcs b → j of
// weight cost and j → its predecessor of weight −cost satisfy all of it, as an optimal assignment
// has no negative cycle; predecessors that cannot be reached start at a distance beyond all others.
// Rounds of relaxation go through the destinations in order, the direction of all arcs but the
// matched ones, so few rounds are needed.
// Cost: O(k²) a round. cite: Ahuja, Magnanti, Orlin 1993, chapter 9.
// SPDX-License-Identifier: MIT
#include "multicast/assignment_duals.hpp"

#include <algorithm>
#include <numeric>

namespace wormcast {

std::int64_t AssignmentDuals::bound() const {
  return std::accumulate(price.begin(), price.end(), std::int64_t{0}) -
         std::accumulate(rent.begin(), rent.end(), std::int64_t{0});
}

AssignmentDuals duals_of(const StarHalf& half, const Star& star) {
  const std::size_t k = half.size();
  const std::size_t ports = half.ports().size();
  const auto cost = [&](std::size_t b, std::size_t j) -> std::int64_t {
    return b < ports ? half.first(b, j) : half.leg(b - ports, j);
  };
  std::vector<std::size_t> before(k);
  std::vector<bool> matched(ports + k, false);
  std::int64_t beyond = 1;
  for (const StarPath& path : star) {
    std::size_t last = path.port;
    for (const std::uint32_t stop : path.stops) {
      before[stop] = last;
      matched[last] = true;
      beyond += cost(last, stop);
      last = ports + stop;
    }
  }
  AssignmentDuals duals;
  duals.rent.assign(ports + k, 0);
  for (std::size_t b = 0; b < ports + k; ++b)
    if (matched[b]) duals.rent[b] = 2 * beyond;
  duals.price.assign(k, 4 * beyond);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t j = 0; j < k; ++j) {
      std::int64_t price = duals.price[j];
      for (std::size_t b = 0; b < ports + j; ++b) {
        if (b < ports && half.first(b, j) == StarHalf::no_leg) continue;
        price = std::min(price, duals.rent[b] + cost(b, j));
      }
      if (price < duals.price[j]) {
        duals.price[j] = price;
        changed = true;
      }
      std::int64_t& rent = duals.rent[before[j]];
      const std::int64_t matched_rent = price - cost(before[j], j);
      if (matched_rent < rent) {
        rent = matched_rent;
        changed = true;
      }
    }
  }
  return duals;
}

}  // namespace wormcast

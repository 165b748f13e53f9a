// Duals by shortest distances in the residual graph of the optimal assignment.
//
// Complementary slackness asks for price[j] − rent[b] = cost(b, j) where b precedes j, and rent 0 for
// every b that precedes nothing. Distances from the unmatched predecessors (0) over arcs b → j of
// weight cost and j → its predecessor of weight −cost satisfy all of it, as an optimal assignment
// has no negative cycle; predecessors that cannot be reached start at a distance beyond all others.
// Rounds of relaxation go through the destinations in order, the direction of all arcs but the
// matched ones, so few rounds are needed.
// On the two-dimensional snake the distances G_i in the run graph are these values up to a constant:
// rent[i] = G_i − min(0, min G), price[i+1] = rent[i] + d(i, i+1), the waiting port's rent −min(0, min
// G). Destinations that only the single path can reach get rents beyond all others, falling along it.
// Cost: O(k²) a round; O(k) on the snake. cite: Ahuja, Magnanti, Orlin 1993, chapter 9.
// SPDX-License-Identifier: MIT
#include "multicast/stars/star_search.hpp"

#include <numeric>

namespace wormcast {

std::int64_t AssignmentDuals::bound() const {
  return std::accumulate(price.begin(), price.end(), std::int64_t{0}) -
         std::accumulate(rent.begin(), rent.end(), std::int64_t{0});
}

AssignmentDuals duals_of(const StarLegs& legs, const Star& star) {
  const std::size_t k = legs.size();
  const std::size_t ports = legs.port_count();
  const auto cost = [&](std::size_t b, std::size_t j) -> std::int64_t {
    return b < ports ? legs.first(b, j) : legs.leg(b - ports, j);
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
        const std::int64_t hops = cost(b, j);
        if (hops != StarLegs::no_leg) price = std::min(price, duals.rent[b] + hops);
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

AssignmentDuals duals_of_plane(const StarHalf& half, const PlaneHalf& plane) {
  const std::size_t k = plane.x.size();
  const std::size_t ports = half.ports().size();
  AssignmentDuals duals;
  duals.price.assign(k, 0);
  duals.rent.assign(ports + k, 0);
  std::size_t active = plane.single_port;
  std::size_t free_from = k - 1;  // destinations from here on have distances in the run graph
  std::int64_t highest = 0;
  if (!plane.starts.empty()) {
    const PlaneRuns runs = least_traffic_runs(plane, RunGains::wanted);
    const PlaneStart& base = plane.starts[runs.base];
    active = base.active_port;
    free_from = plane.first_jump - 1;
    duals.rent[base.idle_port] = -runs.gain;
    for (std::size_t i = free_from; i + 1 < k; ++i) {
      duals.rent[ports + i] = runs.gains[i - free_from] - runs.gain;
      duals.price[i + 1] = duals.rent[ports + i] + plane.leg(i, i + 1);
      highest = std::max(highest, duals.price[i + 1]);
    }
    if (plane.starts.size() > 1) {
      // Either path may take destination 0: its price is what the waiting port asks.
      const PlaneStart& other = plane.starts[1 - runs.base];
      duals.price[0] = other.first_leg - runs.gain;
      duals.rent[active] = duals.price[0] - base.first_leg;
      return duals;
    }
  }
  std::int64_t along = 0;
  for (std::size_t i = 0; i <= free_from && i < k; ++i)
    along += i == 0 ? half.first(active, 0) : plane.leg(i - 1, i);
  duals.price[0] = highest + along;
  duals.rent[active] = duals.price[0] - half.first(active, 0);
  for (std::size_t i = 0; i < free_from; ++i) {
    duals.rent[ports + i] = duals.rent[i == 0 ? active : ports + i - 1] - plane.leg(i, i + 1);
    duals.price[i + 1] = duals.rent[ports + i] + plane.leg(i, i + 1);
  }
  return duals;
}

}  // namespace wormcast

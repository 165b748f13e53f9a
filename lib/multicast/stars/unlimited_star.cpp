// The least traffic that label-ordered paths can have at all.
//
// Without port limits a star is a path cover: each destination is the first of a path, at the hops of its
// shortest first leg, or follows an earlier one, each of which precedes at most one. That is the report's
// assignment with as many copies of the source as there are destinations, all alike; minimum-cost flow
// (star_flow) brings in one more path as long as that gains. Paths of one port take turns at its channel,
// so such stars trade time for channels. Still label-monotone, so deadlock-free.
// Cost: O(paths · k²). cite: Bouchitté, Cohen, Fleury 1997, section 3 (the assignment).
// SPDX-License-Identifier: MIT
#include "multicast/stars/star_flow.hpp"

#include <utility>

namespace wormcast {

UnlimitedStar::UnlimitedStar(const StarHalf& half)
    : half_(&half), first_(half.size(), no_leg), best_port_(half.size(), 0) {
  for (std::size_t p = 0; p < half.ports().size(); ++p)
    for (std::size_t j = 0; j < half.size(); ++j) {
      const std::uint32_t hops = half.first(p, j);
      if (hops >= first_[j]) continue;
      first_[j] = hops;
      best_port_[j] = p;
    }
}

Star UnlimitedStar::with_ports(Star star) const {
  for (StarPath& path : star) path.port = best_port_[path.stops.front()];
  return star;
}

}  // namespace wormcast

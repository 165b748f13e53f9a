// What is proven of a star whose search stopped at its limit.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "multicast/plan.hpp"
#include "multicast/stars/star_search.hpp"

namespace wormcast {

/// Collects what the halves of a multicast have and what is proven, criterion by criterion, and states the
/// bounds that they are above: the criteria that stayed open.
class StarBounds {
 public:
  void longest(const SearchResult& half) {
    best_.longest = std::max(best_.longest, half.best.cost.longest);
    proven_.longest = std::max(proven_.longest, proven(half).longest);
  }
  void traffic(const SearchResult& half) {
    best_.traffic += half.best.cost.traffic;
    proven_.traffic += proven(half).traffic;
  }
  /// Nothing where all was proven.
  void state(PlanFacts& facts) const {
    if (proven_.longest < best_.longest) facts.emplace_back("star_longest_bound_hops", proven_.longest);
    if (proven_.traffic < best_.traffic) facts.emplace_back("star_traffic_bound_channels", proven_.traffic);
  }

 private:
  static const StarCost& proven(const SearchResult& half) { return half.exact ? half.best.cost : half.bound; }

  StarCost best_;
  StarCost proven_;
};

}  // namespace wormcast

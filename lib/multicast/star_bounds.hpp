// What is proven of a star whose search stopped at its limit.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "multicast/plan.hpp"
#include "multicast/star_search.hpp"

namespace wormcast {

/// Collects the bounds of the halves of a multicast, and states the criteria that stayed open.
class StarBounds {
 public:
  void longest(const SearchResult& half) {
    longest_ = std::max(longest_, half.bound.longest);
    longest_open_ = longest_open_ || !half.exact;
  }
  void traffic(const SearchResult& half) {
    traffic_ += half.bound.traffic;
    traffic_open_ = traffic_open_ || !half.exact;
  }
  /// Nothing where all was proven.
  void state(PlanFacts& facts) const {
    if (longest_open_) facts.emplace_back("star_longest_bound_hops", longest_);
    if (traffic_open_) facts.emplace_back("star_traffic_bound_channels", traffic_);
  }

 private:
  std::int64_t longest_ = 0;
  std::int64_t traffic_ = 0;
  bool longest_open_ = false;
  bool traffic_open_ = false;
};

}  // namespace wormcast

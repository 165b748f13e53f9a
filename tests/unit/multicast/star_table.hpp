// OTMS as the report computes it: dynamic programming over (ends, lengths), with its misprints mended.
//
// After destination i one path ends there, the other at an earlier destination j or still at the
// source. The report's table says for every (i, j, length, length) whether a star reaches it; here the
// second length is replaced by its minimum, and every entry remembers the one it came from, so that
// the star can be read off. Mended: i runs from the first destination and j from the source; lengths
// run to N − 1, the longest label-monotone path; legs that the first-hop rule forbids are skipped.
// Cost: O(k² N) time and memory. cite: Bouchitté, Cohen, Fleury 1997, section 4, algorithm 2.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "multicast/building_blocks/star_half.hpp"

namespace wormcast::testing {

inline constexpr std::int32_t unset = std::numeric_limits<std::int32_t>::max();

/// The least length of the other path, and the entry this one follows.
struct Entry {
  std::int32_t other = unset;
  std::uint32_t before = 0;
};

class StarTable {
 public:
  explicit StarTable(const StarHalf& half)
      : half_(half),
        ports_(half.ports().size()),
        lengths_(longest_possible(half) + 1),
        levels_(half.size()) {}

  CostedStar solve(Goal goal) {
    for (std::size_t p = 0; p < ports_; ++p)
      if (half_.first(p, 0) != StarHalf::no_leg) offer(0, ports_ == 1 ? 0 : 1 - p, half_.first(p, 0), 0, 0);
    for (std::size_t i = 0; i + 1 < half_.size(); ++i) fill_after(i);
    return best(goal);
  }

 private:
  /// Ends are the unused ports 0 and 1, then the destinations.
  static std::size_t longest_possible(const StarHalf& half) {
    std::size_t hops = 0;
    for (std::size_t p = 0; p < half.ports().size(); ++p)
      if (half.first(p, 0) != StarHalf::no_leg) hops = std::max<std::size_t>(hops, half.first(p, 0));
    for (std::size_t j = 1; j < half.size(); ++j) hops += half.leg(j - 1, j);
    const std::size_t nodes = half.routing().topology().routers();
    return std::max(hops, nodes - 1);
  }

  void offer(std::size_t level, std::size_t end, std::size_t length, std::int32_t other,
             std::uint32_t before) {
    std::vector<Entry>& entries = levels_[level];
    if (entries.empty()) entries.resize((level + 2) * lengths_);
    if (length >= lengths_) return;
    Entry& entry = entries[end * lengths_ + length];
    if (other < entry.other) entry = {other, before};
  }

  void fill_after(std::size_t i) {
    const std::uint32_t onwards = half_.leg(i, i + 1);
    for (std::size_t end = 0; end < i + 2; ++end) {
      std::uint32_t jump = StarHalf::no_leg;
      if (end >= 2)
        jump = half_.leg(end - 2, i + 1);
      else if (ports_ == 2)
        jump = half_.first(end, i + 1);
      for (std::size_t length = 0; length < lengths_; ++length) {
        const auto at = static_cast<std::uint32_t>(end * lengths_ + length);
        const std::int32_t other = levels_[i][at].other;
        if (other == unset) continue;
        offer(i + 1, end, length + onwards, other, at);
        if (jump != StarHalf::no_leg)
          offer(i + 1, i + 2, static_cast<std::size_t>(other) + jump, static_cast<std::int32_t>(length), at);
      }
    }
  }

  CostedStar best(Goal goal) const {
    StarCost cost;
    std::uint32_t chosen = 0;
    bool found = false;
    const std::vector<Entry>& last = levels_.back();
    for (std::uint32_t at = 0; at < last.size(); ++at) {
      if (last[at].other == unset) continue;
      const auto length = static_cast<std::int64_t>(at % lengths_);
      const StarCost here{std::max<std::int64_t>(length, last[at].other), length + last[at].other};
      if (found && !better(here, cost, goal)) continue;
      found = true;
      cost = here;
      chosen = at;
    }
    return {read_off(chosen), cost};
  }

  /// Goes back through the levels. At each, `end` is where the other path stands; it changes to the
  /// destination before when the paths swapped roles.
  Star read_off(std::uint32_t at) const {
    std::array<std::vector<std::uint32_t>, 2> stops;
    std::size_t active = 0;
    std::size_t first_end = 0;
    for (std::size_t i = half_.size(); i-- > 0;) {
      const std::size_t end = at / lengths_;
      stops[active].push_back(static_cast<std::uint32_t>(i));
      first_end = end;
      if (i > 0 && end == i + 1)
        active = 1 - active;  // u_i was reached by a jump; u_{i−1} ends the other path
      if (i > 0) at = levels_[i][at].before;
    }
    // At destination 0 the other path is the unused port `first_end`.
    const std::size_t active_port = ports_ == 1 ? 0 : 1 - first_end;
    Star star;
    for (const bool other : {false, true}) {
      std::vector<std::uint32_t>& list = stops[other ? 1 - active : active];
      std::reverse(list.begin(), list.end());
      if (!list.empty()) star.push_back({other ? 1 - active_port : active_port, std::move(list)});
    }
    return star;
  }

  const StarHalf& half_;
  std::size_t ports_;
  std::size_t lengths_;
  std::vector<std::vector<Entry>> levels_;  ///< by end · lengths + length of the path that ends at the level
};

/// The best star of a half with at most two ports.
inline CostedStar star_by_table(const StarHalf& half, Goal goal) { return StarTable(half).solve(goal); }

}  // namespace wormcast::testing

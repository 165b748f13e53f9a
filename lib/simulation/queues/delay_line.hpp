// What arrives after few cycles, all of one kind: a list for each of the next cycles. Later arrivals wait in
// a heap. Adding and taking cost O(1), and nothing has to be told apart.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "simulation/queues/calendar.hpp"
#include "topology/ids.hpp"

namespace wormcast {

class DelayLine {
 public:
  /// `what` arrives at `now` + `delay`, delay ≥ 1. `now` is the cycle last taken.
  void add(Cycle now, Cycle delay, std::uint32_t what) {
    if (delay >= kCycles) return add_later(now + delay, what);
    std::vector<std::uint32_t>& list = lists_[(now + delay) % kCycles];
    list.push_back(what);
  }
  /// Takes away what arrives at `cycle` and calls visit(what) for each; no cycle with arrivals may be left
  /// out.
  template <class Visit>
  void take(Cycle cycle, Visit visit) {
    std::vector<std::uint32_t>& list = lists_[cycle % kCycles];
    for (const std::uint32_t what : list) visit(what);
    list.clear();
    while (!later_.empty() && later_.front().first == cycle) {
      visit(later_.front().second);
      std::pop_heap(later_.begin(), later_.end(), std::greater<>{});
      later_.pop_back();
    }
  }
  /// The first cycle after `now` in which anything arrives, or kNever.
  Cycle next(Cycle now) const {
    const Cycle later = later_.empty() ? kNever : later_.front().first;
    for (Cycle cycle = now + 1; cycle < now + kCycles; ++cycle)
      if (!lists_[cycle % kCycles].empty()) return std::min(cycle, later);
    return later;
  }
  /// Calls change(what) for all that is under way.
  template <class Change>
  void each(Change change) {
    for (std::vector<std::uint32_t>& list : lists_)
      for (std::uint32_t& what : list) change(what);
    for (auto& [cycle, what] : later_) change(what);
    std::make_heap(later_.begin(), later_.end(), std::greater<>{});
  }

 private:
  static constexpr Cycle kCycles = 16;

  [[gnu::noinline]] void add_later(Cycle cycle, std::uint32_t what) {
    later_.emplace_back(cycle, what);
    std::push_heap(later_.begin(), later_.end(), std::greater<>{});
  }

  std::array<std::vector<std::uint32_t>, kCycles> lists_;
  std::vector<std::pair<Cycle, std::uint32_t>> later_;  ///< a heap, the earliest first
};

}  // namespace wormcast

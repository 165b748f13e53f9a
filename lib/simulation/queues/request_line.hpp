// Requests to come in the order of their cycles, such as those that all come so many cycles after a grant:
// they need no calendar.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "simulation/queues/calendar.hpp"
#include "simulation/queues/ring.hpp"

namespace wormcast {

class RequestLine {
 public:
  /// The cycle of the first request, or kNever.
  Cycle first() const { return first_; }
  /// Adds the request of `hop` at `cycle`; false, and nothing is added, if that lies before the last in line.
  bool add(Cycle cycle, std::uint32_t hop) {
    if (cycle != last_ || first_ == kNever) {
      if (cycle < last_ && first_ != kNever) return false;
      runs_.push_back({cycle, 0});
      last_ = cycle;
      if (first_ == kNever) first_ = cycle;
    }
    ++runs_.back().count;
    hops_.push_back(hop);
    return true;
  }
  /// Takes all requests of the cycle first() out and calls visit(hop) for each, which adds none; how many.
  template <class Visit>
  std::uint32_t take(Visit visit) {
    const std::uint32_t count = runs_.front().count;
    for (std::uint32_t i = 0; i < count; ++i) visit(hops_[i]);
    hops_.pop_front(count);
    runs_.pop_front();
    first_ = runs_.empty() ? kNever : runs_.front().cycle;
    return count;
  }

 private:
  struct Run {
    Cycle cycle = 0;
    std::uint32_t count = 0;
  };

  Cycle first_ = kNever;  ///< of runs_
  Cycle last_ = 0;        ///< of runs_, where there are any
  Ring<Run> runs_;
  Ring<std::uint32_t> hops_;
};

}  // namespace wormcast

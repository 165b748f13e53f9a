// The least that must still be spent on a two-path star, from every moment of it on.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "multicast/stars/snake/plane_half.hpp"

namespace wormcast {

/// With the events E_i of least_traffic.cpp: what the rest of a star costs at least beyond walking on
/// along the single path.
class CompletionBound {
 public:
  explicit CompletionBound(const PlaneHalf& half);

  /// Cheapest continuation after E_i, relative to the single path; never positive. Exact.
  std::int32_t after_event(std::size_t i) const { return after_event_[i]; }
  /// For a path that waits in column x while the other one is at destination i or later: any use of
  /// it adds at least this to (its length − its row), relative to the single path. A lower bound.
  std::int32_t of_waiting(std::size_t i, std::size_t x) const {
    return checkpoints_[i / interval_ * columns_ + x];
  }
  std::size_t interval() const { return interval_; }

 private:
  std::size_t columns_;
  std::size_t interval_;
  std::vector<std::int32_t> after_event_;
  std::vector<std::int32_t> checkpoints_;  ///< the bound at every interval_-th destination, by column
};

}  // namespace wormcast

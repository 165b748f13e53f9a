// Bernoulli arrivals of many sources, in the order of (cycle, source).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "multicast/workload/bursts.hpp"
#include "topology/random.hpp"

namespace wormcast {

/// Each source tries once in every cycle, with the numbers of its own stream in order. With bursts only what
/// comes while it is on counts.
class Arrivals {
 public:
  struct Arrival {
    std::uint64_t cycle;
    std::size_t source;  ///< index into the streams
  };
  /// One in the window that is being looked at.
  struct Found {
    std::uint32_t cycle;  ///< from the window's first
    std::uint32_t source;
  };

  Arrivals(std::vector<Random> streams, const Bernoulli& starts, std::uint64_t cycles,
           std::optional<Bursts> bursts = {});

  /// The next one; nothing after the last.
  std::optional<Arrival> next() {
    if (next_ == found_.size() && !fill()) return std::nullopt;
    const Found& found = found_[next_++];
    return Arrival{window_ + found.cycle, found.source};
  }

 private:
  bool fill();
  void walk_all(std::uint32_t cycles);
  void walk(std::size_t source, std::uint32_t cycles);
  /// Walks the first sources side by side, as far as the processor can; gives how many.
  std::size_t walk_lanes(std::uint32_t cycles);
  void sort(std::uint32_t cycles);

  std::vector<Random> streams_;
  Bernoulli starts_;
  std::uint64_t cycles_;
  std::optional<Bursts> bursts_;
  std::vector<std::uint8_t> on_;  ///< of up to eight sources, by cycle of the window
  std::uint64_t window_ = 0;      ///< its first cycle
  std::uint64_t window_end_ = 0;
  std::uint32_t width_;       ///< of a window
  std::vector<Found> found_;  ///< in the window
  std::size_t next_ = 0;
  std::vector<Found> unsorted_;
  std::vector<std::size_t> places_;
};

}  // namespace wormcast

// Bernoulli arrivals of many sources, in the order of (cycle, source).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/random.hpp"

namespace wormcast {

/// Mean lengths in cycles, each at least 1.
struct BurstLengths {
  std::uint64_t on = 1;
  std::uint64_t off = 1;
};
/// "20:80"; throws InputError on `--burst`.
BurstLengths parse_burst(std::string_view text);

/// A number n ≥ 0 with probability q^n / mean, where q = 1 − 1/mean.
class Geometric {
 public:
  /// Of numbers 1 + n with that mean; 1 ≤ mean ≤ 2^20.
  explicit Geometric(std::uint64_t mean);
  std::uint64_t operator()(Random& random) const;

 private:
  unsigned digits_;
  std::vector<std::uint64_t> most_;   ///< P(number ≤ n) · 2^64, of the 2^digits numbers from 0 on
  std::vector<std::uint32_t> guide_;  ///< by the first digits of a draw: the least n that it can be
};

class Bursts {
 public:
  /// A stream for each source, of nothing but its bursts.
  Bursts(std::vector<Random> streams, const BurstLengths& lengths);
  /// Bit i of byte c: whether source `first` + i, i < `count` ≤ 8, is on in cycle `begin` + c, for as many as
  /// there are bytes. Of each source the calls go on from where the last one ended.
  void mark(std::size_t first, std::size_t count, std::uint64_t begin, std::vector<std::uint8_t>& bytes);

 private:
  struct Source {
    Random random;
    bool on;
    std::uint64_t end;  ///< first cycle of the other state
  };
  Geometric on_;
  Geometric off_;
  std::vector<Source> sources_;
};

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

// Sources that are on and off in turn: each is a Markov chain of two states.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace wormcast

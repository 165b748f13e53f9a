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
  unsigned low_digits_ = 0;
  std::vector<std::uint64_t> low_;    ///< P(low digits ≤ n) · 2^64
  std::vector<std::uint32_t> guide_;  ///< by the first digits of a draw: the least n that it can be
  std::vector<std::uint64_t>
      high_;  ///< of each higher binary digit, the probability that it is 1, times 2^64
};

class Bursts {
 public:
  /// A stream for each source, of nothing but its bursts.
  Bursts(std::vector<Random> streams, const BurstLengths& lengths);
  /// Whether the source is on; its cycles do not descend from call to call.
  bool on(std::size_t source, std::uint64_t cycle);

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

// Random numbers, the same on every compiler: generator, named streams, bounded draws, sets, Bernoulli.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace wormcast {

/// SplitMix64: a 64-bit counter and a bijective output function. Seeds xoshiro and hashes stream names.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();

 private:
  std::uint64_t state_;
};

/// xoshiro256**: what every random decision draws from.
class Random {
 public:
  /// The state is the first four outputs of SplitMix64(seed).
  explicit Random(std::uint64_t seed);
  /// A given state, not all zero.
  explicit Random(const std::array<std::uint64_t, 4>& state) : state_(state) {}

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  const std::array<std::uint64_t, 4>& state() const { return state_; }
  /// Uniform in [0, bound); bound ≥ 1.
  std::uint64_t below(std::uint64_t bound);
  /// Uniform in [low, high]; low ≤ high.
  std::uint64_t between(std::uint64_t low, std::uint64_t high);

 private:
  std::array<std::uint64_t, 4> state_;
};

/// Independent streams, one for each (seed, purpose, index): a draw added to one never shifts
/// another, and streams can be taken in any order.
class RandomStreams {
 public:
  RandomStreams(std::uint64_t seed, std::string_view purpose);
  Random stream(std::uint64_t index) const;

 private:
  std::uint64_t key_;
};

/// `count` different numbers below `bound`, sorted, every set equally likely; count ≤ bound.
std::vector<std::uint32_t> sample(Random& random, std::uint32_t count, std::uint32_t bound);

/// Every order of `items` equally likely.
template <class Items>
void shuffle(Random& random, Items& items) {
  for (std::uint64_t i = items.size(); i > 1; --i) {
    using std::swap;
    swap(items[i - 1], items[random.below(i)]);
  }
}

/// A ratio of integers ≥ 0; denominator ≥ 1.
struct Fraction {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;

  friend bool operator<(const Fraction& a, const Fraction& b);
};
/// a · b, exactly, in lowest terms as far as need be. Throws InputError on `field` for a number beyond 2^64.
Fraction product(std::string_view field, const Fraction& a, const Fraction& b);

/// Digits, at most one point and 15 decimals ("0.05", "2"), read exactly. Throws InputError on `field`.
Fraction parse_decimal(std::string_view field, std::string_view text);

/// Draws that are true with probability exactly numerator / denominator ≤ 1.
class Bernoulli {
 public:
  explicit Bernoulli(Fraction probability);
  /// Takes one number from `random`, and more only with probability 2^−64. A number that makes it
  /// true makes it true for every greater probability.
  bool operator()(Random& random) const { return decide(random.next(), random); }
  /// The same for a number that has been taken from `random`.
  bool decide(std::uint64_t drawn, Random& random) const {
    return drawn != threshold_ ? drawn < threshold_ : tie(random);
  }
  /// A number below it is true, one above it is not.
  std::uint64_t threshold() const { return threshold_; }
  /// True if no draw can be true.
  bool never() const { return !certain_ && threshold_ == 0 && remainder_ == 0; }

 private:
  bool tie(Random& random) const;

  std::uint64_t threshold_ = 0;  ///< first 64 binary digits of the probability; all ones where it is 1
  std::uint64_t remainder_ = 0;  ///< numerator of what follows them, over denominator_
  std::uint64_t denominator_ = 1;
  bool certain_ = false;
};

}  // namespace wormcast

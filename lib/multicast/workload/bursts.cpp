// On–off sources. A state lasts a geometric number of cycles, at least one, and the state of cycle 0 is drawn
// from the stationary distribution, so that every cycle has the same mean. A source starts only what it would
// start if it were always on with the rate within bursts, and only while it is on.
//
// The counts of T cycles: let p be the probability of a start within a burst, π = on / (on + off) and λ = 1 −
// 1/on − 1/off. Then the mean is T·πp, and the variance T·πp(1 − πp) + 2p²π(1 − π) Σ (T − k) λ^k, k = 1 to T
// − 1.
//
// A geometric number is looked up in a table of the sums of its probabilities, which have 64 binary digits.
// It has no memory: what is beyond the table is the table's length and another such number. So no logarithm
// is taken. Cost: that of arrivals at `rate`, and a draw a state. cite: Dally, Towles 2004, 24.2 (Markov
// modulated processes)
// SPDX-License-Identifier: MIT
#include "multicast/workload/arrivals.hpp"

#include <algorithm>
#include <bit>

#include "multicast/workload/arguments.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

__extension__ typedef unsigned __int128 Product;
constexpr std::uint64_t most_cycles = std::uint64_t{1} << 20;

}  // namespace

BurstLengths parse_burst(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    throw InputError("--burst", "'" + std::string(text) + "' is not of the form ON:OFF, such as 20:80");
  const BurstLengths lengths{parse_integer("--burst", text.substr(0, colon)),
                             parse_integer("--burst", text.substr(colon + 1))};
  for (const std::uint64_t length : {lengths.on, lengths.off})
    if (length == 0 || length > most_cycles)
      throw InputError(
          "--burst", std::to_string(length) + " cycles are not between 1 and " + std::to_string(most_cycles));
  return lengths;
}

Geometric::Geometric(std::uint64_t mean)
    : digits_(std::min(12U, static_cast<unsigned>(std::bit_width(8 * mean)))) {
  const auto base = static_cast<std::uint64_t>((Product{mean - 1} << 64) / mean);
  const std::size_t numbers = std::size_t{1} << digits_;
  std::uint64_t power = base;
  for (std::size_t n = 0; n < numbers; ++n, power = static_cast<std::uint64_t>(Product{power} * base >> 64))
    most_.push_back(~power);
  for (std::uint64_t first = 0, n = 0; first < numbers; ++first) {
    while (n < numbers && most_[n] < first << (64 - digits_)) ++n;
    guide_.push_back(static_cast<std::uint32_t>(n));
  }
}

std::uint64_t Geometric::operator()(Random& random) const {
  for (std::uint64_t beyond = 0;; beyond += most_.size()) {
    const std::uint64_t drawn = random.next();
    std::uint64_t number = guide_[drawn >> (64 - digits_)];
    while (number < most_.size() && most_[number] < drawn) ++number;
    if (number < most_.size()) return beyond + number;
  }
}

Bursts::Bursts(std::vector<Random> streams, const BurstLengths& lengths)
    : on_(lengths.on), off_(lengths.off) {
  for (Random& random : streams) {
    const bool on = random.below(lengths.on + lengths.off) < lengths.on;
    const std::uint64_t end = 1 + (on ? on_ : off_)(random);
    sources_.push_back({random, on, end});
  }
}

void Bursts::mark(std::size_t first, std::size_t count, std::uint64_t begin,
                  std::vector<std::uint8_t>& bytes) {
  std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
  std::uint8_t now = 0;
  for (std::size_t i = 0; i < count; ++i) {  // where each changes
    Source& of = sources_[first + i];
    const auto bit = static_cast<std::uint8_t>(1U << i);
    if (of.on) now |= bit;
    for (; of.end - begin < bytes.size(); of.end += 1 + (of.on ? on_ : off_)(of.random)) {
      of.on = !of.on;
      bytes[of.end - begin] ^= bit;
    }
  }
  for (std::uint8_t& byte : bytes) byte = now ^= byte;
}

}  // namespace wormcast

// On–off sources. A state lasts a geometric number of cycles, at least one, and the state of cycle 0 is drawn
// from the stationary distribution, so that every cycle has the same mean. A source starts only what it would
// start if it were always on with the rate within bursts, and only while it is on.
//
// The counts of T cycles: let p be the probability of a start within a burst, π = on / (on + off) and λ = 1 −
// 1/on − 1/off. Then the mean is T·πp, and the variance T·πp(1 − πp) + 2p²π(1 − π) Σ (T − k) λ^k, k = 1 to T
// − 1.
//
// The binary digits of a geometric number are independent: digit k is 1 with probability q^(2^k) / (1 +
// q^(2^k)), since the product of all 1 + q^(2^k) is 1 / (1 − q). So the low digits come from one draw and a
// table of their sums, each other digit from one draw of its own, and no logarithm is taken. Powers of q have
// 64 binary digits. Cost: that of arrivals at the rate within bursts, and a few draws a burst. cite: Dally,
// Towles 2004, 24.2 (Markov modulated processes)
// SPDX-License-Identifier: MIT
#include "multicast/workload/bursts.hpp"

#include <algorithm>
#include <bit>

#include "multicast/workload/arguments.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

__extension__ typedef unsigned __int128 Product;
constexpr Product one = Product{1} << 64;
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
    : low_digits_(std::min(12U, static_cast<unsigned>(std::bit_width(8 * mean)))) {
  const auto times = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(Product{a} * b >> 64);
  };
  const auto base = static_cast<std::uint64_t>((Product{mean - 1} << 64) / mean);
  std::uint64_t high = base;  // q^(2^low digits)
  for (unsigned digit = 0; digit < low_digits_; ++digit) high = times(high, high);
  const std::size_t numbers = std::size_t{1} << low_digits_;
  std::uint64_t power = base;
  for (std::size_t n = 0; n < numbers; ++n, power = times(power, base)) {
    // (1 − q^(n + 1)) / (1 − q^numbers)
    const bool last = n + 1 == numbers || power <= high;
    low_.push_back(last ? ~std::uint64_t{0}
                        : static_cast<std::uint64_t>((Product{0 - power} << 64) / (one - high)));
  }
  for (std::uint64_t first = 0, n = 0; first < numbers; ++first) {
    while (low_[n] < first << (64 - low_digits_)) ++n;
    guide_.push_back(static_cast<std::uint32_t>(n));
  }
  for (; high != 0; high = times(high, high))
    high_.push_back(static_cast<std::uint64_t>((Product{high} << 64) / (one + high)));
}

std::uint64_t Geometric::operator()(Random& random) const {
  const std::uint64_t drawn = random.next();
  std::uint64_t number = guide_[drawn >> (64 - low_digits_)];
  while (low_[number] < drawn) ++number;
  for (std::size_t digit = 0; digit < high_.size(); ++digit)
    number |= std::uint64_t{random.next() < high_[digit]} << (low_digits_ + digit);
  return number;
}

Bursts::Bursts(std::vector<Random> streams, const BurstLengths& lengths)
    : on_(lengths.on), off_(lengths.off) {
  for (Random& random : streams) {
    const bool on = random.below(lengths.on + lengths.off) < lengths.on;
    const std::uint64_t end = 1 + (on ? on_ : off_)(random);
    sources_.push_back({random, on, end});
  }
}

bool Bursts::on(std::size_t source, std::uint64_t cycle) {
  Source& of = sources_[source];
  while (of.end <= cycle) {
    of.on = !of.on;
    of.end += 1 + (of.on ? on_ : off_)(of.random);
  }
  return of.on;
}

}  // namespace wormcast

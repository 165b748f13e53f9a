// Walks the streams window by window: a stream after the other within a window, so that its generator stays
// in registers; then the arrivals found are sorted by cycle, in one pass.
//
// A window is as wide as some thousand arrivals take, so memory is proportional to the sources.
// Cost: some 13 instructions a source and cycle.
//
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
#include "multicast/workload/workload.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "multicast/workload/pattern.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

__extension__ typedef unsigned __int128 Product;
constexpr std::uint64_t most_cycles = std::uint64_t{1} << 20;

/// Cycles in which all sources together have some thousand arrivals.
std::uint32_t window_width(std::size_t sources, const Bernoulli& starts) {
  constexpr std::uint64_t arrivals = std::uint64_t{1} << 14;
  constexpr std::uint64_t most = 4096;
  const std::uint64_t in_a_cycle = sources * (starts.threshold() >> 32) >> 32;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(arrivals / (in_a_cycle + 1), 1, most));
}

}  // namespace

BurstLengths parse_burst(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    refuse("--burst", "'{}' is not of the form ON:OFF, such as 20:80", text);
  const BurstLengths lengths{parse_integer("--burst", text.substr(0, colon)),
                             parse_integer("--burst", text.substr(colon + 1))};
  for (const std::uint64_t length : {lengths.on, lengths.off})
    if (length == 0 || length > most_cycles)
      refuse("--burst", "{} cycles are not between 1 and {}", length, most_cycles);
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

void Bursts::mark(std::size_t source, std::uint64_t begin, std::vector<bool>& on) {
  Source& of = sources_[source];
  for (std::size_t cycle = 0; cycle < on.size(); ++cycle) {
    if (of.end == begin + cycle) {
      of.on = !of.on;
      of.end += 1 + (of.on ? on_ : off_)(of.random);
    }
    on[cycle] = of.on;
  }
}

Arrivals::Arrivals(std::vector<Random> streams, const Bernoulli& starts, std::uint64_t cycles,
                   std::optional<Bursts> bursts)
    : streams_(std::move(streams)),
      starts_(starts),
      cycles_(cycles),
      bursts_(std::move(bursts)),
      width_(window_width(streams_.size(), starts)) {}

bool Arrivals::fill() {
  found_.clear();
  next_ = 0;
  while (found_.empty() && window_end_ < cycles_) {
    window_ = window_end_;
    const auto cycles = static_cast<std::uint32_t>(std::min<std::uint64_t>(width_, cycles_ - window_));
    window_end_ = window_ + cycles;
    unsorted_.clear();
    on_.resize(cycles);
    for (std::uint32_t source = 0; source < streams_.size(); ++source) walk(source, cycles);
    sort(cycles);
  }
  return !found_.empty();
}

void Arrivals::walk(std::uint32_t source, std::uint32_t cycles) {
  Random random = streams_[source];
  const Bernoulli starts = starts_;
  if (bursts_) bursts_->mark(source, window_, on_);
  for (std::uint32_t cycle = 0; cycle < cycles; ++cycle)
    if (const std::uint64_t drawn = random.next(); (!bursts_ || on_[cycle]) && starts.decide(drawn, random))
      unsorted_.push_back({cycle, source});
  streams_[source] = random;
}

/// By cycle; sources of a cycle have been found in their order.
void Arrivals::sort(std::uint32_t cycles) {
  places_.assign(std::size_t{cycles} + 1, 0);
  for (const Found& found : unsorted_) ++places_[found.cycle + 1];
  for (std::uint32_t cycle = 0; cycle < cycles; ++cycle) places_[cycle + 1] += places_[cycle];
  found_.resize(unsorted_.size());
  for (const Found& found : unsorted_) found_[places_[found.cycle]++] = found;
}

}  // namespace wormcast

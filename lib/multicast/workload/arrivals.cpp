// Walks the streams window by window: a stream after the other within a window, so that its generator stays
// in registers; then the arrivals found are sorted by cycle, in one pass.
//
// A window is as wide as some thousand arrivals take, so memory is proportional to the sources. Where the
// processor has vectors of four 64-bit numbers, two vectors of streams go side by side, each with its own
// numbers: what comes out is the same. One is worked on while the other waits for what it needs next.
// Cost: some 5 instructions a source and cycle, 13 without vectors.
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
#include <array>
#include <bit>
#include <utility>

#include "multicast/workload/pattern.hpp"
#include "topology/refuse.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define WORMCAST_LANES 1
#endif

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
    for (std::size_t source = walk_lanes(cycles); source < streams_.size(); ++source) walk(source, cycles);
    sort(cycles);
  }
  return !found_.empty();
}

void Arrivals::walk(std::size_t source, std::uint32_t cycles) {
  Random random = streams_[source];
  const Bernoulli starts = starts_;
  if (bursts_)
    bursts_->mark(source, 1, window_, on_);
  else
    std::fill(on_.begin(), on_.end(), std::uint8_t{1});
  for (std::uint32_t cycle = 0; cycle < cycles; ++cycle)
    if (const std::uint64_t drawn = random.next(); on_[cycle] != 0 && starts.decide(drawn, random))
      unsorted_.push_back({cycle, static_cast<std::uint32_t>(source)});
  streams_[source] = random;
}

#ifdef WORMCAST_LANES
namespace {

/// A number of each of four streams.
using Lanes = std::uint64_t __attribute__((vector_size(32)));
using SignedLanes = std::int64_t __attribute__((vector_size(32)));
/// A bit for each stream.
using StreamBits = std::uint32_t;

/// The words of the generators of two vectors of streams.
struct LaneStates {
  static constexpr std::size_t lanes = sizeof(Lanes) / sizeof(std::uint64_t);
  static constexpr std::size_t abreast = 2 * lanes;

  std::array<std::array<Lanes, 2>, 4> words;

  Random of(std::size_t stream) const {
    std::array<std::uint64_t, 4> state{};
    for (std::size_t w = 0; w < state.size(); ++w) state[w] = words[w][stream / lanes][stream % lanes];
    return Random(state);
  }
  void put(std::size_t stream, const Random& random) {
    for (std::size_t w = 0; w < words.size(); ++w)
      words[w][stream / lanes][stream % lanes] = random.state()[w];
  }
};

/// Streams that have drawn no more than the threshold in a cycle.
struct Drawn {
  std::uint32_t cycle = 0;
  StreamBits at_most = 0;  ///< none: it is the cycle behind the last
  StreamBits equal = 0;
};

[[gnu::target("avx2"), gnu::always_inline]] inline StreamBits bits(SignedLanes lanes) {
  return static_cast<StreamBits>(_mm256_movemask_pd(reinterpret_cast<__m256d>(lanes)));
}

/// Walks on to the next cycle, from `cycle` on and before `end`, in which a stream draws no more than
/// `limit`; with bursts, one whose bit is in `on`. How a generator steps is said again here, for vectors.
template <bool bursts>
[[gnu::target("avx2")]] Drawn draw_on(LaneStates& states, std::uint64_t limit, const std::uint8_t* on,
                                      std::uint32_t cycle, std::uint32_t end) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;  // comparisons are signed
  const Lanes signs = {sign, sign, sign, sign};
  const Lanes limits = {limit, limit, limit, limit};
  const auto flipped = reinterpret_cast<SignedLanes>(limits ^ signs);
  auto [s0, s1, s2, s3] = states.words;
  Drawn found;
  for (; cycle < end; ++cycle) {
    std::array<SignedLanes, 2> above;
    std::array<SignedLanes, 2> equal;
    for (std::size_t v = 0; v < 2; ++v) {
      const Lanes five = (s1[v] << 2) + s1[v];
      const Lanes turned = five << 7 | five >> 57;
      const Lanes drawn = (turned << 3) + turned;
      const Lanes shifted = s1[v] << 17;
      s2[v] ^= s0[v];
      s3[v] ^= s1[v];
      s1[v] ^= s2[v];
      s0[v] ^= s3[v];
      s2[v] ^= shifted;
      s3[v] = s3[v] << 45 | s3[v] >> 19;
      above[v] = reinterpret_cast<SignedLanes>(drawn ^ signs) > flipped;
      equal[v] = drawn == limits;
    }
    if constexpr (!bursts)
      if (bits(above[0] & above[1]) == 0xf) [[likely]]
        continue;
    found.at_most = 0xff ^ (bits(above[0]) | bits(above[1]) << 4);
    if constexpr (bursts)
      if ((found.at_most &= on[cycle]) == 0) [[likely]]
        continue;
    found.equal = bits(equal[0]) | bits(equal[1]) << 4;
    break;
  }
  states.words = {s0, s1, s2, s3};
  found.cycle = cycle;
  return found;
}

/// Appends what arrives at streams side by side. A number below the threshold decides alone; one that is
/// equal is rare, and takes more numbers of its stream.
void walk_states(LaneStates& states, std::uint32_t first_source, const Bernoulli& starts,
                 std::uint32_t cycles, const std::uint8_t* on, std::vector<Arrivals::Found>& found) {
  for (std::uint32_t cycle = 0;; ++cycle) {
    const Drawn drawn = on == nullptr ? draw_on<false>(states, starts.threshold(), on, cycle, cycles)
                                      : draw_on<true>(states, starts.threshold(), on, cycle, cycles);
    cycle = drawn.cycle;
    if (drawn.at_most == 0) return;
    for (StreamBits left = drawn.at_most; left != 0; left &= left - 1) {
      const auto stream = static_cast<std::uint32_t>(std::countr_zero(left));
      if ((drawn.equal >> stream & 1) != 0) [[unlikely]] {
        Random random = states.of(stream);
        const bool arrives = starts.decide(starts.threshold(), random);
        states.put(stream, random);
        if (!arrives) continue;
      }
      found.push_back({cycle, first_source + stream});
    }
  }
}

}  // namespace

/// As many streams as go abreast, as often as there are still so many; gives the first that is left.
std::size_t Arrivals::walk_lanes(std::uint32_t cycles) {
  static const bool can = __builtin_cpu_supports("avx2");
  std::size_t first = 0;
  for (; can && first + LaneStates::abreast <= streams_.size(); first += LaneStates::abreast) {
    LaneStates states{};
    for (std::size_t i = 0; i < LaneStates::abreast; ++i) states.put(i, streams_[first + i]);
    if (bursts_) bursts_->mark(first, LaneStates::abreast, window_, on_);
    walk_states(states, static_cast<std::uint32_t>(first), starts_, cycles, bursts_ ? on_.data() : nullptr,
                unsorted_);
    for (std::size_t i = 0; i < LaneStates::abreast; ++i) streams_[first + i] = states.of(i);
  }
  return first;
}
#else
std::size_t Arrivals::walk_lanes(std::uint32_t) { return 0; }
#endif

/// By cycle; sources of a cycle have been found in their order.
void Arrivals::sort(std::uint32_t cycles) {
  places_.assign(std::size_t{cycles} + 1, 0);
  for (const Found& found : unsorted_) ++places_[found.cycle + 1];
  for (std::uint32_t cycle = 0; cycle < cycles; ++cycle) places_[cycle + 1] += places_[cycle];
  found_.resize(unsorted_.size());
  for (const Found& found : unsorted_) found_[places_[found.cycle]++] = found;
}

}  // namespace wormcast

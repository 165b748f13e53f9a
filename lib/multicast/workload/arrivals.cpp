// Walks the streams window by window: a stream after the other within a window, so that its generator stays
// in registers; then the arrivals found are sorted by cycle, in one pass.
//
// A window is as wide as some thousand arrivals take, so memory is proportional to the sources. Where the
// processor has vectors of eight or four 64-bit numbers, two vectors of streams go side by side, each with
// its own numbers: what comes out is the same. One is worked on while the other waits for what it needs next.
// Cost: some 2 instructions a source and cycle, 5 with vectors of four, 13 without any.
// SPDX-License-Identifier: MIT
#include "multicast/workload/arrivals.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define WORMCAST_LANES 1
#endif

namespace wormcast {
namespace {

/// Cycles in which all sources together have some thousand arrivals.
std::uint32_t window_width(std::size_t sources, const Bernoulli& starts) {
  constexpr std::uint64_t arrivals = std::uint64_t{1} << 14;
  constexpr std::uint64_t most = 4096;
  const std::uint64_t in_a_cycle = sources * (starts.threshold() >> 32) >> 32;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(arrivals / (in_a_cycle + 1), 1, most));
}

}  // namespace

Arrivals::Arrivals(std::vector<Random> streams, const Bernoulli& starts, std::uint64_t cycles)
    : streams_(std::move(streams)),
      starts_(starts),
      cycles_(cycles),
      width_(window_width(streams_.size(), starts)) {}

bool Arrivals::fill() {
  found_.clear();
  next_ = 0;
  while (found_.empty() && window_end_ < cycles_) {
    window_ = window_end_;
    const auto cycles = static_cast<std::uint32_t>(std::min<std::uint64_t>(width_, cycles_ - window_));
    window_end_ = window_ + cycles;
    unsorted_.clear();
    walk_all(cycles);
    sort(cycles);
  }
  return !found_.empty();
}

void Arrivals::walk_all(std::uint32_t cycles) {
  for (std::size_t source = walk_lanes(cycles); source < streams_.size(); ++source) walk(source, cycles);
}

void Arrivals::walk(std::size_t source, std::uint32_t cycles) {
  Random random = streams_[source];
  const Bernoulli starts = starts_;
  for (std::uint32_t cycle = 0; cycle < cycles; ++cycle)
    if (starts(random)) unsorted_.push_back({cycle, static_cast<std::uint32_t>(source)});
  streams_[source] = random;
}

#ifdef WORMCAST_LANES
namespace {

/// A number of each of four streams, or of eight.
using Lanes4 = std::uint64_t __attribute__((vector_size(32)));
using Lanes8 = std::uint64_t __attribute__((vector_size(64)));
using SignedLanes4 = std::int64_t __attribute__((vector_size(32)));
/// A bit for each stream.
using StreamBits = std::uint32_t;

/// The words of the generators of two vectors of streams.
template <class Lanes>
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

[[gnu::target("avx2"), gnu::always_inline]] inline StreamBits bits(SignedLanes4 lanes) {
  return static_cast<StreamBits>(_mm256_movemask_pd(reinterpret_cast<__m256d>(lanes)));
}
inline StreamBits bits(__mmask8 first, __mmask8 second) {
  return StreamBits{first} | StreamBits{second} << 8;
}

// Both walk on to the next cycle, from `cycle` on and before `end`, in which a stream draws no more than
// `limit`. They say twice how a generator steps, since what is made for some instructions is not put in line
// where there are others.

[[gnu::target("avx2")]] Drawn draw_on(LaneStates<Lanes4>& states, std::uint64_t limit, std::uint32_t cycle,
                                      std::uint32_t end) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;  // comparisons are signed
  const Lanes4 signs = {sign, sign, sign, sign};
  const Lanes4 limits = {limit, limit, limit, limit};
  const auto flipped = reinterpret_cast<SignedLanes4>(limits ^ signs);
  auto [s0, s1, s2, s3] = states.words;
  Drawn found;
  for (; cycle < end; ++cycle) {
    std::array<SignedLanes4, 2> above;
    std::array<SignedLanes4, 2> equal;
    for (std::size_t v = 0; v < 2; ++v) {
      const Lanes4 five = (s1[v] << 2) + s1[v];
      const Lanes4 turned = five << 7 | five >> 57;
      const Lanes4 drawn = (turned << 3) + turned;
      const Lanes4 shifted = s1[v] << 17;
      s2[v] ^= s0[v];
      s3[v] ^= s1[v];
      s1[v] ^= s2[v];
      s0[v] ^= s3[v];
      s2[v] ^= shifted;
      s3[v] = s3[v] << 45 | s3[v] >> 19;
      above[v] = reinterpret_cast<SignedLanes4>(drawn ^ signs) > flipped;
      equal[v] = drawn == limits;
    }
    if (bits(above[0] & above[1]) == 0xf) [[likely]]
      continue;
    found.at_most = 0xff ^ (bits(above[0]) | bits(above[1]) << 4);
    found.equal = bits(equal[0]) | bits(equal[1]) << 4;
    break;
  }
  states.words = {s0, s1, s2, s3};
  found.cycle = cycle;
  return found;
}

[[gnu::target("avx512f")]] Drawn draw_on(LaneStates<Lanes8>& states, std::uint64_t limit, std::uint32_t cycle,
                                         std::uint32_t end) {
  const __m512i limits = _mm512_set1_epi64(static_cast<long long>(limit));
  auto [s0, s1, s2, s3] = states.words;
  Drawn found;
  for (; cycle < end; ++cycle) {
    std::array<Lanes8, 2> drawn;
    for (std::size_t v = 0; v < 2; ++v) {
      const Lanes8 five = (s1[v] << 2) + s1[v];
      const Lanes8 turned = five << 7 | five >> 57;
      drawn[v] = (turned << 3) + turned;
      const Lanes8 shifted = s1[v] << 17;
      s2[v] ^= s0[v];
      s3[v] ^= s1[v];
      s1[v] ^= s2[v];
      s0[v] ^= s3[v];
      s2[v] ^= shifted;
      s3[v] = s3[v] << 45 | s3[v] >> 19;
    }
    const auto first = reinterpret_cast<__m512i>(drawn[0]);
    const auto second = reinterpret_cast<__m512i>(drawn[1]);
    found.at_most = bits(_mm512_cmple_epu64_mask(first, limits), _mm512_cmple_epu64_mask(second, limits));
    if (found.at_most == 0) [[likely]]
      continue;
    found.equal = bits(_mm512_cmpeq_epu64_mask(first, limits), _mm512_cmpeq_epu64_mask(second, limits));
    break;
  }
  states.words = {s0, s1, s2, s3};
  found.cycle = cycle;
  return found;
}

/// Appends what arrives at streams side by side. A number below the threshold decides alone; one that is
/// equal is rare, and takes more numbers of its stream.
template <class Lanes>
void walk_states(LaneStates<Lanes>& states, std::uint32_t first_source, const Bernoulli& starts,
                 std::uint32_t cycles, std::vector<Arrivals::Found>& found) {
  for (std::uint32_t cycle = 0;; ++cycle) {
    const Drawn drawn = draw_on(states, starts.threshold(), cycle, cycles);
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

/// Walks as many streams as go abreast, from `first` on, as often as there are still so many; gives the first
/// that is left.
template <class Lanes>
std::size_t walk_abreast(std::vector<Random>& streams, std::size_t first, const Bernoulli& starts,
                         std::uint32_t cycles, std::vector<Arrivals::Found>& found) {
  using States = LaneStates<Lanes>;
  for (; first + States::abreast <= streams.size(); first += States::abreast) {
    States states{};
    for (std::size_t i = 0; i < States::abreast; ++i) states.put(i, streams[first + i]);
    walk_states(states, static_cast<std::uint32_t>(first), starts, cycles, found);
    for (std::size_t i = 0; i < States::abreast; ++i) streams[first + i] = states.of(i);
  }
  return first;
}

}  // namespace

std::size_t Arrivals::walk_lanes(std::uint32_t cycles) {
  static const bool eight = __builtin_cpu_supports("avx512f");
  static const bool four = __builtin_cpu_supports("avx2");
  std::size_t walked = 0;
  if (eight) walked = walk_abreast<Lanes8>(streams_, walked, starts_, cycles, unsorted_);
  if (four) walked = walk_abreast<Lanes4>(streams_, walked, starts_, cycles, unsorted_);
  return walked;
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

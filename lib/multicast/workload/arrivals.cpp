// Walks the streams window by window: a stream after the other within a window, so that its generator stays
// in registers; then the arrivals found are sorted by cycle, in one pass.
//
// A window is as wide as some thousand arrivals take, so memory is proportional to the sources. Where the
// processor has vectors of four 64-bit numbers, eight streams go side by side, each with its own numbers:
// what comes out is the same. Of two vectors one is worked on while the other waits for what it needs next.
// Cost: some 5 instructions a source and cycle, 6 with vectors that cannot turn words, 13 without any.
// SPDX-License-Identifier: MIT
#include "multicast/workload/arrivals.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define WORMCAST_LANES 1
#endif

namespace wormcast {
namespace {

constexpr std::size_t lanes = 4;  ///< numbers of a vector
constexpr std::size_t pair = 2;   ///< vectors at once
constexpr std::size_t abreast = pair * lanes;

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
  std::size_t source = 0;
  while (source + abreast <= streams_.size() && walk_lanes(source, cycles)) source += abreast;
  for (; source < streams_.size(); ++source) walk(source, cycles);
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

/// A number of each of four streams: one vector.
using Lanes = std::uint64_t __attribute__((vector_size(lanes * sizeof(std::uint64_t))));
using SignedLanes = std::int64_t __attribute__((vector_size(lanes * sizeof(std::int64_t))));

/// The words of eight generators.
struct LaneStates {
  std::array<std::array<Lanes, pair>, 4> words;

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

/// Appends what arrives at the eight sources to `found`. A number below the threshold decides alone; one that
/// is equal is rare, and takes more numbers of its stream.
[[gnu::target("avx2"), gnu::always_inline]] inline void walk_vectors(LaneStates& states,
                                                                     std::uint32_t first_source,
                                                                     const Bernoulli& starts,
                                                                     std::uint32_t cycles,
                                                                     std::vector<Arrivals::Found>& found) {
  const std::uint64_t limit = starts.threshold();
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;  // comparisons are signed
  const Lanes signs = {sign, sign, sign, sign};
  const auto flipped = reinterpret_cast<SignedLanes>(Lanes{limit, limit, limit, limit} ^ signs);
  auto [s0, s1, s2, s3] = states.words;
  for (std::uint32_t cycle = 0; cycle < cycles; ++cycle) {
    std::array<Lanes, pair> drawn;
    std::array<SignedLanes, pair> above;
    for (std::size_t v = 0; v < pair; ++v) {
      const Lanes five = (s1[v] << 2) + s1[v];
      const Lanes turned = five << 7 | five >> 57;
      drawn[v] = (turned << 3) + turned;
      const Lanes shifted = s1[v] << 17;
      s2[v] ^= s0[v];
      s3[v] ^= s1[v];
      s1[v] ^= s2[v];
      s0[v] ^= s3[v];
      s2[v] ^= shifted;
      s3[v] = s3[v] << 45 | s3[v] >> 19;
      above[v] = reinterpret_cast<SignedLanes>(drawn[v] ^ signs) > flipped;
    }
    if (_mm256_movemask_pd(reinterpret_cast<__m256d>(above[0] & above[1])) == 0xf) [[likely]]
      continue;
    std::array<std::uint64_t, abreast> numbers;
    std::memcpy(numbers.data(), drawn.data(), sizeof numbers);
    for (std::uint32_t stream = 0; stream < abreast; ++stream) {
      if (numbers[stream] > limit) continue;
      if (numbers[stream] == limit) {
        states.words = {s0, s1, s2, s3};
        Random random = states.of(stream);
        const bool arrives = starts.decide(limit, random);
        states.put(stream, random);
        s0 = states.words[0], s1 = states.words[1], s2 = states.words[2], s3 = states.words[3];
        if (!arrives) continue;
      }
      found.push_back({cycle, first_source + stream});
    }
  }
  states.words = {s0, s1, s2, s3};
}

using Walk = void (*)(LaneStates&, std::uint32_t, const Bernoulli&, std::uint32_t,
                      std::vector<Arrivals::Found>&);

[[gnu::target("avx2")]] void walk_by_avx2(LaneStates& states, std::uint32_t first_source,
                                          const Bernoulli& starts, std::uint32_t cycles,
                                          std::vector<Arrivals::Found>& found) {
  walk_vectors(states, first_source, starts, cycles, found);
}
/// The same with instructions that turn words, and combine three.
[[gnu::target("avx2,avx512f,avx512vl,avx512dq")]] void walk_by_avx512(LaneStates& states,
                                                                      std::uint32_t first_source,
                                                                      const Bernoulli& starts,
                                                                      std::uint32_t cycles,
                                                                      std::vector<Arrivals::Found>& found) {
  walk_vectors(states, first_source, starts, cycles, found);
}

/// Nothing where the processor has no such vectors.
Walk walk_of_lanes() {
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) return walk_by_avx512;
  return __builtin_cpu_supports("avx2") ? walk_by_avx2 : nullptr;
}

}  // namespace

bool Arrivals::walk_lanes(std::size_t first_source, std::uint32_t cycles) {
  static const Walk walk_all_lanes = walk_of_lanes();
  if (walk_all_lanes == nullptr) return false;
  LaneStates states{};
  for (std::size_t i = 0; i < abreast; ++i) states.put(i, streams_[first_source + i]);
  walk_all_lanes(states, static_cast<std::uint32_t>(first_source), starts_, cycles, unsorted_);
  for (std::size_t i = 0; i < abreast; ++i) streams_[first_source + i] = states.of(i);
  return true;
}
#else
bool Arrivals::walk_lanes(std::size_t, std::uint32_t) { return false; }
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

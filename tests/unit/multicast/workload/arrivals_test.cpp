// Arrivals found in windows, many streams at a time, against one stream after the other.
// SPDX-License-Identifier: MIT
#include "multicast/workload/workload.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

namespace wormcast::arrivals_test {
namespace {

using Pairs = std::vector<std::pair<std::uint64_t, std::size_t>>;  // cycle, source

Pairs found(const std::vector<Random>& streams, const Bernoulli& starts, std::uint64_t cycles) {
  Arrivals arrivals(streams, starts, cycles);
  Pairs all;
  while (const auto arrival = arrivals.next()) all.emplace_back(arrival->cycle, arrival->source);
  return all;
}

Pairs expected(std::vector<Random> streams, const Bernoulli& starts, std::uint64_t cycles) {
  Pairs all;
  for (std::size_t source = 0; source < streams.size(); ++source)
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle)
      if (starts(streams[source])) all.emplace_back(cycle, source);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<Random> streams_of(std::size_t count) {
  std::vector<Random> streams;
  for (std::size_t i = 0; i < count; ++i) streams.push_back(RandomStreams(3, "arrivals").stream(i));
  return streams;
}

}  // namespace

TEST_CASE("arrivals are those of each stream by itself, in the order of cycle and source" *
          doctest::test_suite("long")) {
  for (const std::size_t sources : {1, 3, 8, 15, 16, 31, 64, 301})
    for (const Fraction& rate :
         {Fraction{1, 100000}, Fraction{1, 400}, Fraction{1, 7}, Fraction{2, 3}, Fraction{1, 1}})
      for (const std::uint64_t cycles : {0, 1, 5, 4095, 4096, 9001}) {
        CAPTURE(sources);
        CAPTURE(rate.denominator);
        CAPTURE(cycles);
        const Bernoulli starts(rate);
        REQUIRE(found(streams_of(sources), starts, cycles) == expected(streams_of(sources), starts, cycles));
      }
}

TEST_CASE("bursts leave what comes while their source is on, many sources and windows at a time") {
  for (const std::size_t sources : {1, 8, 21})
    for (const BurstLengths& lengths : {BurstLengths{1, 1}, BurstLengths{20, 80}, BurstLengths{3000, 9000}})
      for (const std::uint64_t cycles : {1, 4095, 9001}) {
        CAPTURE(sources);
        CAPTURE(lengths.on);
        CAPTURE(cycles);
        const Bernoulli starts(Fraction{1, 40});
        const auto bursts = [&] {
          std::vector<Random> streams;
          for (std::size_t i = 0; i < sources; ++i) streams.push_back(RandomStreams(3, "bursts").stream(i));
          return Bursts(streams, lengths);
        };
        Bursts alone = bursts();
        Pairs left;
        std::vector<std::vector<std::uint8_t>> on(sources, std::vector<std::uint8_t>(cycles));
        for (std::size_t source = 0; source < sources; ++source) alone.mark(source, 1, 0, on[source]);
        for (const auto& [cycle, source] : expected(streams_of(sources), starts, cycles))
          if (on[source][cycle] != 0) left.emplace_back(cycle, source);
        Arrivals arrivals(streams_of(sources), starts, cycles, bursts());
        Pairs all;
        while (const auto arrival = arrivals.next()) all.emplace_back(arrival->cycle, arrival->source);
        REQUIRE(all == left);
      }
}

TEST_CASE("a number equal to the threshold takes more numbers of its own stream alone") {
  // The generator's output of a state is its second word times 5, turned by 7, times 9.
  const auto stream_that_begins_with = [](std::uint64_t number, std::uint64_t rest) {
    constexpr std::uint64_t ninth = 0x8e38e38e38e38e39U;
    constexpr std::uint64_t fifth = 0xcccccccccccccccdU;
    return Random({rest, std::rotr(number * ninth, 7) * fifth, rest + 1, rest + 2});
  };
  std::uint64_t arrived = 0;
  for (const Fraction& rate : {Fraction{1, 3}, Fraction{1, 4}, Fraction{2, 3}})
    for (std::uint64_t ties = 0; ties < 256; ++ties) {
      const std::uint64_t tied = ties * 0x1b3a7c5U;  // in all places of all vectors
      const Bernoulli starts(rate);
      std::vector<Random> streams;
      for (std::uint64_t lane = 0; lane < 25; ++lane)
        streams.push_back((tied >> lane & 1) != 0
                              ? stream_that_begins_with(starts.threshold(), 77 * tied + lane)
                              : RandomStreams(tied, "arrivals").stream(lane));
      if ((tied & 1) != 0) {
        Random first = streams[0];
        REQUIRE(first.next() == starts.threshold());
      }
      const Pairs arrivals = found(streams, starts, 100);
      REQUIRE(arrivals == expected(streams, starts, 100));
      for (const auto& [cycle, source] : arrivals) arrived += cycle == 0 && (tied >> source & 1) != 0 ? 1 : 0;
    }
  CHECK(arrived > 100);
}

}  // namespace wormcast::arrivals_test

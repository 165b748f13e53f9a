// Bursts: lengths and counts against their closed forms.
// SPDX-License-Identifier: MIT
#include "multicast/workload/workload.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "topology/error.hpp"
#include "topology/topology.hpp"

namespace wormcast::bursts_test {

TEST_CASE("geometric numbers have their probabilities") {
  for (const std::uint64_t mean : {1, 2, 3, 10}) {
    const Geometric geometric(mean);
    Random random(mean);
    constexpr int draws = 200'000;
    std::vector<int> counts(64, 0);
    for (int i = 0; i < draws; ++i) ++counts[std::min<std::uint64_t>(geometric(random), 63)];
    double expected = 1 / static_cast<double>(mean);
    for (std::size_t n = 0; n < 20; ++n) {
      CAPTURE(mean);
      CAPTURE(n);
      const double sigma = std::sqrt(draws * expected * (1 - expected)) + 1;
      CHECK(std::abs(counts[n] - draws * expected) < 4.5 * sigma);
      expected *= 1 - 1 / static_cast<double>(mean);
    }
  }
}

TEST_CASE("long geometric numbers have their mean and their tail") {
  constexpr int draws = 100'000;
  for (const std::uint64_t mean : {100, 5'000, 1 << 20}) {
    const Geometric geometric(mean);
    Random random(mean);
    double sum = 0, beyond = 0;
    for (int i = 0; i < draws; ++i) {
      const std::uint64_t number = geometric(random);
      sum += 1 + static_cast<double>(number);
      beyond += number >= 2 * mean ? 1 : 0;
    }
    CHECK(sum / draws == doctest::Approx(static_cast<double>(mean)).epsilon(0.015));
    CHECK(beyond / draws == doctest::Approx(std::exp(-2.0)).epsilon(0.05));
  }
}

TEST_CASE("counts of bursty sources have the mean and the variance of their Markov chain") {
  const auto mesh = build_topology({"mesh", {16, 16}, 0, {}});
  constexpr std::uint64_t cycles = 400, length = 4;
  for (const BurstLengths& lengths : {BurstLengths{20, 80}, BurstLengths{5, 5}, BurstLengths{1, 3}}) {
    const double on = static_cast<double>(lengths.on), off = static_cast<double>(lengths.off);
    const double share = on / (on + off), rate = 0.16, start = rate / length / share;
    double count = 0, squares = 0, sources = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      WorkloadSpec spec;
      spec.seed = seed;
      spec.length_flits = length;
      spec.open =
          OpenArrivals{"0.16", cycles, std::to_string(lengths.on) + ":" + std::to_string(lengths.off)};
      Workload workload(spec, *mesh);
      std::vector<double> counts(256, 0);
      while (const auto request = workload.next()) ++counts[request->source.value];
      for (const double one : counts) {
        count += one;
        squares += one * one;
        ++sources;
      }
    }
    const double mean = cycles * rate / length, lambda = 1 - 1 / on - 1 / off;
    double variance = mean * (1 - rate / length), power = 1;
    for (std::uint64_t k = 1; k < cycles; ++k) {
      power *= lambda;
      variance += 2 * start * start * share * (1 - share) * static_cast<double>(cycles - k) * power;
    }
    CAPTURE(lengths.on);
    CHECK(count / sources == doctest::Approx(mean).epsilon(4 * std::sqrt(variance / sources) / mean));
    CHECK(squares / sources - count * count / sources / sources == doctest::Approx(variance).epsilon(0.08));
  }
}

TEST_CASE("bursts are refused where they cannot be") {
  for (const char* const text : {"20", "0:5", "5:0", "5:x", "2000000:1"})
    CHECK_THROWS_AS(parse_burst(text), InputError);
  const auto mesh = build_topology({"mesh", {2, 2}, 0, {}});
  WorkloadSpec spec;
  spec.length_flits = 1;
  spec.open = OpenArrivals{"0.5", 10, "1:3"};
  CHECK_THROWS_WITH_AS(Workload(spec, *mesh), doctest::Contains("more than one multicast"), InputError);
}

}  // namespace wormcast::bursts_test

// Decimals, Student's t and accumulated statistics.
// SPDX-License-Identifier: MIT
#include "report/statistics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "topology/error.hpp"
#include "topology/random.hpp"

namespace wormcast::statistics_test {

namespace {

Accumulator sample_of(const std::vector<std::int64_t>& values) {
  Accumulator sample;
  for (const std::int64_t value : values) sample.add(value);
  return sample;
}

}  // namespace

TEST_CASE("decimals are rounded half away from zero") {
  CHECK(decimal(Wide{1}, 3, 2) == "0.33");
  CHECK(decimal(Wide{2}, 3, 2) == "0.67");
  CHECK(decimal(Wide{1}, 8, 2) == "0.13");
  CHECK(decimal(Wide{-1}, 8, 2) == "-0.13");
  CHECK(decimal(Wide{-1}, 1000, 2) == "0.00");
  CHECK(decimal(Wide{1999}, 1000, 2) == "2.00");
  CHECK(decimal(Wide{5}, 2, 0) == "3");
  CHECK(decimal(Wide{7}, 1, 3) == "7.000");
  CHECK(decimal(Wide{1} << 100, 1, 0) == "1267650600228229401496703205376");
  CHECK(decimal(0.125, 2) == "0.13");
  CHECK(decimal(-2.5, 0) == "-3");
  CHECK(decimal(0.0, 1) == "0.0");
}

TEST_CASE("Student's t agrees with printed tables, across the change to the expansion") {
  const std::vector<std::pair<std::uint64_t, double>> known = {
      {1, 12.7062047},  {2, 4.30265273},  {10, 2.22813885}, {20, 2.08596345},  {21, 2.07961384},
      {30, 2.04227246}, {40, 2.02107539}, {60, 2.00029782}, {120, 1.97993041}, {1000, 1.96233908}};
  for (const auto& row : known) {
    CAPTURE(row.first);
    CHECK(std::fabs(student_t95(row.first) - row.second) < 3e-7);
  }
  for (std::uint64_t v = 1; v < 200; ++v) CHECK(student_t95(v + 1) < student_t95(v));
}

TEST_CASE("statistics of small samples") {
  const Accumulator sample = sample_of({2, 4, 4, 4, 5, 5, 7, 9});
  CHECK(statistic_text(sample, Statistic::mean, 0, 2) == "5.00");
  CHECK(statistic_text(sample, Statistic::min, 0, 2) == "2");
  CHECK(statistic_text(sample, Statistic::max, 0, 2) == "9");
  CHECK(statistic_text(sample, Statistic::count, 0, 2) == "8");
  CHECK(statistic_text(sample, Statistic::sum, 0, 2) == "40");
  // t(7) · sqrt(32 / 7 / 8) = 2.36462425 · 0.75592895
  CHECK(statistic_text(sample, Statistic::interval95, 0, 6) == "1.787488");
  const Accumulator one = sample_of({-3});
  CHECK(statistic_text(one, Statistic::mean, 0, 1) == "-3.0");
  CHECK(statistic_text(one, Statistic::interval95, 0, 1).empty());
  CHECK(statistic_text(Accumulator{}, Statistic::mean, 0, 1).empty());
  CHECK(statistic_text(Accumulator{}, Statistic::count, 0, 1) == "0");
  // Values with a fixed point of three digits.
  const Accumulator fixed = sample_of({1500, 2500});
  CHECK(statistic_text(fixed, Statistic::mean, 3, 2) == "2.00");
  CHECK(statistic_text(fixed, Statistic::max, 3, 2) == "2.500");
  CHECK(statistic_text(fixed, Statistic::interval95, 3, 3) == "6.353");
}

TEST_CASE("intervals do not depend on an offset or on the order, and equal values have none") {
  const std::int64_t offset = (std::int64_t{1} << 53) - 100;
  const Accumulator near = sample_of({0, 1, 2, 3, 50});
  const Accumulator far = sample_of({offset + 50, offset + 2, offset, offset + 3, offset + 1});
  REQUIRE(near.interval95());
  CHECK(*near.interval95() == *far.interval95());
  CHECK(*sample_of({7, 7, 7}).interval95() == 0.0);
}

TEST_CASE("merged samples are as if added one by one") {
  const std::vector<std::int64_t> values = {9, -4, 1000000007, 3, 3, -77, 12};
  const Accumulator whole = sample_of(values);
  for (std::size_t cut = 0; cut <= values.size(); ++cut) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(cut);
    Accumulator left = sample_of({values.begin(), middle});
    left.merge(sample_of({middle, values.end()}));
    CHECK(left.count() == whole.count());
    CHECK(left.sum() == whole.sum());
    CHECK(left.min() == whole.min());
    CHECK(left.max() == whole.max());
    CHECK(*left.interval95() == *whole.interval95());
  }
}

TEST_CASE("sums of squares that do not fit are refused, not wrong") {
  Accumulator sample;
  const std::int64_t large = INT64_MAX / 2;
  for (int i = 0; i < 4; ++i) {
    sample.add(large);
    sample.add(-large);
  }
  CHECK_THROWS_AS(sample.interval95(), InputError);
  CHECK(statistic_text(sample, Statistic::mean, 0, 1) == "0.0");
}

TEST_CASE("the interval by clusters is that of their means where they are of one size") {
  // Means 2, 4, 9 of two values each: 4.30265273 · √(Σ(x − 5)² / 2 / 3) = 4.30265273 · √(26 / 6).
  const std::vector<Cluster> same = {{2, 4}, {2, 8}, {2, 18}};
  CHECK(*cluster_interval95(same) == doctest::Approx(4.30265273 * std::sqrt(26.0 / 6)));
  // S = 30, N = 6, mean 5: (4 − 5)², (14 − 15)², (12 − 10)² · 3/2 / 36.
  const std::vector<Cluster> other = {{1, 4}, {3, 14}, {2, 12}};
  CHECK(*cluster_interval95(other) == doctest::Approx(4.30265273 * std::sqrt(6.0 * 1.5) / 6));
  CHECK_FALSE(cluster_interval95(std::vector<Cluster>{{5, 10}}));
}

TEST_CASE("dependent values: by runs, by batches of one run, else none") {
  Accumulator sample, other;
  for (int i = 0; i < 6; ++i) sample.add(i % 2);
  sample.set_dependent(true);
  CHECK_FALSE(sample.interval95());  // of two batches no interval is given
  sample.end_run(3);
  for (const std::int64_t value : {9, 11}) other.add(value);
  other.end_run(1);
  sample.merge(other);
  CHECK(*sample.interval95() == *cluster_interval95(std::vector<Cluster>{{6, 3}, {2, 20}}));
  Accumulator same_run;
  same_run.add(4);
  same_run.end_run(1);
  sample.merge(same_run);
  CHECK(*sample.interval95() == *cluster_interval95(std::vector<Cluster>{{6, 3}, {3, 24}}));
  Accumulator rising;
  rising.set_dependent(true);
  for (int i = 0; i < 1000; ++i) rising.add(i);
  Accumulator ends;
  for (int i = 0; i < 1000; ++i) ends.add(i % 7);
  ends.set_dependent(false);
  CHECK_FALSE(ends.interval95());
  ends.set_dependent(true);
  CHECK(ends.interval95());
  CHECK_FALSE(rising.interval95());  // its batches depend on each other, however long they are
}

// A queue of Bernoulli arrivals (p) with service in D = 5 cycles has mean wait pD(D − 1) / (2(1 − pD)). A
// binomial count of 1,000 trials at 95 % is in the range below with probability 0.996.
TEST_CASE("intervals of a queue hold its mean in 93 to 97 of 100 runs, by batches and by runs" *
          doctest::test_suite("long")) {
  constexpr std::uint64_t runs = 1000, service = 5, arrivals_per_thousand = 100;
  const double mean = 0.1 * 5 * 4 / (2 * 0.5);
  const auto queue = [&](Random& random, std::uint64_t length) {
    Accumulator waits;
    std::uint64_t wait = 0;
    for (std::uint64_t i = 0; i < length + 100; ++i) {
      std::uint64_t gap = 1;
      while (random.below(1000) >= arrivals_per_thousand) ++gap;
      wait = wait + service > gap ? wait + service - gap : 0;
      if (i >= 100) waits.add(static_cast<std::int64_t>(wait));
    }
    waits.set_dependent(true);
    return waits;
  };
  const auto holds = [&](const Accumulator& sample, double half) {
    return std::abs(static_cast<double>(sample.sum()) / static_cast<double>(sample.count()) - mean) <= half;
  };
  Random random(1);
  std::uint64_t by_batches = 0, given = 0, by_runs = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const Accumulator one = queue(random, 5000);
    if (const std::optional<double> half = one.interval95()) {
      ++given;
      by_batches += holds(one, *half) ? 1 : 0;
    }
    Accumulator all;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      Accumulator part = queue(random, 2000 + 200 * seed);
      part.end_run(seed);
      all.merge(part);
    }
    by_runs += holds(all, all.interval95().value()) ? 1 : 0;
  }
  CHECK(given > runs * 9 / 10);
  CHECK(by_batches * 100 >= given * 93);
  CHECK(by_batches * 100 <= given * 97);
  CHECK(by_runs >= runs * 93 / 100);
  CHECK(by_runs <= runs * 97 / 100);
}

TEST_CASE("percentiles are nearest ranks, also of merged samples") {
  Random random = RandomStreams(7, "percentiles").stream(0);
  for (std::size_t size = 1; size <= 120; ++size) {
    CAPTURE(size);
    std::vector<std::int64_t> values;
    Accumulator whole(true);
    Accumulator first(true);
    Accumulator second(true);
    for (std::size_t i = 0; i < size; ++i) {
      values.push_back(static_cast<std::int64_t>(random.below(40)) - 20);
      whole.add(values.back());
      (i % 3 == 0 ? first : second).add(values.back());
    }
    first.merge(second);
    std::sort(values.begin(), values.end());
    for (const std::size_t percent : {50U, 95U, 99U}) {
      const std::size_t rank = (percent * size + 99) / 100;
      CHECK(whole.percentile(percent) == values[rank - 1]);
      CHECK(first.percentile(percent) == values[rank - 1]);
    }
    CHECK(statistic_text(whole, Statistic::p50, 0, 2) == std::to_string(values[(size + 1) / 2 - 1]));
  }
  Accumulator fixed(true);
  fixed.add(2500);
  CHECK(statistic_text(fixed, Statistic::p99, 3, 2) == "2.500");
  CHECK(statistic_text(Accumulator(true), Statistic::p99, 3, 2).empty());
}

TEST_CASE("two decimals, and three significant digits of means below 1") {
  const auto mean = [](std::int64_t sum, std::size_t count, unsigned value_digits) {
    Accumulator sample;
    sample.add(sum);
    for (std::size_t i = 1; i < count; ++i) sample.add(0);
    return statistic_text(sample, Statistic::mean, value_digits, readable_digits(sample, value_digits));
  };
  CHECK(mean(0, 3, 0) == "0.00");
  CHECK(mean(1, 1, 0) == "1.00");
  CHECK(mean(1, 3, 0) == "0.333");
  CHECK(mean(-1, 3, 0) == "-0.333");
  CHECK(mean(1, 10, 0) == "0.100");
  CHECK(mean(79'900, 1, 6) == "0.0799");
  CHECK(mean(1, 300, 0) == "0.00333");
  CHECK(mean(1, 1, 6) == "0.00000100");
  CHECK(mean(1, 7, 9) == "0.000000000");  // no more than nine decimals
}

TEST_CASE("names of statistics") {
  for (std::size_t i = 0; i < statistic_count; ++i) {
    const auto statistic = static_cast<Statistic>(i);
    CHECK(find_statistic(statistic_name(statistic), "--statistics") == statistic);
  }
  CHECK_THROWS_WITH_AS(find_statistic("meen", "--statistics"), doctest::Contains("did you mean 'mean'"),
                       InputError);
}

}  // namespace wormcast::statistics_test

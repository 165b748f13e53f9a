// Generators against published vectors, and that draws have exactly the distribution they claim.
// SPDX-License-Identifier: MIT
#include "topology/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "topology/error.hpp"

namespace wormcast::random_test {

TEST_CASE("SplitMix64 gives the published numbers of seed 1234567") {
  SplitMix64 generator(1234567);
  for (std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                 4593380528125082431u, 16408922859458223821u})
    CHECK(generator.next() == expected);
}

TEST_CASE("xoshiro256** gives the published numbers of state 1 2 3 4") {
  Random generator(std::array<std::uint64_t, 4>{1, 2, 3, 4});
  for (std::uint64_t expected :
       {std::uint64_t{11520}, std::uint64_t{0}, std::uint64_t{1509978240}, std::uint64_t{1215971899390074240},
        std::uint64_t{1216172134540287360}, std::uint64_t{607988272756665600},
        std::uint64_t{16172922978634559625u}, std::uint64_t{8476171486693032832},
        std::uint64_t{10595114339597558777u}, std::uint64_t{2904607092377533576}})
    CHECK(generator.next() == expected);
}

TEST_CASE("a seed is expanded by SplitMix64") {
  SplitMix64 seeder(42);
  std::array<std::uint64_t, 4> state{};
  for (auto& word : state) word = seeder.next();
  Random by_state(state);
  Random by_seed(42);
  for (int i = 0; i < 100; ++i) CHECK(by_state.next() == by_seed.next());
}

TEST_CASE("streams depend on seed, purpose and index, and on nothing else") {
  std::set<std::uint64_t> first_draws;
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    for (const char* purpose : {"", "a", "ab", "b", "sources", "destinations"})
      for (std::uint64_t index = 0; index < 50; ++index)
        first_draws.insert(RandomStreams(seed, purpose).stream(index).next());
  CHECK(first_draws.size() == 3 * 6 * 50);

  const RandomStreams streams(7, "sources");
  Random late = streams.stream(3);
  Random other = streams.stream(4);
  other.next();
  Random again = RandomStreams(7, "sources").stream(3);
  CHECK(late.next() == again.next());
}

TEST_CASE("the numbers of a stream never change") {
  // Fixed when the definition was written: recorded workloads depend on them.
  Random stream = RandomStreams(1, "destinations").stream(0);
  CHECK(stream.next() == 12725901780041001117u);
  CHECK(stream.next() == 17247724098785333019u);
  CHECK(stream.below(1000) == 651);
}

TEST_CASE("bounded draws stay in range and every value comes as often as chance allows") {
  Random random(5);
  for (std::uint64_t bound : {1u, 2u, 3u, 7u, 10u, 64u}) {
    std::vector<std::uint64_t> seen(bound);
    const std::uint64_t draws = 20000 * bound;
    for (std::uint64_t i = 0; i < draws; ++i) ++seen[random.below(bound)];
    for (std::uint64_t count : seen) {
      CHECK(count > 19000);
      CHECK(count < 21000);
    }
  }
}

TEST_CASE("bounded draws reject what would favour some values") {
  // With bound 2^63 + 1 nearly half of all numbers must be drawn again: a generator without
  // rejection would give all its even values twice.
  const std::uint64_t bound = (std::uint64_t{1} << 63) + 1;
  Random random(11);
  Random reference(11);
  std::uint64_t taken = 0;
  for (int i = 0; i < 2000; ++i) {
    CHECK(random.below(bound) < bound);
    ++taken;
  }
  std::uint64_t numbers = 0;
  const std::uint64_t next = random.next();
  while (reference.next() != next && numbers < 10000) ++numbers;
  CHECK(numbers > taken * 18 / 10);
  CHECK(numbers < taken * 22 / 10);
}

TEST_CASE("between takes both ends, and the whole range") {
  Random random(3);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.between(5, 8));
  CHECK(seen == std::set<std::uint64_t>{5, 6, 7, 8});
  Random a(9);
  Random b(9);
  CHECK(a.between(0, ~std::uint64_t{0}) == b.next());
}

TEST_CASE("samples are sorted, different, in range, and every set is equally likely") {
  Random random(17);
  std::map<std::vector<std::uint32_t>, int> sets;
  for (int i = 0; i < 40000; ++i) ++sets[sample(random, 3, 6)];
  CHECK(sets.size() == 20);
  for (const auto& [set, count] : sets) {
    CHECK(std::is_sorted(set.begin(), set.end()));
    CHECK(count > 1800);
    CHECK(count < 2200);
  }
  for (std::uint32_t count : {0u, 1u, 47u, 48u, 49u, 99u, 100u}) {
    const auto set = sample(random, count, 100);
    CHECK(set.size() == count);
    CHECK(std::set<std::uint32_t>(set.begin(), set.end()).size() == count);
    if (count > 0) CHECK(set.back() < 100);
  }
}

TEST_CASE("a large sample does not depend on how membership is kept") {
  // The definition, with a plain array of flags.
  Random a(23);
  Random b(23);
  std::vector<bool> flags(1000);
  for (std::uint32_t last = 1000 - 300; last < 1000; ++last) {
    const auto drawn = static_cast<std::uint32_t>(a.below(last + 1));
    flags[flags[drawn] ? last : drawn] = true;
  }
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 1000; ++i)
    if (flags[i]) expected.push_back(i);
  CHECK(sample(b, 300, 1000) == expected);
}

TEST_CASE("every order is equally likely after a shuffle") {
  Random random(29);
  std::map<std::vector<int>, int> orders;
  for (int i = 0; i < 24000; ++i) {
    std::vector<int> items{1, 2, 3, 4};
    shuffle(random, items);
    ++orders[items];
  }
  CHECK(orders.size() == 24);
  for (const auto& [order, count] : orders) {
    CHECK(count > 850);
    CHECK(count < 1150);
  }
}

TEST_CASE("decimals are read exactly") {
  const auto is = [](const char* text, std::uint64_t numerator, std::uint64_t denominator) {
    const Fraction value = parse_decimal("--rate", text);
    return value.numerator == numerator && value.denominator == denominator;
  };
  CHECK(is("0.05", 5, 100));
  CHECK(is("2", 2, 1));
  CHECK(is("2.", 2, 1));
  CHECK(is(".5", 5, 10));
  CHECK(is("0", 0, 1));
  CHECK(is("0.000000000000001", 1, 1000000000000000));
  for (const char* bad : {"", ".", "-1", "+1", "1e-3", "0x1", "1,5", " 1", "1.2.3", "nan",
                          "0.0000000000000001", "9007199254740992"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_decimal("--rate", bad), InputError);
  }
}

TEST_CASE("Bernoulli compares with the exact binary digits of the probability") {
  // Half: the first digit decides.
  Random half_source(31);
  Random copy(31);
  const Bernoulli half(Fraction{5, 10});
  for (int i = 0; i < 1000; ++i) CHECK(half(half_source) == (copy.next() < (std::uint64_t{1} << 63)));

  Random random(37);
  const Bernoulli never(Fraction{0, 7});
  const Bernoulli always(Fraction{7, 7});
  CHECK(never.never());
  CHECK_FALSE(always.never());
  CHECK_FALSE(Bernoulli(Fraction{1, 1000000000000000000}).never());
  for (int i = 0; i < 1000; ++i) {
    CHECK_FALSE(never(random));
    CHECK(always(random));
  }
  int hits = 0;
  const Bernoulli thousandth(Fraction{3, 1000});
  for (int i = 0; i < 1000000; ++i) hits += thousandth(random) ? 1 : 0;
  CHECK(hits > 2800);
  CHECK(hits < 3200);
}

TEST_CASE("Bernoulli looks at further digits when the first 64 agree") {
  // 1/3 = 0.0101…: threshold 0x5555555555555555 and a third remains. Both states below draw exactly
  // the threshold first; xoshiro's output depends on word 1 only, so word 1 is the inverse image.
  const std::uint64_t threshold = 0x5555555555555555u;
  const auto inverse = [](std::uint64_t odd) {
    std::uint64_t x = odd;
    for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
    return x;
  };
  const std::uint64_t rotated = threshold * inverse(9);
  const std::uint64_t word1 = ((rotated >> 7) | (rotated << 57)) * inverse(5);
  int yes = 0;
  int no = 0;
  for (std::uint64_t other = 1; other <= 300; ++other) {
    std::array<std::uint64_t, 4> state{other * 0x9e3779b97f4a7c15u, word1, other * 0xbf58476d1ce4e5b9u,
                                       other};
    Random probe(state);
    REQUIRE(probe.next() == threshold);
    Random random(state);
    const bool answer = Bernoulli(Fraction{1, 3})(random);
    CHECK(answer == (probe.next() < threshold));
    ++(answer ? yes : no);
  }
  CHECK(yes > 60);
  CHECK(no > 120);
}

TEST_CASE("a draw that is true stays true for a greater probability") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    bool before = false;
    for (std::uint64_t p = 0; p <= 100; ++p) {
      Random random(seed);
      const bool now = Bernoulli(Fraction{p, 100})(random);
      CHECK((now || !before));
      before = now;
    }
    CHECK(before);
  }
}

}  // namespace wormcast::random_test

// The exact search against all orders of requests, tried by the code that verifies, on random sets of worms.
// Every order of flits of smaller ones: flit_by_flit_test.cpp.
// SPDX-License-Identifier: MIT
#include "deadlock/search/search.hpp"
#include "checks/witness_runs.hpp"

#include <doctest/doctest.h>

#include <array>

#include "unit/deadlock/hand_made.hpp"
#include "unit/long_mode.hpp"

namespace wormcast::search_test {

namespace {

struct Tally {
  std::array<int, 4> answers{};
  int cyclic_but_safe = 0;
};

RouterModel random_model(Random& random) {
  RouterModel model;
  model.injection_channels = static_cast<std::uint32_t>(random.below(3));
  model.consumption_channels = static_cast<std::uint32_t>(random.below(3));
  model.buffer_flits = static_cast<std::uint32_t>(random.between(1, 3));
  model.allocation = random.below(3) == 0 ? Allocation::atomic : Allocation::incremental;
  return model;
}

/// Small enough for dependency cycles to be frequent.
std::unique_ptr<const Topology> small_mesh(Random& random) {
  const std::vector<std::vector<std::uint64_t>> sizes{{2, 2}, {2, 2}, {3, 2}, {3, 3}};
  return hand_made::mesh(sizes[random.below(sizes.size())]);
}

/// Checks one set by search and by all orders.
void compare(const Topology& topology, const RouterModel& model, const std::vector<WormRoute>& worms,
             std::uint64_t flits, Tally& tally) {
  const std::vector<Routes> all = hand_made::one_each(worms, flits);
  const Verdict verdict = hand_made::check(topology, model, all);
  ++tally.answers[static_cast<std::size_t>(verdict.answer())];
  const AllOrders orders = try_all_orders(topology, model, hand_made::explored(model, all), 2'000'000);
  REQUIRE((orders.exhausted || orders.deadlock));
  switch (verdict.answer()) {
    case Answer::safe:
    case Answer::safe_unreachable:
      CHECK_FALSE(orders.deadlock);
      break;
    case Answer::deadlock:
      CHECK(orders.deadlock);
      break;
    case Answer::loop:
    case Answer::unknown:
      break;
  }
}

}  // namespace

TEST_CASE("search equals all orders of requests: long path worms") {
  const RandomStreams streams(1, "long path worms");
  Tally tally;
  const int count = testing::few_or_many(1000, 10'000);
  for (int i = 0; i < count; ++i) {
    Random random = streams.stream(static_cast<std::uint64_t>(i));
    const auto topology = small_mesh(random);
    const RouterModel model = random_model(random);
    std::vector<WormRoute> worms;
    for (std::uint64_t w = random.between(3, 4); w-- > 0;)
      worms.push_back(hand_made::random_path(random, *topology, 4));
    INFO("set ", i);
    compare(*topology, model, worms, 1000, tally);
  }
  CHECK(tally.answers[static_cast<std::size_t>(Answer::unknown)] == 0);
  for (const Answer answer : {Answer::safe, Answer::safe_unreachable, Answer::deadlock})
    CHECK(tally.answers[static_cast<std::size_t>(answer)] > 0);
  MESSAGE("safe ", tally.answers[0], ", safe-unreachable ", tally.answers[1], ", deadlock ",
          tally.answers[2]);
}

TEST_CASE("search equals all orders of requests: short path worms, several of one route") {
  const RandomStreams streams(2, "short path worms");
  Tally tally;
  const int count = testing::few_or_many(700, 10'000);
  for (int i = 0; i < count; ++i) {
    Random random = streams.stream(static_cast<std::uint64_t>(i));
    const auto topology = small_mesh(random);
    const RouterModel model = random_model(random);
    std::vector<WormRoute> worms;
    for (std::uint64_t w = random.between(2, 3); w-- > 0;) {
      worms.push_back(hand_made::random_path(random, *topology, 4));
      if (worms.size() < 4 && random.below(3) == 0) worms.push_back(worms.back());
    }
    INFO("set ", i);
    compare(*topology, model, worms, random.between(1, 8), tally);
  }
  MESSAGE("safe ", tally.answers[0], ", safe-unreachable ", tally.answers[1], ", deadlock ", tally.answers[2],
          ", unknown ", tally.answers[3]);
}

TEST_CASE("search equals all orders of requests: trees, asynchronous, lock-step and atomic") {
  const RandomStreams streams(3, "trees");
  Tally tally;
  const int count = testing::few_or_many(500, 10'000);
  for (int i = 0; i < count; ++i) {
    Random random = streams.stream(static_cast<std::uint64_t>(i));
    const auto topology = small_mesh(random);
    const RouterModel model = random_model(random);
    std::vector<WormRoute> worms;
    for (std::uint64_t w = random.between(2, 3); w-- > 0;)
      worms.push_back(
          hand_made::random_tree(random, *topology, static_cast<std::uint32_t>(random.between(2, 4)),
                                 random.below(2) == 0 ? Copies::asynchronous : Copies::lock_step));
    INFO("set ", i);
    compare(*topology, model, worms, random.below(2) == 0 ? 1000 : random.between(1, 10), tally);
  }
  MESSAGE("safe ", tally.answers[0], ", safe-unreachable ", tally.answers[1], ", deadlock ", tally.answers[2],
          ", unknown ", tally.answers[3]);
}

}  // namespace wormcast::search_test

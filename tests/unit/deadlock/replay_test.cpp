// The checker against the simulator: every witness replays, nothing proved safe ever stands still.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "unit/deadlock/hand_made.hpp"
#include "unit/long_mode.hpp"

namespace wormcast::replay_test {

using hand_made::Set;

namespace {

RouterModel random_model(Random& random) {
  RouterModel model;
  model.injection_channels = static_cast<std::uint32_t>(random.below(3));
  model.consumption_channels = static_cast<std::uint32_t>(random.below(3));
  model.buffer_flits = static_cast<std::uint32_t>(random.between(1, 4));
  model.hop_cycles = static_cast<std::uint32_t>(random.between(1, 3));
  model.flit_cycles = static_cast<std::uint32_t>(random.between(1, 2));
  model.credit_cycles = static_cast<std::uint32_t>(random.between(1, 3));
  model.startup_cycles = random.below(20);
  model.overhead_cycles = random.below(5);
  model.header_flits = static_cast<std::uint32_t>(random.below(3));
  model.allocation = random.below(3) == 0 ? Allocation::atomic : Allocation::incremental;
  return model;
}

Set random_set(Random& random) {
  const std::vector<std::vector<std::uint64_t>> sizes{{2, 2}, {3, 2}, {3, 3}, {3, 3}};
  Set set{hand_made::mesh(sizes[random.below(sizes.size())]), random_model(random), {}};
  const std::uint64_t kind = random.below(4);
  const std::uint64_t most_flits = random.below(2) == 0 ? 8 : 60;
  for (std::uint64_t i = 0, count = random.between(3, 6); i < count; ++i) {
    WormRoute worm;
    const auto replication = random.below(2) == 0 ? Copies::asynchronous : Copies::lock_step;
    if (kind < 2 || (kind == 2 && random.below(2) == 0))
      worm = hand_made::random_path(random, *set.topology, static_cast<std::uint32_t>(random.between(2, 5)));
    else
      worm = hand_made::random_tree(random, *set.topology, static_cast<std::uint32_t>(random.between(2, 5)),
                                    replication);
    set.multicasts.push_back(hand_made::multicast(i, {worm}, random.between(1, most_flits)));
  }
  return set;
}

/// The witness's worms are the deadlock's, except that its delayed branches may block more.
void replay(const Set& set, const Verdict& verdict) {
  const std::vector<Routes> witness = witness_routes(verdict.witness());
  const Summary summary = hand_made::simulate(*set.topology, set.model, witness);
  REQUIRE(summary.outcome == Outcome::deadlock);
  REQUIRE(summary.deadlock.has_value());
  std::set<std::uint64_t> blocked;
  for (const WormName& name : summary.deadlock->blocked) blocked.insert(name.multicast);
  for (const Routes& routes : witness) CHECK(blocked.count(routes.plan.request.id) == 1);
}

}  // namespace

TEST_CASE("every witness replays in the simulator; no set proved safe deadlocks in it" *
          doctest::test_suite("long")) {
  const RandomStreams streams(11, "replay");
  const int count = testing::few_or_many(600, 20'000);
  int deadlocks = 0, proved = 0, undecided = 0, runs = 0;
  for (int i = 0; i < count; ++i) {
    Random random = streams.stream(static_cast<std::uint64_t>(i));
    Set set = random_set(random);
    INFO("set ", i);
    const Verdict verdict = hand_made::check(set);
    if (verdict.answer() == Answer::unknown) ++undecided;
    if (verdict.answer() == Answer::deadlock) {
      ++deadlocks;
      replay(set, verdict);
      continue;
    }
    if (verdict.answer() == Answer::unknown) continue;
    ++proved;
    for (int run = 0; run < 2; ++run, ++runs) {
      for (Routes& routes : set.multicasts) {
        routes.plan.request.start_cycle = random.below(12);
        for (RouteHop& hop : routes.worms.front().hops)
          if (random.below(4) == 0) hop.not_before_cycle = random.below(60);
      }
      std::stable_sort(set.multicasts.begin(), set.multicasts.end(), [](const Routes& a, const Routes& b) {
        return a.plan.request.start_cycle < b.plan.request.start_cycle;
      });
      CHECK(hand_made::simulate(*set.topology, set.model, set.multicasts).outcome == Outcome::complete);
    }
  }
  MESSAGE(deadlocks, " deadlocks replayed, ", proved, " sets proved safe ran ", runs, " times, ", undecided,
          " unknown");
  CHECK(deadlocks > count / 10);
  CHECK(proved > count / 3);
}

}  // namespace wormcast::replay_test

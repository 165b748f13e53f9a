// Verdicts checked alone: what the checker answers holds, what is changed in it or made up does not.
// SPDX-License-Identifier: MIT
#include "deadlock/verdict_check.hpp"

#include <doctest/doctest.h>

#include <array>

#include "deadlock/exploration.hpp"
#include "unit/deadlock/hand_made.hpp"

using namespace wormcast;

namespace {

using Outcome = CheckedVerdict::Outcome;

struct Set {
  std::unique_ptr<const Topology> topology;
  RouterModel model;
  std::vector<Routes> multicasts;

  explicit Set(Random& random) : topology(hand_made::mesh({2 + random.below(2), 2})) {
    model.injection_channels = static_cast<std::uint32_t>(random.below(2));
    model.consumption_channels = static_cast<std::uint32_t>(random.below(2));
    model.buffer_flits = static_cast<std::uint32_t>(random.between(1, 3));
    model.allocation = random.below(3) == 0 ? Allocation::atomic : Allocation::incremental;
    model.cut_through = random.below(6) == 0;
    for (std::uint64_t i = 0, count = random.between(2, 4); i < count; ++i) {
      const auto replication = random.below(2) == 0 ? Replication::asynchronous : Replication::lock_step;
      const WormRoute worm = random.below(2) == 0 ? hand_made::random_path(random, *topology, 4)
                                                  : hand_made::random_tree(random, *topology, 4, replication);
      multicasts.push_back(hand_made::multicast(i, {worm}, random.between(1, 12)));
    }
  }

  Verdict verdict(const SearchLimits& limits = {}) const {
    CheckOptions options;
    options.model = model;
    options.limits = limits;
    DeadlockChecker checker(*topology, options);
    for (const Routes& routes : multicasts) checker.add(routes);
    return checker.verdict();
  }

  Outcome verify(const Verdict& verdict) const {
    VerdictCheck check(*topology, verdict, 100'000);
    for (const Routes& routes : multicasts) check.add(routes);
    return check.finish().outcome;
  }

  bool can_deadlock() const {
    std::vector<ExploredWorm> worms;
    for (const Routes& routes : multicasts)
      worms.push_back(
          ExploredWorm{routes.worms.front(), routes.plan.request.length_flits + model.header_flits});
    return explore(*topology, model, worms, 1'000'000).deadlock.has_value();
  }
};

/// What a reader of the record has: no routes in the witness.
Verdict as_read(Verdict verdict) {
  for (WitnessWorm& worm : verdict.witness) worm.route = WormRoute{};
  return verdict;
}

/// A witness out of thin air: some worms of the set, each said to hold and wait for single hops.
Verdict made_up(Random& random, const Set& set, Verdict verdict) {
  verdict.answer = Answer::deadlock;
  verdict.witness.clear();
  for (const Routes& routes : set.multicasts) {
    if (random.below(4) == 0) continue;
    WitnessWorm worm;
    worm.name = WormRef{routes.plan.request.id, 0};
    worm.length_flits = routes.plan.request.length_flits;
    const auto hop = static_cast<std::int32_t>(random.below(routes.worms.front().hops.size()));
    for (std::int32_t held = 0; held < hop; ++held)
      if (random.below(3) != 0) worm.holds.push_back(held);
    worm.waits = {hop};
    verdict.witness.push_back(worm);
  }
  return verdict;
}

}  // namespace

TEST_CASE("verdicts hold when they are checked alone, on every answer") {
  const RandomStreams streams(41, "verdicts");
  std::array<int, 4> held{};
  for (std::uint64_t i = 0; i < 600; ++i) {
    Random random = streams.stream(i);
    const Set set(random);
    const Verdict verdict = set.verdict(i % 3 == 2 ? SearchLimits{1, 1} : SearchLimits{});
    INFO("set ", i, ", ", answer_name(verdict.answer));
    const Outcome outcome = set.verify(as_read(verdict));
    CHECK(outcome != Outcome::refused);
    if (outcome == Outcome::holds) ++held[static_cast<std::size_t>(verdict.answer)];
  }
  for (const int count : held) CHECK(count > 5);
}

TEST_CASE("verdicts: wrong answers and made-up witnesses are refused") {
  const RandomStreams streams(42, "tampered verdicts");
  int refused = 0, lucky = 0;
  for (std::uint64_t i = 0; i < 600; ++i) {
    Random random = streams.stream(i);
    const Set set(random);
    Verdict verdict = as_read(set.verdict());
    INFO("set ", i);
    const bool truth = set.can_deadlock();
    const Verdict witness = made_up(random, set, verdict);
    if (!witness.witness.empty() && !verdict.cycle.empty()) {
      const bool holds = set.verify(witness) == Outcome::holds;
      CHECK((!holds || truth));
      (holds ? lucky : refused) += 1;
    }
    Verdict counted = verdict;
    ++counted.worms;
    CHECK(set.verify(counted) == Outcome::refused);
    if (verdict.answer == Answer::safe && verdict.dependencies > 0) {
      std::reverse(verdict.numbering.begin(), verdict.numbering.end());
      CHECK(set.verify(verdict) == Outcome::refused);
    } else if (verdict.answer != Answer::safe) {
      Verdict turned = verdict;  // a numbering of what it names cannot exist
      turned.answer = Answer::safe;
      for (const Dependency& edge : turned.cycle) turned.numbering.push_back(edge.from);
      CHECK(set.verify(turned) == Outcome::refused);
      Verdict cut = verdict;
      cut.cycle.pop_back();
      CHECK(set.verify(cut) == Outcome::refused);
      Verdict moved = verdict;
      moved.cycle.front().cause.hop += 1;
      if (verdict.model.allocation == Allocation::incremental) CHECK(set.verify(moved) == Outcome::refused);
    }
    if (!truth && verdict.answer == Answer::safe_unreachable) {
      Verdict claimed = verdict;
      claimed.answer = Answer::deadlock;
      CHECK(set.verify(claimed) == Outcome::refused);  // without a witness
    }
  }
  CHECK(refused > 50);
}

TEST_CASE("verdicts: worms that wait for each other's arrival make no witness") {
  const auto ring = hand_made::mesh({2, 2});
  std::vector<Routes> multicasts;
  for (const std::vector<std::uint32_t>& nodes :
       std::vector<std::vector<std::uint32_t>>{{0, 1, 3}, {1, 3, 2}, {3, 2, 0}, {2, 0, 1}})
    multicasts.push_back(hand_made::multicast(multicasts.size(), {hand_made::path(*ring, nodes)}, 100));
  DeadlockChecker checker(*ring, {});
  for (const Routes& routes : multicasts) checker.add(routes);
  const Verdict verdict = as_read(checker.verdict());
  REQUIRE(verdict.answer == Answer::deadlock);
  const auto verify = [&] {
    VerdictCheck check(*ring, verdict, 1000);
    for (const Routes& routes : multicasts) check.add(routes);
    return check.finish();
  };
  CHECK(verify().outcome == Outcome::holds);
  multicasts[1].plan.request.depends_on = {3};  // it comes to 1, where this one starts
  CHECK(verify().outcome == Outcome::refused);
  CHECK(verify().reason == "multicast 1, worm 0 waits for multicast 3, worm 0 to arrive");
}

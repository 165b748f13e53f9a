// Verdicts checked alone: what the checker answers holds, what is changed in it or made up does not.
// SPDX-License-Identifier: MIT
#include "checks/verdict_check.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "unit/deadlock/flit_oracle.hpp"
#include "unit/deadlock/hand_made.hpp"

namespace wormcast::verdict_check_test {

using hand_made::Set;

namespace {

using Checked = CheckedVerdict::Outcome;

Set random_set(Random& random, std::uint64_t most_flits = 12) {
  Set set{hand_made::mesh({2 + random.below(2), 2}), {}, {}};
  set.model.injection_channels = static_cast<std::uint32_t>(random.below(2));
  set.model.consumption_channels = static_cast<std::uint32_t>(random.below(2));
  set.model.buffer_flits = static_cast<std::uint32_t>(random.between(1, 3));
  set.model.allocation = random.below(3) == 0 ? Allocation::atomic : Allocation::incremental;
  set.model.cut_through = random.below(6) == 0;
  set.model.vc_reuse = random.below(3) == 0 ? VcReuse::early : VcReuse::drained;
  for (std::uint64_t i = 0, count = random.between(2, 4); i < count; ++i) {
    const auto replication = random.below(2) == 0 ? Copies::asynchronous : Copies::lock_step;
    const WormRoute worm = random.below(2) == 0
                               ? hand_made::random_path(random, *set.topology, 4)
                               : hand_made::random_tree(random, *set.topology, 4, replication);
    set.multicasts.push_back(hand_made::multicast(i, {worm}, random.between(1, most_flits)));
  }
  return set;
}

CheckedVerdict verify(const Topology& topology, const std::vector<Routes>& multicasts,
                      const Verdict& verdict) {
  VerdictCheck check(topology, verdict, 100'000);
  for (const Routes& routes : multicasts) check.add(routes);
  return check.finish();
}

Checked verify(const Set& set, const Verdict& verdict) {
  return verify(*set.topology, set.multicasts, verdict).outcome;
}

/// By every order of flits; nothing for a set that is too large.
std::optional<bool> can_deadlock(const Set& set) {
  return hand_made::FlitOracle(set.model, set.multicasts).deadlocks(3'000);
}

/// What a reader of the record has: no routes in the witness.
Verdict as_read(Verdict verdict) {
  if (ByWitness* const shown = std::get_if<ByWitness>(&verdict.evidence))
    for (WitnessWorm& worm : shown->witness) worm.route = WormRoute{};
  return verdict;
}

/// A witness out of thin air: some worms of the set, each said to hold and wait for single hops.
Verdict made_up(Random& random, const Set& set, Verdict verdict) {
  verdict.evidence = evidence_for(Answer::deadlock);
  for (const Routes& routes : set.multicasts) {
    if (random.below(4) == 0) continue;
    WitnessWorm worm;
    worm.name = WormRef{routes.plan.request.id, 0};
    worm.length_flits = routes.plan.request.length_flits;
    const auto hop = static_cast<std::int32_t>(random.below(routes.worms.front().hops.size()));
    for (std::int32_t held = 0; held < hop; ++held)
      if (random.below(3) != 0) worm.holds.push_back(held);
    worm.waits = {hop};
    std::get<ByWitness>(verdict.evidence).witness.push_back(worm);
  }
  return verdict;
}

}  // namespace

TEST_CASE("verdicts hold when they are checked alone, on every answer") {
  const RandomStreams streams(41, "verdicts");
  std::array<int, 5> held{};
  for (std::uint64_t i = 0; i < 600; ++i) {
    Random random = streams.stream(i);
    const Set set = random_set(random);
    const Verdict verdict = hand_made::check(set, i % 3 == 2 ? SearchLimits{1, 1} : SearchLimits{});
    INFO("set ", i, ", ", answer_name(verdict.answer()));
    const Checked outcome = verify(set, as_read(verdict));
    CHECK(outcome != Checked::refused);
    if (outcome == Checked::holds) ++held[static_cast<std::size_t>(verdict.answer())];
  }
  for (const int count : held) CHECK(count > 5);
}

TEST_CASE("verdicts: wrong answers and made-up witnesses are refused" * doctest::test_suite("long")) {
  const RandomStreams streams(42, "tampered verdicts");
  int refused = 0, lucky = 0, known = 0;
  for (std::uint64_t i = 0; i < 600; ++i) {
    Random random = streams.stream(i);
    const Set set = random_set(random, i % 2 == 0 ? 4 : 12);
    Verdict verdict = as_read(hand_made::check(set));
    INFO("set ", i);
    const std::optional<bool> truth = can_deadlock(set);
    known += truth ? 1 : 0;
    const Verdict witness = made_up(random, set, verdict);
    if (!witness.witness().empty() && !verdict.cycle.empty()) {
      const bool holds = verify(set, witness) == Checked::holds;
      CHECK((!holds || truth != false));
      (holds ? lucky : refused) += 1;
    }
    Verdict counted = verdict;
    ++counted.worms;
    CHECK(verify(set, counted) == Checked::refused);
    if (verdict.answer() == Answer::safe && verdict.dependencies > 0) {
      std::vector<ResourceId>& numbering = std::get<ByNumbering>(verdict.evidence).numbering;
      std::reverse(numbering.begin(), numbering.end());
      CHECK(verify(set, verdict) == Checked::refused);
    } else if (verdict.answer() != Answer::safe) {
      Verdict turned = verdict;  // a numbering of what it names cannot exist
      turned.evidence = evidence_for(Answer::safe);
      for (const Dependency& edge : turned.cycle)
        std::get<ByNumbering>(turned.evidence).numbering.push_back(edge.from);
      CHECK(verify(set, turned) == Checked::refused);
      Verdict cut = verdict;
      cut.cycle.pop_back();
      CHECK(verify(set, cut) == Checked::refused);
      Verdict moved = verdict;
      std::get<WormCause>(moved.cycle.front().cause).hop += 1;
      if (verdict.model.allocation == Allocation::incremental) CHECK(verify(set, moved) == Checked::refused);
    }
    if (truth != true && verdict.answer() == Answer::safe_unreachable) {
      Verdict claimed = verdict;
      claimed.evidence = evidence_for(Answer::deadlock);
      CHECK(verify(set, claimed) == Checked::refused);  // without a witness
    }
  }
  MESSAGE(known, " sets in every order of flits");
  CHECK(known > 60);
  CHECK(refused > 50);
}

TEST_CASE("verdicts: worms that wait for each other's arrival make no witness") {
  const auto ring = hand_made::mesh({2, 2});
  std::vector<Routes> multicasts = hand_made::one_each(hand_made::four_turns(*ring), 100);
  const Verdict verdict = as_read(hand_made::check(*ring, {}, multicasts));
  REQUIRE(verdict.answer() == Answer::deadlock);
  CHECK(verify(*ring, multicasts, verdict).outcome == Checked::holds);
  multicasts[1].plan.request.depends_on = {3};  // it comes to 1, where this one starts
  const CheckedVerdict late = verify(*ring, multicasts, verdict);
  CHECK(late.outcome == Checked::refused);
  CHECK(late.reason == "multicast 1, worm 0 waits for multicast 3, worm 0 to arrive");
}

TEST_CASE(
    "verdicts: a witness's worm waits for no output that is only queued for beside the one it waits for") {
  const auto mesh = hand_made::mesh({3, 3});
  RouterModel model;
  model.allocation = Allocation::atomic;
  // The path holds 4 -> 5 and comes back to ask for 4 -> 1, for which the tree at 4 queues first: it asks for
  // both in one request.
  const std::vector<Routes> multicasts =
      hand_made::one_each({hand_made::path(*mesh, {3, 4, 5, 8, 7, 4, 1}),
                           hand_made::tree(*mesh, 4, {{5, -1}, {1, -1}}, Copies::lock_step)},
                          100);
  Verdict verdict = as_read(hand_made::check(*mesh, model, multicasts));
  REQUIRE(verdict.answer() == Answer::deadlock);
  CHECK(verify(*mesh, multicasts, verdict).outcome == Checked::holds);
  std::vector<WitnessWorm>& witness = std::get<ByWitness>(verdict.evidence).witness;
  const auto tree = std::find_if(witness.begin(), witness.end(),
                                 [](const WitnessWorm& worm) { return worm.name.multicast == 1; });
  REQUIRE(tree != witness.end());
  REQUIRE(tree->waits == std::vector<std::int32_t>{0});
  tree->waits.push_back(2);
  CHECK(verify(*mesh, multicasts, verdict).outcome == Checked::refused);
}

TEST_CASE(
    "verdicts: beside a worm that lets others into its buffers a long one may wait behind it and further "
    "on") {
  const auto mesh = hand_made::mesh({3, 2});
  RouterModel model;
  model.vc_reuse = VcReuse::early;
  model.buffer_flits = 2;
  // The single flit waits at both of its ends: for 3 -> 4, which the tree from 3 holds, and for 1 -> 0, which
  // the path holds. The tree stands behind it in 4 -> 1, and waits for 5 -> 2 on its other branch; the path
  // has that, and stands behind it in 0 -> 3.
  const std::vector<Routes> multicasts{
      hand_made::multicast(
          0,
          {hand_made::tree(*mesh, 0, {{3, -1}, {4, 0}, {1, -1}, {2, 2}, {5, 3}, {4, 4}, {1, 5}, {0, 6}},
                           Copies::asynchronous)},
          1),
      hand_made::multicast(1, {hand_made::path(*mesh, {5, 2, 1, 0, 3})}, 100),
      hand_made::multicast(
          2, {hand_made::tree(*mesh, 3, {{4, -1}, {5, 0}, {2, 1}, {1, 0}}, Copies::lock_step)}, 100)};
  Verdict verdict = as_read(hand_made::check(*mesh, model, multicasts));
  REQUIRE(verdict.answer() == Answer::deadlock);
  std::vector<WitnessWorm>& witness = std::get<ByWitness>(verdict.evidence).witness;
  REQUIRE(witness.size() == 3);
  const std::vector<std::vector<std::int32_t>> holds{{0, 7}, {0, 1, 2}, {0, 1}}, waits{{1, 8}, {3}, {2, 4}};
  for (WitnessWorm& worm : witness) {
    worm.length_flits = multicasts[worm.name.multicast].plan.request.length_flits;
    worm.holds = holds[worm.name.multicast];
    worm.waits = waits[worm.name.multicast];
  }
  const CheckedVerdict checked = verify(*mesh, multicasts, verdict);
  INFO(checked.reason);
  CHECK(checked.outcome == Checked::holds);
}

TEST_CASE(
    "verdicts: a deadlock of worms that do not wait for arrivals holds only where it is one of those that "
    "do") {
  const RandomStreams streams(43, "relations");
  int held = 0, refused = 0;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    Random random = streams.stream(i);
    Set set = random_set(random);
    const Verdict free = as_read(hand_made::check(set));
    bool relations = false;
    for (std::size_t later = 1; later < set.multicasts.size(); ++later) {
      Request& request = set.multicasts[later].plan.request;
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        const auto& hosts = set.multicasts[earlier].plan.request.destinations;
        if (!std::binary_search(hosts.begin(), hosts.end(), request.source)) continue;
        request.depends_on.push_back(earlier);
        relations = true;
      }
    }
    if (!relations || free.answer() != Answer::deadlock) continue;
    INFO("set ", i);
    const Verdict bound = hand_made::check(set);
    CHECK(verify(set, as_read(bound)) != Checked::refused);
    const Checked outcome = verify(set, free);
    if (outcome == Checked::holds) CHECK(bound.answer() != Answer::safe_unreachable);
    held += outcome == Checked::holds ? 1 : 0;
    refused += outcome == Checked::refused ? 1 : 0;
  }
  CHECK(held > 10);
  CHECK(refused > 10);
}

}  // namespace wormcast::verdict_check_test

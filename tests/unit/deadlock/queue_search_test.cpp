// Atomic allocation, where worms wait behind each other in several queues: standstills over free channels
// that replay, and proofs that runs bear out. Every order of flits: flit_by_flit_test.cpp.
// SPDX-License-Identifier: MIT
#include "checks/plain_worm.hpp"
#include "deadlock/search/search.hpp"

#include <doctest/doctest.h>

#include <set>

#include "unit/deadlock/hand_made.hpp"
#include "unit/long_mode.hpp"

namespace wormcast::queue_search_test {

using hand_made::Set;

namespace {

/// Lock-step trees, one in three sets with a path or an asynchronous tree among them.
Set random_set(Random& random) {
  const std::vector<std::vector<std::uint64_t>> sizes{{2, 2}, {3, 2}, {3, 3}};
  Set set{hand_made::mesh(sizes[random.below(sizes.size())]), {}, {}};
  set.model.allocation = Allocation::atomic;
  set.model.injection_channels = static_cast<std::uint32_t>(random.below(2));
  set.model.consumption_channels = static_cast<std::uint32_t>(random.below(3));
  set.model.buffer_flits = static_cast<std::uint32_t>(random.between(1, 3));
  const std::uint64_t flits = random.below(2) == 0 ? 1000 : random.between(1, 8);
  for (std::uint64_t i = 0, count = random.between(2, 5); i < count; ++i) {
    const auto hops = static_cast<std::uint32_t>(random.between(2, 5));
    const std::uint64_t kind = random.below(6);
    const WormRoute worm = kind == 0
                               ? hand_made::random_path(random, *set.topology, hops)
                               : hand_made::random_tree(random, *set.topology, hops,
                                                        kind == 1 ? Copies::asynchronous : Copies::lock_step);
    set.multicasts.push_back(hand_made::multicast(i, {worm}, flits));
  }
  return set;
}

bool waits_for_what_nobody_holds(const Set& set, const std::vector<WitnessWorm>& witness) {
  std::set<ResourceId> held, waited;
  for (const WitnessWorm& claim : witness) {
    const PlainWorm worm(*set.topology, set.model, claim.route, claim.length_flits);
    for (const auto& [hops, to] : {std::pair{&claim.holds, &held}, std::pair{&claim.waits, &waited}})
      for (const std::int32_t hop : *hops)
        for (const ResourceId resource : worm.resources(static_cast<std::size_t>(hop + 1)))
          to->insert(resource);
  }
  return std::any_of(waited.begin(), waited.end(), [&](ResourceId r) { return held.count(r) == 0; });
}

}  // namespace

TEST_CASE("atomic allocation is decided; witnesses replay, what is proved safe never stands still" *
          doctest::test_suite("long")) {
  const RandomStreams streams(32, "atomic");
  int deadlocks = 0, by_queueing = 0, proved = 0, unknown = 0;
  const int count = testing::few_or_many(500, 20'000);
  for (int i = 0; i < count; ++i) {
    Random random = streams.stream(static_cast<std::uint64_t>(i));
    Set set = random_set(random);
    INFO("set ", i);
    const Verdict verdict = hand_made::check(set);
    if (verdict.answer() == Answer::unknown) {
      ++unknown;
      continue;
    }
    if (verdict.answer() == Answer::deadlock) {
      ++deadlocks;
      by_queueing += waits_for_what_nobody_holds(set, verdict.witness()) ? 1 : 0;
      hand_made::check_replays(*set.topology, set.model, verdict);
      continue;
    }
    ++proved;
    for (int run = 0; run < 4; ++run) {
      for (Routes& routes : set.multicasts)
        for (RouteHop& hop : routes.worms.front().hops)
          hop.not_before_cycle = random.below(3) == 0 ? random.below(60) : 0;
      CHECK(hand_made::simulate(*set.topology, set.model, set.multicasts).outcome == Outcome::complete);
    }
  }
  MESSAGE(deadlocks, " deadlocks, ", by_queueing, " of them behind free channels, ", proved, " proved safe, ",
          unknown, " unknown");
  CHECK(by_queueing > 0);
  CHECK(unknown * 50 < count);
}

TEST_CASE("an exploration says how far it is") {
  const auto mesh = hand_made::mesh({2, 2});
  std::vector<WormRoute> worms;
  for (int turn = 0; turn < 4; ++turn)
    for (const WormRoute& worm : hand_made::four_turns(*mesh)) worms.push_back(worm);
  RouterModel model;
  model.injection_channels = 1;
  model.buffer_flits = 20;  // nothing is blocked for good
  model.vc_reuse = VcReuse::early;
  std::uint64_t told = 0, times = 0;
  const Exploration found = explore(*mesh, model, hand_made::explored(model, hand_made::one_each(worms, 4)),
                                    20'000, [&](std::uint64_t states) {
                                      CHECK(states >= told);
                                      told = states;
                                      ++times;
                                    });
  CHECK(times > 10);
  CHECK(told <= found.states);
}

}  // namespace wormcast::queue_search_test

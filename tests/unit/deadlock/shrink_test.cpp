// Shrinking a failing set against all subsets.
// SPDX-License-Identifier: MIT
#include "deadlock/shrink.hpp"

#include <doctest/doctest.h>

#include <bit>

#include "unit/deadlock/hand_made.hpp"

using namespace wormcast;

namespace {

Answer answer_of(const Topology& topology, const CheckOptions& options, const std::vector<Routes>& all,
                 std::uint32_t subset) {
  DeadlockChecker checker(topology, options);
  for (std::size_t i = 0; i < all.size(); ++i)
    if ((subset >> i & 1U) != 0) checker.add(all[i]);
  return checker.verdict().answer;
}

}  // namespace

TEST_CASE("shrunk sets are minimal and smallest, by all subsets") {
  const RandomStreams streams(51, "shrink");
  int shrunk = 0, smaller = 0;
  for (std::uint64_t i = 0; i < 250; ++i) {
    Random random = streams.stream(i);
    const auto topology = hand_made::mesh({2 + random.below(2), 2});
    CheckOptions options;
    options.model.consumption_channels = static_cast<std::uint32_t>(random.below(2));
    options.model.buffer_flits = static_cast<std::uint32_t>(random.between(1, 3));
    std::vector<Routes> all;
    for (std::uint64_t m = 0; m < 7; ++m) {
      std::vector<WormRoute> worms;
      for (std::uint64_t w = random.between(1, 2); w-- > 0;)
        worms.push_back(random.below(4) != 0
                            ? hand_made::random_path(random, *topology, 4)
                            : hand_made::random_tree(random, *topology, 4, Replication::lock_step));
      all.push_back(hand_made::multicast(3 * m + 1, std::move(worms), random.between(4, 40)));
    }
    DeadlockChecker checker(*topology, options);
    for (const Routes& routes : all) checker.add(routes);
    const Verdict whole = checker.verdict();
    if (whole.answer != Answer::deadlock) continue;
    INFO("set ", i);
    const Verdict result = shrink(*topology, options, all, whole, 1000);
    std::uint32_t subset = 0;
    for (const std::uint64_t id : result.shrunk) subset |= 1U << ((id - 1) / 3);
    CHECK(answer_of(*topology, options, all, subset) == Answer::deadlock);
    int fewest = 7;
    for (std::uint32_t other = 1; other < 128; ++other)
      if (std::popcount(other) < fewest && answer_of(*topology, options, all, other) == Answer::deadlock)
        fewest = std::popcount(other);
    if (result.shrunk_proof == ShrinkProof::smallest) {
      CHECK(std::popcount(subset) == fewest);
      ++shrunk;
    }
    for (std::uint32_t m = 0; m < 7; ++m)
      if ((subset >> m & 1U) != 0)
        CHECK(answer_of(*topology, options, all, subset & ~(1U << m)) != Answer::deadlock);
    if (whole.witness.size() > result.witness.size()) ++smaller;
  }
  CHECK(shrunk > 100);
  CHECK(smaller > 3);
  MESSAGE(shrunk, " shrunk to a smallest set, ", smaller, " witnesses got smaller");
}

TEST_CASE("shrinking without subsets to look at proves the set minimal") {
  const auto topology = hand_made::mesh({2, 2});
  std::vector<Routes> all;
  for (const std::vector<std::uint32_t>& nodes :
       std::vector<std::vector<std::uint32_t>>{{0, 1, 3}, {1, 3, 2}, {3, 2, 0}, {2, 0, 1}, {0, 1}, {0, 1, 3}})
    all.push_back(hand_made::multicast(all.size(), {hand_made::path(*topology, nodes)}, 100));
  DeadlockChecker checker(*topology, {});
  for (const Routes& routes : all) checker.add(routes);
  const Verdict whole = checker.verdict();
  const Verdict minimal = shrink(*topology, {}, all, whole, 0);
  CHECK(minimal.shrunk_proof == ShrinkProof::minimal);
  CHECK(minimal.shrunk.size() == 4);
  CHECK(shrink(*topology, {}, all, whole, 1000).shrunk_proof == ShrinkProof::smallest);
  // Whoever waits for another keeps it.
  all[1].plan.request.depends_on = {4};
  DeadlockChecker again(*topology, {});
  for (const Routes& routes : all) again.add(routes);
  CHECK(shrink(*topology, {}, all, again.verdict(), 1000).shrunk.size() == 5);
}

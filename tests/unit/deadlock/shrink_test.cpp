// Shrinking a failing set against all subsets.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/checker.hpp"

#include <doctest/doctest.h>

#include <bit>

#include "unit/deadlock/hand_made.hpp"

namespace wormcast::shrink_test {

namespace {

Answer answer_of(const Topology& topology, const CheckOptions& options, const std::vector<Routes>& all,
                 std::uint32_t subset) {
  std::vector<Routes> chosen;
  for (std::size_t i = 0; i < all.size(); ++i)
    if ((subset >> i & 1U) != 0) chosen.push_back(all[i]);
  return hand_made::verdict_of(topology, options, chosen).answer();
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
                            : hand_made::random_tree(random, *topology, 4, Copies::lock_step));
      all.push_back(hand_made::multicast(3 * m + 1, std::move(worms), random.between(4, 40)));
    }
    const Verdict whole = hand_made::verdict_of(*topology, options, all);
    if (whole.answer() != Answer::deadlock) continue;
    INFO("set ", i);
    const Verdict result = shrink(*topology, options, all, whole, 1000);
    std::uint32_t subset = 0;
    for (const std::uint64_t id : result.shrunk()->multicasts) subset |= 1U << ((id - 1) / 3);
    CHECK(answer_of(*topology, options, all, subset) == Answer::deadlock);
    int fewest = 7;
    for (std::uint32_t other = 1; other < 128; ++other)
      if (std::popcount(other) < fewest && answer_of(*topology, options, all, other) == Answer::deadlock)
        fewest = std::popcount(other);
    if (result.shrunk()->proof == ShrinkProof::smallest) {
      CHECK(std::popcount(subset) == fewest);
      ++shrunk;
    }
    for (std::uint32_t m = 0; m < 7; ++m)
      if ((subset >> m & 1U) != 0)
        CHECK(answer_of(*topology, options, all, subset & ~(1U << m)) != Answer::deadlock);
    if (whole.witness().size() > result.witness().size()) ++smaller;
  }
  CHECK(shrunk > 100);
  CHECK(smaller > 3);
  MESSAGE(shrunk, " shrunk to a smallest set, ", smaller, " witnesses got smaller");
}

TEST_CASE("shrinking without subsets to look at proves the set minimal") {
  const auto topology = hand_made::mesh({2, 2});
  std::vector<WormRoute> worms = hand_made::four_turns(*topology);
  worms.push_back(hand_made::path(*topology, {0, 1}));
  worms.push_back(worms.front());
  std::vector<Routes> all = hand_made::one_each(worms, 100);
  const Verdict whole = hand_made::verdict_of(*topology, {}, all);
  const Verdict minimal = shrink(*topology, {}, all, whole, 0);
  CHECK(minimal.shrunk()->proof == ShrinkProof::minimal);
  CHECK(minimal.shrunk()->multicasts.size() == 4);
  CHECK(shrink(*topology, {}, all, whole, 1000).shrunk()->proof == ShrinkProof::smallest);
  // Whoever waits for another keeps it.
  all[1].plan.request.depends_on = {4};
  const Verdict again = hand_made::verdict_of(*topology, {}, all);
  CHECK(shrink(*topology, {}, all, again, 1000).shrunk()->multicasts.size() == 5);
}

TEST_CASE("of all unicasts in both dimension orders, four along the shortest cycle remain") {
  const auto topology = hand_made::mesh({5, 4});
  std::vector<WormRoute> worms;
  for (std::uint32_t from = 0; from < 20; ++from)
    for (std::uint32_t to = 0; to < 20; ++to) {
      if (from == to) continue;
      std::vector<std::uint32_t> nodes{from};
      const bool rows_first = (from + to) % 2 == 0;
      for (const bool along_row : {rows_first, !rows_first})
        while (along_row ? nodes.back() % 5 != to % 5 : nodes.back() / 5 != to / 5) {
          const bool up = along_row ? nodes.back() % 5 < to % 5 : nodes.back() / 5 < to / 5;
          const std::uint32_t stride = along_row ? 1 : 5;
          nodes.push_back(up ? nodes.back() + stride : nodes.back() - stride);
        }
      worms.push_back(hand_made::path(*topology, nodes));
    }
  for (const std::uint64_t flits : {1u, 8u, 100u}) {
    CAPTURE(flits);
    const std::vector<Routes> all = hand_made::one_each(worms, flits);
    const Verdict whole = hand_made::verdict_of(*topology, {}, all);
    REQUIRE(whole.answer() == Answer::deadlock);
    const Verdict result = shrink(*topology, {}, all, whole, 0);
    CHECK(result.shrunk()->multicasts.size() == 4);
    CHECK(result.shrunk()->proof == ShrinkProof::minimal);
  }
}

}  // namespace wormcast::shrink_test

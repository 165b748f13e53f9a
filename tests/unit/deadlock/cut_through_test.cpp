// Virtual cut-through: only dependencies from one buffer to the next, as fabric tools count them.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <set>

#include "unit/deadlock/flit_oracle.hpp"
#include "unit/deadlock/hand_made.hpp"

namespace wormcast::cut_through_test {

namespace {

RouterModel cut_through() {
  RouterModel model;
  model.cut_through = true;
  return model;
}

std::vector<WormRoute> random_worms(Random& random, const Topology& topology, std::uint64_t most_hops = 5) {
  std::vector<WormRoute> worms;
  for (std::uint64_t w = random.between(3, 4); w-- > 0;) {
    const auto hops = static_cast<std::uint32_t>(random.between(2, most_hops));
    const auto replication = random.below(2) == 0 ? Copies::asynchronous : Copies::lock_step;
    worms.push_back(random.below(2) == 0 ? hand_made::random_path(random, topology, hops)
                                         : hand_made::random_tree(random, topology, hops, replication));
  }
  return worms;
}

Verdict check(const Topology& topology, const std::vector<WormRoute>& worms, std::uint64_t flits) {
  return hand_made::check(topology, cut_through(), hand_made::one_each(worms, flits));
}

/// A credit loop: input channels lead to output channels of the same worm, and some lead back.
bool has_credit_loop(const std::vector<WormRoute>& worms) {
  std::map<std::uint32_t, std::set<std::uint32_t>> next;
  for (const WormRoute& worm : worms)
    for (const RouteHop& hop : worm.hops)
      if (hop.is_channel() && hop.parent >= 0)
        next[worm.hops[static_cast<std::size_t>(hop.parent)].target].insert(hop.target);
  for (bool removed = true; removed;) {  // channels that lead nowhere go, with all that leads to them
    removed = false;
    for (auto& [channel, to] : next)
      removed = std::erase_if(to, [&](std::uint32_t t) { return next.count(t) == 0; }) > 0 || removed;
    removed = std::erase_if(next, [](const auto& entry) { return entry.second.empty(); }) > 0 || removed;
  }
  return !next.empty();
}

}  // namespace

TEST_CASE("under cut-through a set is safe exactly where it has no credit loop") {
  const RandomStreams streams(21, "credit loops");
  int loops = 0, deadlocks = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    Random random = streams.stream(i);
    const auto topology = hand_made::mesh({2, 2});
    const std::vector<WormRoute> worms = random_worms(random, *topology);
    const Verdict verdict = check(*topology, worms, random.between(1, 60));
    INFO("set ", i);
    CHECK((verdict.answer() == Answer::safe) == !has_credit_loop(worms));
    loops += verdict.answer() == Answer::safe ? 0 : 1;
    if (verdict.answer() != Answer::deadlock) continue;
    ++deadlocks;
    // The simulator knows nothing of cut-through: B flits, asynchronous copies.
    hand_made::check_replays(*topology, {}, verdict);
  }
  CHECK(loops > 50);
  CHECK(deadlocks > 3);
}

TEST_CASE("cut-through: the search equals every order of packets" * doctest::test_suite("long")) {
  const RandomStreams streams(22, "cut-through");
  RouterModel one_flit = cut_through();  // stands for a buffer as long as the packet
  one_flit.buffer_flits = 1;
  int compared = 0, loops = 0, deadlocks = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    Random random = streams.stream(i);
    const auto topology = hand_made::mesh({2, 2});
    const std::vector<WormRoute> worms = random_worms(random, *topology, 3);
    const std::optional<bool> truth = hand_made::FlitOracle(one_flit, worms, 7).deadlocks(4'000);
    if (!truth) continue;
    ++compared;
    const Verdict verdict = check(*topology, worms, 7);
    INFO("set ", i);
    REQUIRE(verdict.answer() != Answer::unknown);
    CHECK((verdict.answer() == Answer::deadlock) == *truth);
    CHECK(verdict.answer() != Answer::safe_unreachable);
    loops += verdict.answer() == Answer::loop ? 1 : 0;
    deadlocks += verdict.answer() == Answer::deadlock ? 1 : 0;
  }
  MESSAGE(compared, " sets");
  CHECK(compared > 70);
  CHECK(loops > 6);
  CHECK(deadlocks > 1);
}

TEST_CASE("cut-through: branches of trees do not wait for each other, senders of a group may") {
  const auto topology = hand_made::mesh({3, 3});
  const std::vector<WormRoute> same_outputs{
      hand_made::tree(*topology, 3, {{4, -1}, {1, 0}, {7, 0}}, Copies::lock_step),
      hand_made::tree(*topology, 5, {{4, -1}, {1, 0}, {7, 0}}, Copies::lock_step)};
  CHECK(check(*topology, same_outputs, 1000).answer() == Answer::safe);
  // Two groups whose trees are spanning trees by themselves close a ring together.
  const auto ring = hand_made::mesh({2, 2});
  const std::vector<WormRoute> groups{hand_made::path(*ring, {0, 1, 3, 2}, {1, 3}),
                                      hand_made::path(*ring, {3, 2, 0, 1}, {2, 0})};
  CHECK(check(*ring, groups, 1000).answer() != Answer::safe);
}

TEST_CASE("cut-through: a loop that these packets cannot fill is said as a loop; twice as many fill it") {
  const auto ring = hand_made::mesh({2, 2});
  const std::vector<WormRoute> once{hand_made::path(*ring, {0, 1, 3, 2}),
                                    hand_made::path(*ring, {3, 2, 0, 1})};
  const Verdict verdict = check(*ring, once, 1000);
  CHECK(verdict.answer() == Answer::loop);
  CHECK(verdict.cycle.size() == 4);
  CHECK(verdict.witness().empty());
  CHECK(check(*ring, {once[0], once[1], once[0], once[1]}, 1000).answer() == Answer::deadlock);
}

}  // namespace wormcast::cut_through_test

// Rings that are entered by bubbles: verdicts against every order of flits of small sets, and against all
// that endless traffic can do in rings.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <unordered_set>
#include <vector>

#include "checks/witness_runs.hpp"
#include "unit/deadlock/flit_oracle.hpp"
#include "unit/deadlock/hand_made.hpp"
#include "unit/long_mode.hpp"

namespace wormcast::bubble_test {

namespace {

RouterModel bubbles(RingEntry entry, std::uint32_t buffer_flits) {
  RouterModel model;
  model.vc_reuse = VcReuse::early;
  model.ring_entry = entry;
  model.buffer_flits = buffer_flits;
  return model;
}

/// Packets of one flit without end, in one direction of a ring, to anywhere up to `most` ≤ 3 hops away:
/// whether they can fill it so that none moves. A state has for each buffer its packets from the head, in two
/// bits each 1 + the hops that it has yet to go, or 0.
class EndlessRing {
 public:
  EndlessRing(std::uint32_t nodes, std::uint32_t slots, std::uint32_t most, bool bubble)
      : nodes_(nodes), bits_(2 * slots), most_(most), bubble_(bubble ? 2 : 1) {}

  bool stands_still() {
    std::unordered_set<std::uint64_t> seen{0};
    std::vector<std::uint64_t> open{0};
    const auto learn = [&](std::uint64_t state) {
      if (seen.insert(state).second) open.push_back(state);
    };
    while (!open.empty()) {
      const std::uint64_t state = open.back();
      open.pop_back();
      bool moves = state == 0;
      for (std::uint32_t at = 0; at < nodes_; ++at) {
        const std::uint64_t here = buffer(state, at);
        if (here != 0 && room(state, (at + 1) % nodes_) >= 1) {
          learn(enter(with(state, at, here >> 2), (at + 1) % nodes_, (here & 3) - 1));
          moves = true;
        }
        for (std::uint32_t hops = 1; hops <= most_ && room(state, at) >= bubble_; ++hops)
          learn(enter(state, at, hops));
      }
      if (!moves) return true;
    }
    return false;
  }

 private:
  std::uint64_t buffer(std::uint64_t state, std::uint32_t at) const {
    return state >> at * bits_ & ((std::uint64_t{1} << bits_) - 1);
  }
  /// A packet at its end is consumed when it comes to the head, which blocks none; nor are copies that
  /// are consumed where it goes on.
  std::uint64_t with(std::uint64_t state, std::uint32_t at, std::uint64_t packets) const {
    while ((packets & 3) == 1) packets >>= 2;
    return state ^ (buffer(state, at) ^ packets) << at * bits_;
  }
  std::uint32_t packets(std::uint64_t state, std::uint32_t at) const {
    std::uint32_t count = 0;
    for (std::uint64_t left = buffer(state, at); left != 0; left >>= 2) ++count;
    return count;
  }
  std::uint32_t room(std::uint64_t state, std::uint32_t at) const { return bits_ / 2 - packets(state, at); }
  std::uint64_t enter(std::uint64_t state, std::uint32_t at, std::uint64_t packet) const {
    return with(state, at, buffer(state, at) | packet << 2 * packets(state, at));
  }

  std::uint32_t nodes_, bits_, most_, bubble_;
};

/// From each node to those up to `most` hops away in one direction, each so many times; also to all on the
/// way, if it has `stops`.
std::vector<WormRoute> around(const Topology& ring, std::uint32_t most, std::size_t copies, bool stops) {
  std::vector<WormRoute> worms;
  for (std::uint32_t node = 0; node < ring.routers(); ++node)
    for (std::uint32_t hops = 1; hops <= most; ++hops) {
      WormRoute worm;
      worm.source = HostId{node};
      std::int32_t before = -1;
      for (std::uint32_t i = 1; i <= hops; ++i) {
        RouteHop hop;
        hop.target = ring.channel(NodeId{(node + i - 1) % ring.routers()}, PortId{0}).value;
        hop.parent = before;
        before = static_cast<std::int32_t>(worm.hops.size());
        worm.hops.push_back(hop);
        if (stops || i == hops) worm.hops.push_back(hand_made::deliver((node + i) % ring.routers(), before));
      }
      worms.insert(worms.end(), copies, worm);
    }
  return worms;
}

struct Tally {
  std::array<int, 5> answers{};
  int compared = 0;

  int of(Answer answer) const { return answers[static_cast<std::size_t>(answer)]; }
};

void compare(const Topology& torus, const RouterModel& model, const std::vector<Routes>& all, Tally& tally) {
  const std::optional<bool> truth = hand_made::FlitOracle(model, all, torus.ports())
                                        .deadlocks(testing::few_or_many<std::size_t>(4'000, 40'000));
  if (!truth) return;
  ++tally.compared;
  const Verdict verdict = hand_made::check(torus, model, all);
  ++tally.answers[static_cast<std::size_t>(verdict.answer())];
  INFO(answer_name(verdict.answer()), " ", verdict.limit());
  CHECK(verdict.answer() != Answer::unknown);
  CHECK((verdict.answer() == Answer::deadlock) == *truth);
  const AllOrders orders = try_all_orders(torus, model, hand_made::explored(model, all), 100'000);
  CHECK((orders.deadlock || orders.exhausted));
  CHECK(orders.deadlock == *truth);
  hand_made::check_verified(torus, verdict, all);
  if (verdict.answer() == Answer::deadlock) hand_made::check_replays(torus, model, verdict);
}

Tally compare_many(RingEntry entry, const std::vector<std::uint64_t>& sizes, bool trees, std::uint32_t hops,
                   int count) {
  const RandomStreams streams(static_cast<std::uint64_t>(entry) + sizes.size(), "bubbles");
  Tally tally;
  for (int i = 0; i < count; ++i) {
    Random random = streams.stream(static_cast<std::uint64_t>(i));
    const auto torus = testing::make("torus", sizes);
    const auto flits = static_cast<std::uint32_t>(random.between(1, 2));
    RouterModel model = bubbles(entry, entry == RingEntry::packet_bubble ? 2 * flits
                                       : entry == RingEntry::flit_bubble ? flits + 1
                                                                         : 1);
    model.buffer_flits += entry == RingEntry::any ? 0 : static_cast<std::uint32_t>(random.below(2));
    model.injection_channels = static_cast<std::uint32_t>(random.below(2));
    model.consumption_channels = static_cast<std::uint32_t>(random.below(3));
    std::vector<WormRoute> worms;
    for (std::uint64_t w = random.between(2, trees ? 4 : 5); w-- > 0;)
      worms.push_back(
          trees && random.below(4) != 0
              ? hand_made::random_tree(random, *torus, hops,
                                       random.below(2) == 0 ? Copies::lock_step : Copies::asynchronous)
              : hand_made::random_path(random, *torus, hops));
    INFO("set ", i);
    std::vector<Routes> all = hand_made::one_each(worms, flits);
    if (random.below(3) == 0)
      for (Routes& routes : all) routes.plan.request.length_flits = random.between(1, flits);
    compare(*torus, model, all, tally);
  }
  MESSAGE(tally.compared, " sets: safe ", tally.of(Answer::safe), ", safe-unreachable ",
          tally.of(Answer::safe_unreachable), ", deadlock ", tally.of(Answer::deadlock));
  return tally;
}

}  // namespace

TEST_CASE("bubbles: rings of three to eight nodes under endless traffic, and the verdict on them") {
  struct Size {
    std::uint32_t nodes, slots, most;
  };
  for (const Size& size :
       {Size{3, 2, 2}, {3, 3, 2}, {4, 2, 2}, {4, 2, 3}, {5, 2, 2}, {6, 2, 2}, {7, 2, 2}, {8, 2, 2}}) {
    const std::uint32_t nodes = size.nodes, slots = size.slots, most = size.most;
    const auto ring = testing::make("torus", {nodes});
    CAPTURE(nodes);
    CAPTURE(slots);
    for (const RingEntry entry : {RingEntry::any, RingEntry::packet_bubble, RingEntry::flit_bubble}) {
      const bool bubble = entry != RingEntry::any;
      CHECK(EndlessRing(nodes, slots, most, bubble).stands_still() != bubble);
      for (const bool stops : {false, true}) {
        // Without bubbles a buffer of one flit: fewer worms fill it.
        const std::vector<Routes> all =
            hand_made::one_each(around(*ring, most, bubble ? slots : 1, stops), 1);
        const RouterModel model = bubbles(entry, bubble ? slots : 1);
        const Verdict verdict = hand_made::check(*ring, model, all);
        INFO(stops, answer_name(verdict.answer()), " ", verdict.limit());
        CHECK(verdict.answer() == (bubble ? Answer::safe : Answer::deadlock));
        hand_made::check_verified(*ring, verdict, all);
        if (!bubble) hand_made::check_replays(*ring, model, verdict);
      }
    }
  }
}

TEST_CASE("bubbles: verdicts equal every order of flits, rings") {
  for (const RingEntry entry : {RingEntry::any, RingEntry::packet_bubble, RingEntry::flit_bubble})
    for (const std::uint64_t nodes : {3, 4}) {
      const Tally paths = compare_many(entry, {nodes}, false, 3, testing::few_or_many(150, 600));
      CHECK(paths.compared > 30);
      if (entry != RingEntry::any) CHECK(paths.of(Answer::safe) > 10);
    }
}

TEST_CASE("bubbles: verdicts equal every order of flits, trees and paths that turn on a torus of 3x3" *
          doctest::test_suite("long")) {
  for (const RingEntry entry : {RingEntry::any, RingEntry::packet_bubble, RingEntry::flit_bubble}) {
    const Tally trees = compare_many(entry, {3, 3}, true, 3, testing::few_or_many(150, 1'000));
    CHECK(trees.compared > 30);
    CHECK(trees.of(Answer::safe) > 10);
  }
}

}  // namespace wormcast::bubble_test

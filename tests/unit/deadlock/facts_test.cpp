// Known facts of multicast deadlock: label-routed paths, paths under XY, trees in lock step,
// consumption channels.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>

#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "unit/deadlock/hand_made.hpp"

namespace wormcast::facts_test {

using hand_made::check;

namespace {

constexpr std::uint64_t long_worm = 10'000;

Verdict check_worms(const Topology& topology, const RouterModel& model, const std::vector<WormRoute>& worms,
                    std::uint64_t flits = long_worm) {
  return check(topology, model, hand_made::one_each(worms, flits));
}

/// `count` random multicasts of `destinations` nodes, planned and expanded.
std::vector<Routes> planned(const Topology& topology, std::string_view planner, std::uint32_t count,
                            std::uint32_t destinations, Random& random) {
  const BoundPlanner bound(*find_planner(planner), topology, {});
  std::vector<Routes> all;
  while (all.size() < count) {
    Request request;
    request.id = all.size();
    request.length_flits = long_worm;
    const std::vector<std::uint32_t> nodes = sample(random, destinations + 1, topology.hosts());
    const std::uint64_t source = random.below(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (i == source)
        request.source = HostId{nodes[i]};
      else
        request.destinations.push_back(HostId{nodes[i]});
    all.push_back(expand(bound.plan(std::move(request)), bound.context().routing));
  }
  return all;
}

int deadlocks(const Topology& topology, const RouterModel& model, std::string_view planner, int sets,
              std::uint32_t multicasts, std::uint32_t destinations) {
  const RandomStreams streams(7, planner);
  int found = 0;
  for (int i = 0; i < sets; ++i) {
    Random random = streams.stream(static_cast<std::uint64_t>(i));
    const Verdict verdict =
        check(topology, model, planned(topology, planner, multicasts, destinations, random));
    REQUIRE(verdict.answer() != Answer::unknown);
    found += verdict.answer() == Answer::deadlock ? 1 : 0;
  }
  return found;
}

}  // namespace

TEST_CASE("four unicasts that turn in a ring deadlock; three of them are safe") {
  const auto topology = hand_made::mesh({2, 2});
  const std::vector<WormRoute> ring = hand_made::four_turns(*topology);
  const Verdict verdict = check_worms(*topology, {}, ring);
  REQUIRE(verdict.answer() == Answer::deadlock);
  CHECK(verdict.witness().size() == 4);
  CHECK(verdict.cycle.size() == 4);
  for (const WitnessWorm& worm : verdict.witness()) {
    CHECK(worm.start_cycle == 0);
    CHECK(worm.holds == std::vector<std::int32_t>{0});
    CHECK(worm.waits == std::vector<std::int32_t>{1});
    for (const RouteHop& hop : worm.route.hops) CHECK(hop.not_before_cycle == 0);
  }
  CHECK(check_worms(*topology, {}, {ring[0], ring[1], ring[2]}).answer() == Answer::safe);
}

TEST_CASE("buffers as long as the worms break the ring, one flit less does not") {
  const auto topology = hand_made::mesh({3, 3});
  // Two hops into the ring around node 4's neighbours: a worm of L flits releases what it passed.
  const std::vector<WormRoute> ring{
      hand_made::path(*topology, {0, 1, 2, 5}), hand_made::path(*topology, {2, 5, 8, 7}),
      hand_made::path(*topology, {8, 7, 6, 3}), hand_made::path(*topology, {6, 3, 0, 1})};
  RouterModel model;
  model.buffer_flits = 4;
  CHECK(check_worms(*topology, model, ring, 5).answer() == Answer::deadlock);
  CHECK(check_worms(*topology, model, ring, 4).answer() == Answer::safe_unreachable);
}

TEST_CASE("a false dependency cycle: the cycle needs two worms to hold what one of them must") {
  // Worms 2→3→4 and 0→2→4→3 of a complete graph on the channels' names: both need what lies between.
  // On a 2×2 mesh: both worms of the cycle pass through the same channel before they could close it.
  const auto topology = hand_made::mesh({2, 2});
  const std::vector<WormRoute> worms{hand_made::path(*topology, {0, 1, 3, 2}),
                                     hand_made::path(*topology, {3, 2, 0, 1})};
  const Verdict both = check_worms(*topology, {}, worms);
  CHECK(both.answer() == Answer::deadlock);
  const std::vector<WormRoute> shared{hand_made::path(*topology, {0, 1, 3, 2}),
                                      hand_made::path(*topology, {0, 1, 3, 2, 0})};
  CHECK(check_worms(*topology, {}, shared).answer() == Answer::safe);
}

TEST_CASE("label-routed path worms are safe, whatever the model of injection") {
  for (const auto& dims : std::vector<std::vector<std::uint64_t>>{{3, 3}, {4, 5}, {3, 3, 2}}) {
    const auto topology = hand_made::mesh(dims);
    Random random = RandomStreams(5, "label").stream(dims.size() * dims.front());
    for (const std::string_view planner : {"dual-path", "multi-path", "fixed-path"}) {
      if (find_planner(planner)->unsupported(*topology)) continue;
      const std::vector<Routes> all = planned(*topology, planner, 200, 4, random);
      CHECK(check(*topology, {}, all).answer() == Answer::safe);
    }
  }
}

TEST_CASE("path worms under XY deadlock by turning from Y to X at a destination") {
  const auto topology = hand_made::mesh({4, 4});
  Random random = RandomStreams(5, "xy").stream(0);
  const Verdict verdict = check(*topology, {}, planned(*topology, "xy-path", 100, 4, random));
  CHECK(verdict.answer() == Answer::deadlock);
  // The same nodes by unicasts under XY are safe.
  Random again = RandomStreams(5, "xy").stream(0);
  CHECK(check(*topology, {}, planned(*topology, "separate", 100, 4, again)).answer() == Answer::safe);
}

TEST_CASE(
    "two lock-step trees with the same two outputs block each other, asynchronous ones with long buffers do "
    "not") {
  const auto topology = hand_made::mesh({3, 3});
  for (const Copies replication : {Copies::lock_step, Copies::asynchronous}) {
    const std::vector<WormRoute> trees{hand_made::tree(*topology, 3, {{4, -1}, {1, 0}, {7, 0}}, replication),
                                       hand_made::tree(*topology, 5, {{4, -1}, {1, 0}, {7, 0}}, replication)};
    const Verdict verdict = check_worms(*topology, {}, trees);
    REQUIRE(verdict.answer() == Answer::deadlock);
    CHECK(verdict.witness().size() == 2);
    // What a node waits for together needs a delay on a branch to be caught half granted.
    bool delayed = false;
    for (const WitnessWorm& worm : verdict.witness())
      for (const RouteHop& hop : worm.route.hops) delayed = delayed || hop.not_before_cycle > 0;
    CHECK(delayed);
    RouterModel atomic;
    atomic.allocation = Allocation::atomic;
    const bool together = replication == Copies::lock_step;
    CHECK(check_worms(*topology, atomic, trees).answer() == (together ? Answer::safe : Answer::deadlock));
    RouterModel deep;
    deep.buffer_flits = 16;
    CHECK(check_worms(*topology, deep, trees, 16).answer() == (together ? Answer::deadlock : Answer::safe));
    CHECK(check_worms(*topology, deep, trees, 17).answer() == Answer::deadlock);
  }
}

// The reference counts (24 of 400, 89 of 300) are samples of other sets; both have one consumption
// channel a node and three destinations. Standard deviations are below 8.
TEST_CASE(
    "three multi-path multicasts on 3×3: one consumption channel a node deadlocks, one per input never") {
  const auto topology = hand_made::mesh({3, 3});
  RouterModel one;
  one.consumption_channels = 1;
  const int found = deadlocks(*topology, one, "multi-path", 400, 3, 3);
  CHECK(found > 8);
  CHECK(found < 40);
  CHECK(deadlocks(*topology, {}, "multi-path", 400, 3, 3) == 0);
}

TEST_CASE("pairs of lock-step xy-trees of three destinations on 3×3 often deadlock") {
  const auto topology = hand_made::mesh({3, 3});
  RouterModel one;
  one.consumption_channels = 1;
  const int shared = deadlocks(*topology, one, "xy-tree", 300, 2, 3);
  CHECK(shared > 65);
  CHECK(shared < 113);
  const int per_input = deadlocks(*topology, {}, "xy-tree", 300, 2, 3);
  CHECK(per_input > 20);
  CHECK(per_input < shared);
}

// With all branches requested at once and first-come queues a single switch never deadlocks;
// one late branch of each worm is enough, up to one flit less than the worm's length.
TEST_CASE("a single switch deadlocks up to B = L - 1 by late branches alone") {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = 1;
  spec.graph.hosts = {0, 0, 0, 0};
  const auto network = build_topology(std::move(spec));
  WormRoute one;
  one.source = HostId{0};
  one.replication = Copies::asynchronous;
  one.hops = {hand_made::deliver(2, -1), hand_made::deliver(3, -1)};
  WormRoute other = one;
  other.source = HostId{1};
  for (const std::uint32_t buffer : {2U, 16U, 31U, 32U}) {
    RouterModel model;
    model.buffer_flits = buffer;
    const Verdict verdict = check_worms(*network, model, {one, other}, 32);
    CHECK(verdict.answer() == (buffer < 32 ? Answer::deadlock : Answer::safe));
    for (const WitnessWorm& worm : verdict.witness())
      CHECK(std::any_of(worm.route.hops.begin(), worm.route.hops.end(),
                        [](const RouteHop& hop) { return hop.not_before_cycle > 0; }));
    for (std::uint64_t start = 0; start < 40; ++start) {
      std::vector<Routes> both = hand_made::one_each({one, other}, 32);
      both[1].plan.request.start_cycle = start;
      CHECK(hand_made::simulate(*network, model, both).outcome == Outcome::complete);
    }
  }
}

TEST_CASE("a relay decouples: store and forward breaks the cycle that cut-through closes") {
  const auto topology = hand_made::mesh({2, 2});
  // Each of four multicasts goes two hops round the ring; the second hop as a worm of its own.
  std::vector<Routes> relayed;
  const std::vector<std::vector<std::uint32_t>> turns{{0, 1, 3}, {1, 3, 2}, {3, 2, 0}, {2, 0, 1}};
  for (const auto& nodes : turns) {
    WormRoute second = hand_made::path(*topology, {nodes[1], nodes[2]});
    second.after = 0;
    relayed.push_back(hand_made::multicast(
        relayed.size(), {hand_made::path(*topology, {nodes[0], nodes[1]}), second}, long_worm));
  }
  CHECK(check(*topology, {}, relayed).answer() == Answer::safe);
}

TEST_CASE("a worm and the worm it waits for are never blocked together") {
  const auto topology = hand_made::mesh({2, 2});
  // The ring of four turns, but two of its worms belong to one multicast, the second after the first.
  WormRoute second = hand_made::path(*topology, {3, 2, 0});
  second.after = 0;
  const std::vector<Routes> all{
      hand_made::multicast(0, {hand_made::path(*topology, {0, 1, 3}), second}, long_worm),
      hand_made::multicast(1, {hand_made::path(*topology, {1, 3, 2})}, long_worm),
      hand_made::multicast(2, {hand_made::path(*topology, {2, 0, 1})}, long_worm)};
  CHECK(check(*topology, {}, all).answer() == Answer::safe_unreachable);
  // With another worm of that route, which waits for none, the ring can close.
  std::vector<Routes> more = all;
  more.push_back(hand_made::multicast(3, {hand_made::path(*topology, {3, 2, 0})}, long_worm));
  const Verdict verdict = check(*topology, {}, more);
  CHECK(verdict.answer() == Answer::deadlock);
}

}  // namespace wormcast::facts_test

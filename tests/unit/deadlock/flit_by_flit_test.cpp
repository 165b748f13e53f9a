// Verdicts on copies made flit by flit, and on FIFOs that several worms share, against every flit of small
// sets.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>

#include "checks/witness_runs.hpp"
#include "io/command_line/router_options.hpp"
#include "unit/deadlock/flit_oracle.hpp"
#include "unit/deadlock/hand_made.hpp"
#include "unit/long_mode.hpp"

namespace wormcast::flit_by_flit_test {

namespace {

/// States of a set that are looked at: nearly all of the time goes into the few with more.
std::size_t most_states() { return testing::few_or_many<std::size_t>(3'000, 12'000); }

struct Tally {
  std::array<int, 5> answers{};
  int compared = 0;

  int of(Answer answer) const { return answers[static_cast<std::size_t>(answer)]; }
};

RouterModel router(Copies copies, VcReuse reuse, Allocation allocation = Allocation::incremental) {
  RouterModel model;
  model.copies = copies;
  model.vc_reuse = reuse;
  model.allocation = allocation;
  return model;
}

RouterModel of_preset(const char* name) {
  io::RouterOptions options;
  options.preset = name;
  RouterModel model = io::router_model(options);
  model.hop_cycles = model.credit_cycles = 1;
  return model;
}

RouterModel random_model(Random& random, RouterModel model) {
  model.injection_channels = static_cast<std::uint32_t>(random.below(2));
  model.consumption_channels = static_cast<std::uint32_t>(random.below(3));
  model.buffer_flits = static_cast<std::uint32_t>(random.between(1, 3));
  return model;
}

enum class Trees { none, any, lock_step };

WormRoute random_worm(Random& random, const Topology& topology, Trees trees) {
  if (trees == Trees::none || random.below(3) == 0) return hand_made::random_path(random, topology, 3);
  const Copies replication =
      trees == Trees::any && random.below(2) == 0 ? Copies::asynchronous : Copies::lock_step;
  return hand_made::random_tree(random, topology, static_cast<std::uint32_t>(random.between(2, 3)),
                                replication);
}

void check_replays_in_any_order(const Topology& topology, RouterModel model, const Verdict& verdict) {
  for (const OutputArbitration arbitration :
       {OutputArbitration::first_come, OutputArbitration::round_robin}) {
    if (model.allocation == Allocation::two_step || model.copies == Copies::serial)
      return hand_made::check_replays(topology, model, verdict);
    if (arbitration == OutputArbitration::round_robin && model.allocation == Allocation::atomic) continue;
    model.output_arbitration = arbitration;
    hand_made::check_replays(topology, model, verdict);
  }
}

void compare(const Topology& topology, const RouterModel& model, const std::vector<WormRoute>& worms,
             std::uint64_t flits, Tally& tally) {
  const std::optional<bool> truth = hand_made::FlitOracle(model, worms, flits).deadlocks(most_states());
  if (!truth) return;
  ++tally.compared;
  const std::vector<Routes> all = hand_made::one_each(worms, flits);
  const Verdict verdict = hand_made::check(topology, model, all);
  ++tally.answers[static_cast<std::size_t>(verdict.answer())];
  INFO(answer_name(verdict.answer()), " ", verdict.limit());
  // What may stand still need not; and arbiters that are locked the oracle does not look at.
  const bool timed = model.allocation == Allocation::two_step;
  CHECK((timed || verdict.answer() != Answer::unknown));
  const bool safe = verdict.answer() == Answer::safe || verdict.answer() == Answer::safe_unreachable;
  CHECK_FALSE((safe && *truth));
  CHECK_FALSE((verdict.answer() == Answer::deadlock && !*truth));
  if (!timed) {
    const AllOrders orders = try_all_orders(topology, model, hand_made::explored(model, all), 100'000);
    CHECK((orders.deadlock || orders.exhausted));
    CHECK(orders.deadlock == *truth);
  }
  hand_made::check_verified(topology, verdict, all);
  if (verdict.answer() == Answer::deadlock) check_replays_in_any_order(topology, model, verdict);
}

void compare_seed(std::uint64_t seed, const char* name, const RouterModel& routers, Trees trees, int count,
                  Tally& tally) {
  const RandomStreams streams(seed, name);
  const std::vector<std::vector<std::uint64_t>> sizes{{2, 2}, {2, 2}, {3, 1}, {3, 2}};
  for (int i = 0; i < count; ++i) {
    Random random = streams.stream(static_cast<std::uint64_t>(i));
    const auto topology = hand_made::mesh(sizes[random.below(sizes.size())]);
    const RouterModel model = random_model(random, routers);
    std::vector<WormRoute> worms;
    for (std::uint64_t w = random.between(2, 4); w-- > 0;)
      worms.push_back(random_worm(random, *topology, trees));
    INFO("seed ", seed, ", set ", i);
    const bool fits = model.copies == Copies::serial && random.below(12) != 0;  // what does not is too plain
    compare(*topology, model, worms, random.between(1, fits ? model.buffer_flits : 5), tally);
  }
}

/// `rare`: one set in so many has each of the answers.
void compare_many(const char* name, const RouterModel& routers, Trees trees = Trees::any, int rare = 100) {
  const int count = testing::few_or_many(700, 1'500);
  const int seeds = testing::few_or_many(1, 3);
  Tally tally;
  for (int seed = 0; seed < seeds; ++seed)
    compare_seed(static_cast<std::uint64_t>(5 + seed), name, routers, trees, count, tally);
  MESSAGE(tally.compared, " sets: safe ", tally.of(Answer::safe), ", safe-unreachable ",
          tally.of(Answer::safe_unreachable), ", deadlock ", tally.of(Answer::deadlock));
  CHECK(tally.compared > seeds * count / 5);
  for (const Answer answer : {Answer::safe, Answer::safe_unreachable, Answer::deadlock})
    CHECK(tally.of(answer) > seeds * count / rare);
}

}  // namespace

TEST_CASE("verdicts equal every order of flits: copies flit by flit, drained channels" *
          doctest::test_suite("long")) {
  compare_many("flit by flit, drained", router(Copies::per_flit, VcReuse::drained));
}

TEST_CASE("verdicts equal every order of flits: copies as planned, drained channels") {
  compare_many("as planned, drained", router(Copies::unstated, VcReuse::drained));
}

TEST_CASE("verdicts equal every order of flits: trees and atomic allocation, drained channels" *
          doctest::test_suite("long")) {
  compare_many("atomic, drained", router(Copies::unstated, VcReuse::drained, Allocation::atomic));
}

TEST_CASE("verdicts equal every order of flits: copies flit by flit, shared FIFOs" *
          doctest::test_suite("long")) {
  compare_many("flit by flit, shared", router(Copies::per_flit, VcReuse::early));
}

TEST_CASE("verdicts equal every order of flits: copies as planned, shared FIFOs" *
          doctest::test_suite("long")) {
  compare_many("as planned, shared", router(Copies::unstated, VcReuse::early));
}

TEST_CASE("verdicts equal every order of flits: paths and atomic allocation, shared FIFOs" *
          doctest::test_suite("long")) {
  // Without trees atomic allocation makes no difference.
  compare_many("paths, shared", router(Copies::unstated, VcReuse::early, Allocation::atomic), Trees::none);
}

TEST_CASE("verdicts equal every order of flits: trees and atomic allocation, shared FIFOs" *
          doctest::test_suite("long")) {
  compare_many("atomic, shared", router(Copies::unstated, VcReuse::early, Allocation::atomic),
               Trees::lock_step);
}

TEST_CASE("verdicts equal every order of flits: paths, one copy after the other") {
  compare_many("serial copies", of_preset("pronoc"), Trees::none);
}

TEST_CASE("verdicts equal every order of flits: trees, one copy after the other" *
          doctest::test_suite("long")) {
  // What fits into buffers waits for no branch, so few sets have a dependency cycle that is unreachable.
  compare_many("serial trees", of_preset("pronoc"), Trees::any, 350);
}

TEST_CASE("verdicts equal every order of flits: two-step allocation") {
  compare_many("two-step", of_preset("esp"));
}

TEST_CASE("a header in lock step goes on behind nobody where all tails stay at their sources") {
  const auto topology = hand_made::mesh({2, 2});
  RouterModel model = router(Copies::unstated, VcReuse::early);
  model.injection_channels = model.consumption_channels = model.buffer_flits = 1;
  // The tree needs 3→1 and 3→2 before its header leaves; the path holds 3→2 and asks for node 0 after it.
  const std::vector<WormRoute> worms{
      hand_made::tree(*topology, 3, {{1, -1}, {2, -1}, {0, 0}}, Copies::lock_step),
      hand_made::path(*topology, {1, 3, 2, 0}, {2})};
  REQUIRE(hand_made::FlitOracle(model, worms, 5).deadlocks(most_states()) == false);
  const std::vector<Routes> all = hand_made::one_each(worms, 5);
  const Verdict verdict = hand_made::check(*topology, model, all);
  CHECK(verdict.answer() == Answer::safe_unreachable);
  hand_made::check_verified(*topology, verdict, all);
}

TEST_CASE("links with registers hold a flit more: a worm that does not fit into them keeps what it came by") {
  const auto topology = hand_made::mesh({2, 2});
  RouterModel model = of_preset("esp");
  model.buffer_flits = 1;
  // Blocked before node 1 the path fills two links of two flits; a fifth is in the first link, which the tree
  // needs.
  const std::vector<WormRoute> worms{
      hand_made::tree(*topology, 0, {{2, -1}, {1, -1}, {3, 0}}, Copies::lock_step, {2}),
      hand_made::path(*topology, {0, 2, 3, 1}, {2})};
  for (const std::uint64_t flits : {4, 5}) {
    CAPTURE(flits);
    REQUIRE(hand_made::FlitOracle(model, worms, flits).deadlocks(most_states()) == (flits == 4));
    const std::vector<Routes> all = hand_made::one_each(worms, flits);
    const Verdict verdict = hand_made::check(*topology, model, all);
    CHECK(verdict.answer() == (flits == 4 ? Answer::deadlock : Answer::safe_unreachable));
    hand_made::check_verified(*topology, verdict, all);
  }
}

TEST_CASE(
    "paths in lock step that deliver in one order have no dependency cycle: whoever goes on has delivered") {
  const auto topology = hand_made::mesh({4, 1});
  const std::vector<WormRoute> worms{hand_made::path(*topology, {0, 1, 2, 3}, {1, 2}),
                                     hand_made::path(*topology, {1, 2, 3}, {2})};
  const std::vector<Routes> all = hand_made::one_each(worms, 9);
  for (const char* preset : {"esp", "floonoc"}) {
    const Verdict verdict = hand_made::check(*topology, of_preset(preset), all);
    CHECK((verdict.answer() == Answer::safe) == (preset == std::string_view("esp")));
    hand_made::check_verified(*topology, verdict, all);
  }
}

}  // namespace wormcast::flit_by_flit_test

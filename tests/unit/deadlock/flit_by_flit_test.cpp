// Verdicts on copies made flit by flit, and on FIFOs that several worms share, against every flit of small
// sets.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>

#include "deadlock/independent/verdict_check.hpp"
#include "unit/deadlock/flit_oracle.hpp"
#include "unit/deadlock/hand_made.hpp"
#include "unit/long_mode.hpp"

namespace wormcast::flit_by_flit_test {

namespace {

constexpr std::size_t most_states = 12'000;

struct Tally {
  std::array<int, 5> answers{};
  int compared = 0;

  int of(Answer answer) const { return answers[static_cast<std::size_t>(answer)]; }
};

RouterModel random_model(Random& random, Copies copies, VcReuse reuse) {
  RouterModel model;
  model.copies = copies;
  model.vc_reuse = reuse;
  model.injection_channels = static_cast<std::uint32_t>(random.below(2));
  model.consumption_channels = static_cast<std::uint32_t>(random.below(3));
  model.buffer_flits = static_cast<std::uint32_t>(random.between(1, 3));
  return model;
}

WormRoute random_worm(Random& random, const Topology& topology) {
  if (random.below(3) == 0) return hand_made::random_path(random, topology, 3);
  const Replication replication = random.below(2) == 0 ? Replication::asynchronous : Replication::lock_step;
  return hand_made::random_tree(random, topology, static_cast<std::uint32_t>(random.between(2, 3)),
                                replication);
}

void check_replays_in_any_order(const Topology& topology, RouterModel model, const Verdict& verdict) {
  for (const OutputArbitration arbitration :
       {OutputArbitration::first_come, OutputArbitration::round_robin}) {
    model.output_arbitration = arbitration;
    hand_made::check_replays(topology, model, verdict);
  }
}

void check_verified(const Topology& topology, const Verdict& verdict, const std::vector<Routes>& all) {
  VerdictCheck check(topology, verdict, 1'000'000);
  for (const Routes& routes : all) check.add(routes);
  const CheckedVerdict checked = check.finish();
  INFO(checked.reason);
  CHECK(checked.outcome == CheckedVerdict::Outcome::holds);
}

void compare(const Topology& topology, const RouterModel& model, const std::vector<WormRoute>& worms,
             std::uint64_t flits, Tally& tally) {
  const std::optional<bool> truth = hand_made::FlitOracle(model, worms, flits).deadlocks(most_states);
  if (!truth) return;
  ++tally.compared;
  const std::vector<Routes> all = hand_made::one_each(worms, flits);
  const Verdict verdict = hand_made::check(topology, model, all);
  ++tally.answers[static_cast<std::size_t>(verdict.answer)];
  INFO(answer_name(verdict.answer), " ", verdict.limit);
  CHECK(verdict.answer != Answer::unknown);
  CHECK((verdict.answer == Answer::deadlock) == *truth);
  check_verified(topology, verdict, all);
  if (verdict.answer == Answer::deadlock) check_replays_in_any_order(topology, model, verdict);
}

Tally compare_many(const char* name, Copies copies, VcReuse reuse, int count) {
  const RandomStreams streams(5, name);
  const std::vector<std::vector<std::uint64_t>> sizes{{2, 2}, {2, 2}, {3, 1}, {3, 2}};
  Tally tally;
  for (int i = 0; i < count; ++i) {
    Random random = streams.stream(static_cast<std::uint64_t>(i));
    const auto topology = hand_made::mesh(sizes[random.below(sizes.size())]);
    const RouterModel model = random_model(random, copies, reuse);
    std::vector<WormRoute> worms;
    for (std::uint64_t w = random.between(2, 4); w-- > 0;) worms.push_back(random_worm(random, *topology));
    INFO("set ", i);
    compare(*topology, model, worms, random.between(1, 5), tally);
  }
  MESSAGE(tally.compared, " sets: safe ", tally.of(Answer::safe), ", safe-unreachable ",
          tally.of(Answer::safe_unreachable), ", deadlock ", tally.of(Answer::deadlock));
  CHECK(tally.compared > count / 3);
  for (const Answer answer : {Answer::safe, Answer::safe_unreachable, Answer::deadlock})
    CHECK(tally.of(answer) > count / 100);
  return tally;
}

}  // namespace

TEST_CASE("verdicts equal every order of flits: copies flit by flit, drained channels") {
  compare_many("flit by flit, drained", Copies::per_flit, VcReuse::drained, testing::few_or_many(150, 3000));
}

TEST_CASE("verdicts equal every order of flits: copies flit by flit, shared FIFOs") {
  compare_many("flit by flit, shared", Copies::per_flit, VcReuse::early, testing::few_or_many(150, 3000));
}

TEST_CASE("verdicts equal every order of flits: copies as planned, shared FIFOs") {
  compare_many("as planned, shared", Copies::as_planned, VcReuse::early, testing::few_or_many(150, 3000));
}

}  // namespace wormcast::flit_by_flit_test

// Verdicts on worms whose nodes are busy until they have answered, against every flit of small sets.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "checks/answer_check.hpp"
#include "checks/checked_verdict.hpp"
#include "checks/planner_verdict_check.hpp"
#include "deadlock/checker/checker.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "multicast/reply_tracker.hpp"
#include "topology/error.hpp"
#include "unit/deadlock/flit_oracle.hpp"
#include "unit/deadlock/hand_made.hpp"
#include "unit/long_mode.hpp"

namespace wormcast::answers_test {

namespace {

/// Worms, what each answers, and the multicasts that say so.
struct AnsweredSet {
  std::vector<WormRoute> worms;
  std::vector<std::optional<hand_made::AskedAt>> asked;
  std::vector<Routes> multicasts;

  void add(WormRoute worm, std::uint64_t flits, std::optional<hand_made::AskedAt> at = {}) {
    multicasts.push_back(hand_made::multicast(multicasts.size(), {worm}, flits));
    Request& request = multicasts.back().plan.request;
    if (at) {
      request.depends_on = {at->worm};
      request.workload.add(std::string(workload_answer), "true");
    }
    worms.push_back(std::move(worm));
    asked.push_back(at);
  }
};

/// From a node of a mesh to another along the first dimension first, or last.
WormRoute way_back(const Topology& mesh, std::uint32_t width, std::uint32_t from, std::uint32_t to,
                   bool first) {
  std::vector<std::uint32_t> nodes{from};
  const auto along = [&](bool x) {
    while (x ? nodes.back() % width != to % width : nodes.back() / width != to / width) {
      const std::uint32_t at = nodes.back(), step = x ? 1 : width;
      const bool up = x ? at % width < to % width : at / width < to / width;
      nodes.push_back(up ? at + step : at - step);
    }
  };
  along(first);
  along(!first);
  return hand_made::path(mesh, nodes);
}

RouterModel busy_nodes(Copies copies, VcReuse reuse) {
  RouterModel model;
  model.copies = copies;
  model.vc_reuse = reuse;
  model.consumption_release = ConsumptionRelease::answered;
  return model;
}

RouterModel random_model(Random& random, RouterModel model) {
  model.injection_channels = static_cast<std::uint32_t>(random.below(3));
  model.consumption_channels = static_cast<std::uint32_t>(random.below(3));
  model.buffer_flits = static_cast<std::uint32_t>(random.between(1, 3));
  return model;
}

AnsweredSet random_set(Random& random, const Topology& topology, std::uint32_t width, std::uint64_t flits) {
  AnsweredSet set;
  for (std::uint64_t w = random.between(2, 3); w-- > 0;) {
    const Copies replication = random.below(2) == 0 ? Copies::asynchronous : Copies::lock_step;
    const WormRoute worm =
        random.below(3) != 0
            ? hand_made::random_path(random, topology, 2)
            : hand_made::random_tree(random, topology, static_cast<std::uint32_t>(random.between(2, 3)),
                                     replication);
    const std::size_t index = set.worms.size();
    set.add(worm, flits);
    if (random.below(4) == 0) continue;
    set.multicasts.back().plan.request.workload.add(std::string(workload_answers), "1");
    for (std::size_t h = 0; h < worm.hops.size(); ++h)
      if (!worm.hops[h].is_channel())
        set.add(way_back(topology, width, worm.hops[h].target, worm.source.value, random.below(2) == 0),
                flits, hand_made::AskedAt{index, h});
  }
  return set;
}

struct Tally {
  std::array<int, 5> answers{};
  int compared = 0;
  int by_answers = 0;  ///< deadlocks that are none where nodes take whatever arrives
  int with_port = 0;   ///< witnesses in which an answer holds its port

  int of(Answer answer) const { return answers[static_cast<std::size_t>(answer)]; }
};

void check_deadlock(const Topology& topology, RouterModel model, const AnsweredSet& set,
                    const Verdict& verdict, Tally& tally) {
  for (const OutputArbitration arbitration :
       {OutputArbitration::first_come, OutputArbitration::round_robin}) {
    model.output_arbitration = arbitration;
    hand_made::check_replays(topology, model, verdict);
  }
  for (const WitnessWorm& worm : verdict.witness())
    if (std::count(worm.holds.begin(), worm.holds.end(), -2) != 0) {
      ++tally.with_port;
      break;
    }
  model.consumption_release = ConsumptionRelease::arrived;
  model.output_arbitration = OutputArbitration::first_come;
  const Answer without = hand_made::check(topology, model, set.multicasts).answer();
  tally.by_answers += without == Answer::safe || without == Answer::safe_unreachable ? 1 : 0;
}

void compare(const Topology& topology, const RouterModel& model, const AnsweredSet& set, std::uint64_t flits,
             Tally& tally) {
  const std::optional<bool> truth = hand_made::FlitOracle(model, set.worms, flits, set.asked)
                                        .deadlocks(testing::few_or_many<std::size_t>(4'000, 20'000));
  if (!truth) return;
  ++tally.compared;
  const Verdict verdict = hand_made::check(topology, model, set.multicasts);
  ++tally.answers[static_cast<std::size_t>(verdict.answer())];
  INFO(answer_name(verdict.answer()), " ", verdict.limit());
  CHECK(verdict.answer() != Answer::unknown);
  CHECK((verdict.answer() == Answer::deadlock) == *truth);
  hand_made::check_verified(topology, verdict, set.multicasts);
  if (verdict.answer() == Answer::deadlock) check_deadlock(topology, model, set, verdict, tally);
}

/// The same routers with one rule less.
struct Weaker {
  const char* name;
  bool applies;
  RouterModel model;
};

std::vector<Weaker> weaker_routers(const RouterModel& model) {
  std::vector<Weaker> result;
  const auto add = [&](const char* name, bool applies, auto change) {
    result.push_back({name, applies, model});
    change(result.back().model);
  };
  const bool answered = model.consumption_release == ConsumptionRelease::answered;
  add("consumption-channels per-input", model.consumption_channels == 0,
      [](RouterModel& m) { m.consumption_channels = 1; });
  add("injection-channels all", answered && model.injection_channels == 0,
      [](RouterModel& m) { m.injection_channels = 1; });
  add("consumption-release arrived", !answered,
      [](RouterModel& m) { m.consumption_release = ConsumptionRelease::answered; });
  add("replication as-planned", model.copies == Copies::unstated,
      [](RouterModel& m) { m.copies = Copies::per_flit; });
  add("vc-reuse drained", model.vc_reuse == VcReuse::drained,
      [](RouterModel& m) { m.vc_reuse = VcReuse::early; });
  return result;
}

struct NamingTally {
  int proofs = 0;
  std::map<std::string, int> named, not_named;
};

/// What a proof rests on, against every order of flits without that rule.
void check_naming(const Topology& topology, const RouterModel& model, const AnsweredSet& set,
                  std::uint64_t flits, NamingTally& tally) {
  CheckOptions options;
  options.model = model;
  options.assumptions = true;
  const Verdict verdict = hand_made::verdict_of(topology, options, set.multicasts);
  std::set<std::string> named(verdict.rests_on.begin(), verdict.rests_on.end());
  if (verdict.answer() != Answer::safe && verdict.answer() != Answer::safe_unreachable) {
    CHECK(named.empty());
    return;
  }
  ++tally.proofs;
  const bool answers =
      std::any_of(set.asked.begin(), set.asked.end(), [](const auto& at) { return at.has_value(); });
  for (const Weaker& weaker : weaker_routers(model)) {
    const bool given = named.erase(weaker.name) > 0;
    INFO(weaker.name, given ? ": named" : ": not named");
    const bool about_answers = std::string_view(weaker.name) == "consumption-release arrived";
    if (!weaker.applies || (about_answers && !answers)) {
      CHECK_FALSE(given);
      continue;
    }
    const bool busy = weaker.model.consumption_release == ConsumptionRelease::answered;
    const std::optional<bool> truth =
        hand_made::FlitOracle(weaker.model, set.worms, flits,
                              busy ? set.asked : std::vector<std::optional<hand_made::AskedAt>>())
            .deadlocks(testing::few_or_many<std::size_t>(4'000, 20'000));
    if (!truth) continue;
    CHECK(given == *truth);
    ++(given ? tally.named : tally.not_named)[weaker.name];
  }
  named.erase("the worms' lengths");
  CHECK(named.empty());
}

void compare_many(const char* name, const RouterModel& routers) {
  const int count = testing::few_or_many(600, 6'000);
  Tally tally;
  const RandomStreams streams(7, name);
  const std::vector<std::vector<std::uint64_t>> sizes{{2, 2}, {2, 2}, {3, 1}, {3, 2}};
  for (int i = 0; i < count; ++i) {
    Random random = streams.stream(static_cast<std::uint64_t>(i));
    const std::vector<std::uint64_t>& dims = sizes[random.below(sizes.size())];
    const auto topology = hand_made::mesh(dims);
    const RouterModel model = random_model(random, routers);
    const std::uint64_t flits = random.between(1, 4);
    const AnsweredSet set = random_set(random, *topology, static_cast<std::uint32_t>(dims[0]), flits);
    INFO("set ", i);
    compare(*topology, model, set, flits, tally);
  }
  MESSAGE(tally.compared, " sets: safe ", tally.of(Answer::safe), ", safe-unreachable ",
          tally.of(Answer::safe_unreachable), ", deadlock ", tally.of(Answer::deadlock),
          ", by answers alone ", tally.by_answers, ", ports in witnesses ", tally.with_port);
  CHECK(tally.compared > count / 5);
  for (const Answer answer : {Answer::safe, Answer::safe_unreachable, Answer::deadlock})
    CHECK(tally.of(answer) > count / 100);
  CHECK(tally.by_answers > count / 100);
  CHECK(tally.with_port > count / 100);
}

}  // namespace

TEST_CASE("verdicts equal every order of flits: busy nodes, copies as planned, drained channels" *
          doctest::test_suite("long")) {
  compare_many("answers, as planned, drained", busy_nodes(Copies::unstated, VcReuse::drained));
}

TEST_CASE("verdicts equal every order of flits: busy nodes, copies as planned, shared FIFOs" *
          doctest::test_suite("long")) {
  compare_many("answers, as planned, shared", busy_nodes(Copies::unstated, VcReuse::early));
}

TEST_CASE("verdicts equal every order of flits: busy nodes, copies flit by flit, drained channels" *
          doctest::test_suite("long")) {
  compare_many("answers, flit by flit, drained", busy_nodes(Copies::per_flit, VcReuse::drained));
}

TEST_CASE("verdicts equal every order of flits: busy nodes, copies flit by flit, shared FIFOs" *
          doctest::test_suite("long")) {
  compare_many("answers, flit by flit, shared", busy_nodes(Copies::per_flit, VcReuse::early));
}

TEST_CASE("proofs beside answers name the rules without which flits can stand still, and no others" *
          doctest::test_suite("long")) {
  NamingTally tally;
  const RandomStreams streams(11, "named");
  const std::vector<std::vector<std::uint64_t>> sizes{{2, 2}, {2, 2}, {3, 1}, {3, 2}};
  for (int i = 0; i < testing::few_or_many(120, 5'000); ++i) {
    Random random = streams.stream(static_cast<std::uint64_t>(i));
    const std::vector<std::uint64_t>& dims = sizes[random.below(sizes.size())];
    const auto topology = hand_made::mesh(dims);
    RouterModel model =
        random_model(random, busy_nodes(random.below(2) == 0 ? Copies::unstated : Copies::per_flit,
                                        random.below(2) == 0 ? VcReuse::drained : VcReuse::early));
    if (random.below(3) == 0) model.consumption_release = ConsumptionRelease::arrived;
    const std::uint64_t flits = random.between(1, 4);
    const AnsweredSet set = random_set(random, *topology, static_cast<std::uint32_t>(dims[0]), flits);
    INFO("set ", i);
    check_naming(*topology, model, set, flits, tally);
  }
  std::string counts;
  for (const Weaker& weaker : weaker_routers({})) {
    counts += std::string(", ") + weaker.name + " " + std::to_string(tally.named[weaker.name]) + " to " +
              std::to_string(tally.not_named[weaker.name]);
    CHECK(tally.not_named[weaker.name] > 0);
  }
  MESSAGE(tally.proofs, " proofs; named and not", counts);
  for (const char* name :
       {"consumption-channels per-input", "injection-channels all", "consumption-release arrived"})
    CHECK(tally.named[name] > 0);
}

namespace {

Verdict all_multicasts(const Topology& topology, const char* planner, const RouterModel& model,
                       std::uint32_t unicast_vc, std::optional<std::uint64_t> flits) {
  const auto unicasts = bind_routing("dimension-order", topology);
  CheckOptions options;
  options.model = model;
  options.flits = flits;
  options.answer_check = check_answer;
  options.limits.states = testing::few_or_many(1'500u, 5'000u);
  RelationScope relation{parse_protocol_rule("depends", "multicasts:unicasts"), unicast_vc};
  Verdict verdict = check_all_multicasts(BoundPlanner(*find_planner(planner), topology, {}), unicasts.get(),
                                         options, relation);
  verdict.unicast_routing = "dimension-order";
  return verdict;
}

/// Multicasts of the planner with their answers, drawn at random.
AnsweredSet planned_set(Random& random, const Topology& topology, const BoundPlanner& planner,
                        std::uint32_t unicast_vc, std::uint64_t flits) {
  const auto unicasts = bind_routing("dimension-order", topology);
  AnsweredSet set;
  for (std::uint64_t m = random.between(2, 3); m-- > 0;) {
    Request request;
    request.id = set.multicasts.size();
    request.source = HostId{static_cast<std::uint32_t>(random.below(topology.hosts()))};
    request.length_flits = flits;
    for (std::uint32_t host = 0; host < topology.hosts(); ++host)
      if (HostId{host} != request.source && random.below(2) == 0)
        request.destinations.push_back(HostId{host});
    if (request.destinations.empty()) continue;
    const Request asked = request;
    set.multicasts.push_back(expand(planner.plan(std::move(request)), planner.context().routing));
    set.multicasts.back().plan.request.workload.add(std::string(workload_answers), "1");
    for (const HostId host : asked.destinations) {
      Routes answer = unicast_routes(*unicasts, host, asked.source, 0, unicast_vc);
      answer.plan.request.id = set.multicasts.size();
      answer.plan.request.length_flits = flits;
      answer.plan.request.depends_on = {asked.id};
      answer.plan.request.workload.add(std::string(workload_answer), "true");
      set.multicasts.push_back(std::move(answer));
    }
  }
  return set;
}

}  // namespace

TEST_CASE("all multicasts with answers: safe ones have no deadlock in them, deadlocks replay" *
          doctest::test_suite("long")) {
  std::array<int, 5> answers{};
  int sets = 0;
  for (const char* planner : {"separate", "dual-path", "ocms", "xy-tree"})
    for (const std::uint32_t variant : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
      RouterModel model = busy_nodes((variant & 1U) != 0 ? Copies::per_flit : Copies::unstated,
                                     (variant & 1U) != 0 ? VcReuse::early : VcReuse::drained);
      model.consumption_channels = (variant & 2U) != 0 ? 1 : 0;
      const std::uint32_t unicast_vc = (variant & 4U) != 0 ? 1 : 0;
      for (const std::uint64_t flits : {std::uint64_t{1}, std::uint64_t{6}}) {
        const auto topology = hand_made::mesh({3, 2});
        INFO(planner, ", variant ", variant, ", ", flits, " flits");
        const Verdict verdict = all_multicasts(*topology, planner, model, unicast_vc, flits);
        ++answers[static_cast<std::size_t>(verdict.answer())];
        const CheckedVerdict checked = check_planner_verdict(*topology, verdict, 1'000'000);
        INFO(answer_name(verdict.answer()), ": ", checked.reason);
        CHECK(checked.outcome == CheckedVerdict::Outcome::holds);
        if (verdict.answer() == Answer::deadlock) hand_made::check_replays(*topology, model, verdict);
        if (verdict.answer() != Answer::safe) continue;
        const BoundPlanner bound(*find_planner(planner), *topology, {});
        for (std::uint64_t i = 0; i < 20; ++i) {
          Random random = RandomStreams(variant, planner).stream(i);
          const AnsweredSet set = planned_set(random, *topology, bound, unicast_vc, flits);
          const Answer given = hand_made::check(*topology, model, set.multicasts, {1'000, 2'000}).answer();
          CHECK(given != Answer::deadlock);
          sets += given == Answer::unknown ? 0 : 1;
        }
      }
    }
  MESSAGE("safe ", answers[0], ", deadlock ", answers[2], ", unknown ", answers[3], "; ", sets, " sets");
  CHECK(answers[0] > 8);
  CHECK(answers[2] > 8);
}

TEST_CASE("answers that fit nothing are refused") {
  const auto topology = hand_made::mesh({3, 1});
  const RouterModel model = busy_nodes(Copies::unstated, VcReuse::drained);
  const WormRoute asked = hand_made::path(*topology, {0, 1, 2}, {1});
  const auto answer = [&](std::uint32_t from, std::uint32_t to, std::vector<std::uint64_t> depends_on) {
    AnsweredSet set;
    set.add(asked, 4);
    set.multicasts.back().plan.request.workload.add(std::string(workload_answers), "1");
    set.add(way_back(*topology, 3, from, to, true), 4, hand_made::AskedAt{0, 1});
    set.multicasts.back().plan.request.depends_on = std::move(depends_on);
    return set.multicasts;
  };
  const auto refused = [&](const std::vector<Routes>& multicasts) -> std::string {
    try {
      hand_made::check(*topology, model, multicasts);
    } catch (const InputError& error) {
      return error.field + ": " + error.what();
    }
    return "";
  };
  CHECK(refused(answer(2, 0, {})) ==
        "depends_on: an answer depends on the multicast that it answers, and on nothing else");
  CHECK(refused(answer(2, 0, {7})) == "depends_on[0]: multicast 7 awaits no answer of node 2");
  CHECK(refused(answer(2, 1, {0})) == "destinations: an answer to multicast 0 goes to its source, node 0");
  CHECK(refused(answer(2, 0, {0})) == "workload.answers: multicast 0 is never answered by node 1");
}

}  // namespace wormcast::answers_test

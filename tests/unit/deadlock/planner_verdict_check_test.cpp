// Verdicts on planners checked alone: they hold as they come and are refused as soon as anything is changed.
// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "checks/checked_verdict.hpp"
#include "checks/planner_verdict_check.hpp"
#include "deadlock/checker/checker.hpp"
#include "topology/error.hpp"
#include "topology/generator.hpp"
#include "unit/long_mode.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::planner_verdict_check_test {

using namespace testing;

namespace {

using Outcome = CheckedVerdict::Outcome;

/// What a reader of the record has: no routes in the witness.
Verdict as_read(Verdict verdict) {
  if (ByWitness* const shown = std::get_if<ByWitness>(&verdict.evidence))
    for (WitnessWorm& worm : shown->witness) worm.route = WormRoute{};
  return verdict;
}

Outcome outcome(const Topology& topology, const Verdict& verdict) {
  return check_planner_verdict(topology, verdict, 100'000).outcome;
}

std::vector<CheckOptions> models() {
  std::vector<CheckOptions> all(6);
  all[1].flits = 4;
  all[2].model.consumption_channels = 1;
  all[3].model.allocation = Allocation::atomic;
  all[4].model.cut_through = true;
  all[5].model.path_reservation = true;
  return all;
}

/// Everything that can be changed in a verdict and is wrong then.
int refuse_changes(const Topology& topology, const Verdict& verdict) {
  int refused = 0;
  const auto refuse = [&](const Verdict& changed) {
    CHECK(outcome(topology, changed) == Outcome::refused);
    ++refused;
  };
  Verdict changed = verdict;
  ++changed.worms;
  refuse(changed);
  changed = verdict;
  changed.scope += " and more";
  refuse(changed);
  if (verdict.answer() == Answer::safe) {
    changed = verdict;
    std::get<ByNumbering>(changed.evidence).numbering.pop_back();
    refuse(changed);
    changed = verdict;
    std::reverse(std::get<ByNumbering>(changed.evidence).numbering.begin(),
                 std::get<ByNumbering>(changed.evidence).numbering.end());
    if (verdict.dependencies > 0) refuse(changed);
    changed = verdict;
    changed.evidence = evidence_for(Answer::unknown);
    refuse(changed);
    return refused;
  }
  changed = verdict;
  changed.cycle.pop_back();
  refuse(changed);
  changed = verdict;
  changed.evidence = evidence_for(Answer::safe);
  refuse(changed);
  if (verdict.answer() != Answer::deadlock) return refused;
  changed = verdict;
  std::get<ByWitness>(changed.evidence).witness.pop_back();
  refuse(changed);
  changed = verdict;
  std::get<ByWitness>(changed.evidence).witness.front().waits.front() =
      std::get<ByWitness>(changed.evidence).witness.front().waits.front() == 0 ? 1 : 0;
  refuse(changed);
  changed = verdict;
  std::get<ByWitness>(changed.evidence).witness.front().planned.reset();
  refuse(changed);
  return refused;
}

void check_planners(const Topology& topology, std::array<int, 5>& answers, int& refused) {
  int judged = 0;
  for (const Planner* planner : planners()) {
    if (planner->legs == nullptr || planner->unsupported(topology)) continue;
    std::vector<PlanOptions> variants{{}};
    for (const PlannerParameter& parameter : planner->parameters)
      if (parameter.name == "replication" || parameter.name == "relay" || parameter.name == "same-router" ||
          parameter.name == "drop-on-the-way")
        for (const std::string_view value : parameter.values)
          variants.push_back({{std::string(parameter.name), std::string(value)}});
    for (const PlanOptions& variant : variants)
      for (const CheckOptions& model : models()) {
        CAPTURE(planner->name);
        CAPTURE(topology.name());
        const Verdict verdict =
            as_read(check_all_multicasts(BoundPlanner(*planner, topology, variant), nullptr, model));
        CAPTURE(answer_name(verdict.answer()));
        CHECK(outcome(topology, verdict) == Outcome::holds);
        for (const Dependency& edge : verdict.cycle) {
          const auto& cause = std::get<LegCause>(edge.cause);
          CHECK(std::max({cause.source, cause.destination, cause.next_destination.value_or(cause.source)}) <
                HostId{topology.hosts()});
        }
        ++answers[static_cast<std::size_t>(verdict.answer())];
        // One in five, and six models: each of them in its turn.
        if (long_mode() || ++judged % 5 == 0) refused += refuse_changes(topology, verdict);
      }
  }
}

}  // namespace

TEST_CASE("verdicts on planners hold by a second reading of their legs, changed ones are refused" *
          doctest::test_suite("long")) {
  std::array<int, 5> answers{};
  int refused = 0;
  for (const auto& network :
       {make("mesh", {3, 3}), make("mesh", {5, 1}), make("torus", {4, 4}), make("ccc", {3}),
        build_topology(generate(*find_generator("irregular"),
                                {{"switches", 4}, {"ports", 6}, {"hosts", 3}, {"seed", 3}}))})
    check_planners(*network, answers, refused);
  MESSAGE(answers[0], " safe, ", answers[2], " deadlock, ", answers[3], " unknown; refused ", refused);
  CHECK(answers[static_cast<std::size_t>(Answer::safe)] > 50);
  CHECK(answers[static_cast<std::size_t>(Answer::deadlock)] > 50);
  CHECK(refused > 200);
}

TEST_CASE("verdicts on planners with unicasts: the unicasts are named, and others are refused") {
  const auto mesh = make("mesh", {4, 4});
  const auto xy = bind_routing("dimension-order", *mesh);
  const auto with = [&](const char* planner) {
    Verdict verdict =
        as_read(check_all_multicasts(BoundPlanner(*find_planner(planner), *mesh, {}), xy.get(), {}));
    verdict.unicast_routing = "dimension-order";
    return verdict;
  };
  const Verdict safe = with("column-path");
  REQUIRE(safe.answer() == Answer::safe);
  CHECK(outcome(*mesh, safe) == Outcome::holds);
  const Verdict deadlock = with("dual-path");
  REQUIRE(deadlock.answer() == Answer::deadlock);
  CHECK(outcome(*mesh, deadlock) == Outcome::holds);
  CHECK(std::any_of(deadlock.witness().begin(), deadlock.witness().end(),
                    [](const WitnessWorm& worm) { return worm.planned->unicast; }));
  for (Verdict verdict : {safe, deadlock}) {
    verdict.unicast_routing.clear();
    CHECK(outcome(*mesh, verdict) == Outcome::refused);
    verdict.unicast_routing = "label";
    CHECK(outcome(*mesh, verdict) == Outcome::refused);
    verdict.planned_by.planner = "nobody";
    CHECK_THROWS_AS(outcome(*mesh, verdict), InputError);
  }
}

}  // namespace wormcast::planner_verdict_check_test

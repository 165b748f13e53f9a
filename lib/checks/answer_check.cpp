// Evidence held against what the verdict is about, as far as that takes no more than reading it. Runs of a
// witness, and all that only a whole verdict says, are left to check-deadlock --verify. Cost: that of the
// checks.
// SPDX-License-Identifier: MIT
#include "checks/answer_check.hpp"

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "checks/certificate_check.hpp"
#include "checks/numbering_check.hpp"
#include "checks/planner_claims.hpp"
#include "checks/relation_reading.hpp"
#include "checks/relation_verdict_check.hpp"
#include "checks/table_verdict_check.hpp"
#include "checks/witness_runs.hpp"
#include "deadlock/worms/planned_worms.hpp"

namespace wormcast {

namespace {

/// Why the evidence does not prove the answer; "" if it does.
struct EvidenceCheck {
  const Topology& topology;
  const Verdict& verdict;

  std::string operator()(const JudgedRoutes& judged) const {
    const RouterModel& model = verdict.model;
    if (verdict.answer() == Answer::safe)
      return refuse_numbering(topology, model, verdict.numbering(), judged.routes);
    const bool atomic = model.discipline().queues_jointly;
    // Worms that are left out may be what a cycle goes through, in the queues of atomic nodes.
    const std::string fault = atomic && !judged.complete ? "" : refuse_dependencies(judged.routes);
    if (!fault.empty() || verdict.answer() != Answer::deadlock) return fault;
    return WitnessRuns(topology, model, verdict.witness()).refuse_as_timed();
  }

  std::string refuse_dependencies(const std::vector<StoredRoute>& routes) const {
    std::map<WormRef, const StoredRoute*> by_first;
    JointRequests joint;
    for (const StoredRoute& stored : routes) {
      by_first[stored.worms.front()] = &stored;
      joint.add(topology, verdict.model, stored.route, stored.flits);
    }
    return refuse_cycle(verdict.cycle, joint, [&](const WormCause& cause) -> std::optional<PlainWorm> {
      const auto found = by_first.find(WormRef{cause.multicast, cause.worm});
      if (found == by_first.end()) return std::nullopt;  // its route is not stored any more
      return PlainWorm(topology, verdict.model, found->second->route, found->second->flits);
    });
  }

  std::string operator()(const ForwardingTables* tables) const {
    const CheckedVerdict checked = check_table_verdict(*tables, verdict);
    const bool open = checked.outcome == CheckedVerdict::Outcome::undecided && verdict.cycle.empty();
    return checked.outcome == CheckedVerdict::Outcome::holds || open ? "" : checked.reason;
  }

  std::string operator()(const PlannedWorms* worms) const {
    const RouterModel taking = answering(verdict.model, false);  // answers are no part of plans
    return refuse_by_plans(worms->planner(), taking, *verdict.flits, verdict.numbering());
  }

  std::string operator()(const RelationWorms* worms) const {
    return RelationReading{topology, verdict.model, worms->sorts, worms->replies}.refuse_numbering(
        verdict.numbering(), verdict.proof() == acyclic_proof);
  }

  std::string operator()(const std::vector<AllowedWorm>* allowed) const {
    return refuse_relation_witness(topology, verdict.model, verdict.witness(), *allowed);
  }
};

}  // namespace

[[gnu::weak]] void check_answer(const Topology& topology, const Verdict& verdict, const JudgedWorms& worms) {
  const std::string fault = std::visit(EvidenceCheck{topology, verdict}, worms);
  if (!fault.empty()) throw std::logic_error("evidence refused: " + fault);
}

}  // namespace wormcast

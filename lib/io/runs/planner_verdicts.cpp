// Network by network, planner by planner.
// SPDX-License-Identifier: MIT
#include "io/runs/verdict_output.hpp"

#include <memory>
#include <utility>

#include "deadlock/checker/checker.hpp"
#include "io/runs/allocating_verdicts.hpp"
#include "io/runs/reduction_verdicts.hpp"
#include "multicast/planner_choice.hpp"
#include "topology/error.hpp"

namespace wormcast::io {

void check_planners(const PlannerScope& scope, const CheckOptions& options,
                    const std::vector<std::string>& inputs, VerdictOutput& writer) {
  RelationScope relation;
  if (!scope.depends.empty()) relation.depends = parse_protocol_rule("--depends", scope.depends);
  relation.unicast_vc = scope.unicast_vc;
  CheckOptions judged = options;
  judged.model = stand_in(options.model);
  judged.allocating = allocates(options.model);
  const AllocatingVerdict allocating(options.model);
  RecordStream in(inputs);
  in.for_each([&](const Record& record) {
    if (record.kind == Kind::topology) return;
    if (record.kind != Kind::end) refuse_kind(record, "topology records alone with --all-multicasts");
    const Topology& topology = *in.topology();
    std::unique_ptr<const RoutingFunction> unicast;
    if (!scope.with_unicast.empty()) unicast = bind_routing(scope.with_unicast, topology);
    for (const PlannerChoice& choice : parse_planner_choices(scope.planners, {}, "--all-multicasts")) {
      if (choice.states(routing_seed_option))
        throw InputError("--all-multicasts", std::string(routing_seed_option) +
                                                 ": the verdict holds for every way that can be drawn");
      if (scope.reductions) {
        const BoundPlanner backwards = bind_for_reductions(choice, topology, scope.routing);
        Verdict verdict = check_all_reductions(backwards, unicast.get(), options);
        verdict.unicast_routing = routing_name(scope.with_unicast);
        writer.write(std::move(verdict), topology, in);
        continue;
      }
      const BoundPlanner planner(*choice.planner, topology, choice.options, choice.routing_or(scope.routing));
      Verdict verdict = check_all_multicasts(planner, unicast.get(), judged, relation);
      verdict.unicast_routing = routing_name(scope.with_unicast);
      verdict = allocating.settle(std::move(verdict), planner, unicast.get());
      if (scope.suggest && verdict.answer != Answer::safe && verdict.answer != Answer::safe_unreachable)
        add_suggestions(verdict, judged.limits, scope.tell, [&](const auto& tell) {
          return suggest({topology,
                          {choice.planner, choice.options, std::string(planner.routing_name())},
                          verdict.unicast_routing,
                          judged,
                          relation},
                         tell);
        });
      writer.write(std::move(verdict), topology, in);
    }
  });
}

}  // namespace wormcast::io

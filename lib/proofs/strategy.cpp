// Reductions are judged by themselves; multicasts by what stands for the routers, and of those that allocate
// virtual channels by runs. Reductions may come late, so the first messages of a segment are kept until it is
// known whether any does. Cost: that of what is called.
// SPDX-License-Identifier: MIT
#include "proofs/strategy.hpp"

#include <algorithm>
#include <utility>

#include "checks/answer_check.hpp"
#include "deadlock/programs/program_verdict.hpp"
#include "deadlock/relations/relation_check.hpp"
#include "deadlock/tables/table_check.hpp"
#include "multicast/planner.hpp"
#include "proofs/allocating_verdicts.hpp"
#include "proofs/joined_verdicts.hpp"
#include "proofs/reduction_verdicts.hpp"
#include "simulation/engine.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

constexpr std::uint64_t kept_per_route = 10;
constexpr std::uint64_t most_joined = 10'000, most_allocated = 100'000;

/// What stands for the routers; no answer about it leaves unchecked.
CheckOptions judged_by(const CheckOptions& options, const Topology& topology) {
  CheckOptions result = on_stand_in(options, topology);
  result.answer_check = check_answer;
  return result;
}

/// Not where the multicasts are known to block each other by themselves.
bool may_need_channels(const Verdict& verdict) {
  return verdict.answer() == Answer::unknown ||
         std::any_of(verdict.witness().begin(), verdict.witness().end(), [](const WitnessWorm& worm) {
           return worm.planned && (worm.planned->unicast || worm.planned->reply_to);
         });
}

}  // namespace

void SegmentMessages::add(const Routes& routes) {
  planner_.add(routes.plan);
  reduces_ = reduces_ || routes.plan.request.reduces();
  ++count_;
  if (reduces_ && count_ > most_joined)
    refuse("start_cycles", "a reduction: more than {} messages to keep in memory", most_joined);
  if (allocates(model_, topology_) && !reduces_) {
    const std::string& name = routes.plan.routing;
    if (std::exchange(routing_name_, name) != name) {
      const RoutingEntry* entry = find_routing_function(name);
      routing_ = entry != nullptr && !entry->unsupported(topology_) ? bind_routing(name, topology_) : nullptr;
    }
    if (routing_ != nullptr) check_classes(*routing_, routes);
    if (count_ > most_allocated)
      refuse("--vc-allocation", "more than {} multicasts to keep in memory", most_allocated);
  }
  if (count_ <= most_joined || all_ || allocates(model_, topology_))
    kept_.push_back(routes);
  else
    kept_ = {};
}

SegmentCheck::SegmentCheck(const SegmentCheckOptions& options, std::shared_ptr<const Topology> topology)
    : options_(options),
      judged_(judged_by(options.check, *topology)),
      topology_(std::move(topology)),
      messages_(*topology_, options.check.model, options.shrink || options.suggest),
      checker_(*topology_, judged_),
      on_the_way_(*topology_, judged_.model, options.check.flits),
      tables_(*topology_) {}

void SegmentCheck::add(const Routes& routes) {
  if (messages_.empty()) refuse_unsimulated(*topology_, options_.check.model);
  if (judged_.allocating && options_.shrink)
    refuse("--shrink", "is not for routers that allocate virtual channels");
  if (program_) {
    flows_.push_back(routes);
    return;
  }
  messages_.add(routes);
  if (messages_.reduces()) return;
  if (routes.routed_on_the_way()) {
    on_the_way_.add(routes);
    return;
  }
  checker_.add(routes);
  any_hops_ = true;
  if (!options_.shrink && !options_.suggest) return;
  kept_worms_ += routes.worms.size();
  const std::uint64_t most = judged_.route_limit * kept_per_route;
  if (kept_worms_ > most)
    refuse(
        options_.shrink ? "--shrink" : "--suggest",
        "more than {} worms to keep in memory; first find the deadlock without it, then give the multicasts "
        "of its witness alone, or raise --route-limit",
        most);
}

void SegmentCheck::add(const RouterTable& table) {
  if (program_) refuse("kind", "a program sends packets along routes, not by tables");
  if (judged_.allocating)
    refuse("--vc-allocation",
           "tables are judged under virtual cut-through, whoever chooses virtual channels");
  require_table_network(*topology_);
  tables_.add(table);
  if (options_.suggest) kept_tables_.push_back(table);
}

void SegmentCheck::add(const Program& program, const std::string& place) {
  if (program_ || !messages_.empty() || !tables_.empty())
    refuse("kind", "a program stands directly behind the topology");
  program_ = program;
  program_place_ = place;
}

Verdict SegmentCheck::on_program() const {
  refuse_stated({{"--shrink", options_.shrink}, {"--list-dependencies", options_.list_dependencies}},
                "is for routes or tables, not for programs");
  try {
    if (!program_->run.empty())
      refuse("run", "is for simulate-wormhole; a verdict holds for any order of grants");
    Verdict result = judge_program(*topology_, bind_program(*topology_, *program_, flows_), options_.check);
    if (options_.suggest && !excludes_deadlock(result.answer())) {
      CheckOptions part = options_.check;
      part.limits = suggestion_limits(part.limits);
      result.suggestions = suggest(*topology_, *program_, flows_, part);
      if (result.suggestions->empty())
        result.unsettled.emplace_back("no change of the program that is tried is proved to help");
    }
    if (result.answer() != Answer::deadlock) return result;
    result.replayed = flows_;
    result.program = program_;
    result.program->run = result.shown(&ByRun::run);
    return result;
  } catch (InputError& error) {
    if (error.place.empty() && !error.field.starts_with("--")) error.place = program_place_;
    throw;
  }
}

Verdict SegmentCheck::verdict() const {
  if (program_) return on_program();
  refuse_mixture();
  if (messages_.reduces())
    return judge_joined({*topology_, options_, messages_.kept(), messages_.planned_by()});
  if (tables_.empty())
    return AllocatingVerdict(options_.check.model, *topology_)
        .settle(on_routes(), *topology_, messages_.kept());
  Verdict result = check_tables(tables_, judged_.model, judged_.answer_check, options_.list_dependencies);
  if (options_.suggest && !excludes_deadlock(result.answer()))
    result.suggestions = suggest_levels(tables_, judged_.model, kept_tables_, judged_.answer_check);
  return result;
}

Verdict SegmentCheck::on_routes() const {
  Verdict result =
      on_the_way_.empty() ? checker_.verdict() : check_segment_relations(*topology_, on_the_way_, judged_);
  result.planned_by = messages_.planned_by();
  if (!on_the_way_.empty()) return result;
  if (!any_hops_)  // the stream held something else than routes, as after a planner that wrote none
    result.evidence = AtLimit{"nothing to check: no routes or tables on " + topology_->name()};
  if (options_.shrink && result.answer() == Answer::deadlock)
    result = shrink(*topology_, judged_, messages_.kept(), std::move(result), options_.subset_limit);
  bool met_limit = false;
  if (options_.suggest && !excluding(result.answer(), judged_.allocating, met_limit))
    add_suggestions(result, judged_.limits, options_.tell,
                    [&](const auto& tell) { return suggest(*topology_, judged_, messages_.kept(), tell); });
  return result;
}

std::vector<Routes> SegmentCheck::changed() const {
  refuse_mixture();
  if (messages_.reduces()) verdict();  // which refuses the option
  return changed_routes(*topology_, judged_, messages_.kept(), options_.change);
}

ChangedProgram SegmentCheck::changed_program() const {
  std::optional<ChangedProgram> found;
  each_change(*topology_, *program_, flows_, [&](const ChangedProgram& changed) {
    if (changed.change == options_.change) found = changed;
    return found.has_value();
  });
  if (!found)
    refuse("--change", "{} is no change of this program; --suggest names some", in_quotes(options_.change));
  return *found;
}

std::vector<RouterTable> SegmentCheck::changed_tables() const {
  refuse_mixture();
  if (options_.change != levels_change)
    refuse("--change", "'{}' is no change of tables; it is {}", options_.change, levels_change);
  std::vector<RouterTable> changed = tables_by_level(tables_, kept_tables_);
  if (changed.empty())
    refuse("--change", "{}: those that {} can have do not take the loops out of its tables", levels_change,
           topology_->name());
  return changed;
}

/// A segment holds routes or tables, not both, and tables have no witness to form and no worms to shape.
void SegmentCheck::refuse_mixture() const {
  const bool tables = !tables_.empty();
  if (tables && !messages_.empty())
    throw InputError("kind", "routes and tables in one segment; they are checked apart");
  if (messages_.reduces()) return;
  const bool answered = options_.check.model.answered();
  const char* const asked = options_.shrink            ? "--shrink"
                            : !options_.change.empty() ? "--change"
                            : options_.suggest         ? "--suggest"
                                                       : nullptr;
  if (answered && asked != nullptr) throw InputError(asked, "excludes --consumption-release answered");
  if (answered && tables)
    throw InputError("--consumption-release",
                     "tables are judged for packets that are consumed when they arrive");
  if (!on_the_way_.empty() && any_hops_)
    throw InputError("routing", "worms with hops and worms that routers route are not judged together");
  if (!on_the_way_.empty() && asked != nullptr) throw InputError(asked, "is for worms with hops");
  if (!tables && options_.list_dependencies)
    throw InputError("--list-dependencies", "lists dependencies of tables only");
  if (tables && (options_.witness || options_.shrink))
    throw InputError("kind", "a loop in tables is not a deadlock: it has no witness, and nothing to shrink");
  if (!tables) return;
  const CheckOptions& check = options_.check;
  refuse_stated({{"--long-worms", check.flits == long_worm_flits},
                 {"--length-flits", check.flits.has_value()},
                 {"--path-reservation", check.model.discipline().grants_ways},
                 {"--allocation", check.model.discipline().queues_jointly},
                 {"--vc-reuse", check.model.reuses_early()}},
                "tables are judged under virtual cut-through, for packets of any length");
}

RelationScope relation_of(const PlannerScope& scope) {
  RelationScope relation;
  if (!scope.depends.empty()) relation.depends = parse_protocol_rule("--depends", scope.depends);
  relation.unicast_vc = scope.unicast_vc;
  return relation;
}

void judge_planners(const PlannerScope& scope, const RelationScope& relation, const CheckOptions& options,
                    const Topology& topology, const std::function<void(Verdict)>& take) {
  const CheckOptions judged = judged_by(options, topology);
  if (judged.allocating && relation.unicast_vc != 0)
    refuse("--unicast-vc",
           "is not for routers that allocate virtual channels: classes share out all of them");
  std::unique_ptr<const RoutingFunction> unicast;
  if (!scope.with_unicast.empty()) unicast = bind_routing(scope.with_unicast, topology, "--with-unicast");
  const std::string unicast_routing = routing_name(scope.with_unicast);
  for (const PlannerChoice& choice : parse_planner_choices(scope.planners, {}, "--all-multicasts")) {
    if (choice.states(routing_seed_option))
      refuse("--all-multicasts", "{}: the verdict holds for every way that can be drawn",
             routing_seed_option);
    Verdict verdict;
    if (scope.reductions) {
      const BoundPlanner backwards = bind_for_reductions(choice, topology, scope.routing);
      verdict = check_all_reductions(backwards, unicast.get(), options);
      verdict.unicast_routing = unicast_routing;
    } else {
      const BoundPlanner planner(*choice.planner, topology, choice.options, choice.routing_or(scope.routing));
      verdict = check_all_multicasts(planner, unicast.get(), judged, relation);
      verdict.unicast_routing = unicast_routing;
      verdict = AllocatingVerdict(options.model, topology).settle(std::move(verdict), planner, unicast.get());
      const PlannerQuestion asked{topology,
                                  {choice.planner, choice.options, std::string(planner.routing_name())},
                                  unicast_routing,
                                  judged,
                                  relation};
      if (scope.suggest && !excludes_deadlock(verdict.answer()))
        add_suggestions(verdict, judged.limits, scope.tell,
                        [&](const auto& tell) { return suggest(asked, true, tell); });
      else if (topology.one_way_grid() && may_need_channels(verdict))
        if (auto needed = suggest(asked, false); !needed.empty()) verdict.suggestions = std::move(needed);
    }
    take(std::move(verdict));
  }
}

}  // namespace wormcast

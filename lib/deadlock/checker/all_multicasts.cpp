// Verdicts on a planner and a routing function as such: every multicast they can produce.
//
// The graph of all legs has every dependency that can arise. Acyclic, it is a proof. Where it has cycles, a
// real deadlock is looked for by the exact search, among multicasts made for the shortest cycle (a source at
// or before each of its turns, destinations behind it) and among all with one or two destinations of the few
// hosts nearest to it; then among drawn multicasts of many destinations, those that block each other, in a
// drawn order. If none is found the answer is unknown: the cycle may be unreachable. cite: derived here.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/checker.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "deadlock/relations/relation_check.hpp"
#include "multicast/around_faults.hpp"
#include "multicast/legs.hpp"
#include "multicast/reply_tracker.hpp"
#include "router/router_rules.hpp"
#include "router/worm_footprint.hpp"
#include "topology/error.hpp"
#include "topology/random.hpp"

namespace wormcast {
namespace {

constexpr std::uint32_t few_hosts = 16;  ///< all small multicasts of so many are searched
/// Of a set, and in all, where every set has to be explored.
constexpr std::uint64_t few_states = 2'000, few_sets = 100'000, drawn_states = 20'000, most_drawn = 16;
/// Of several searches each explores so many sets up to the limit, of many each one up to half of it.
constexpr std::uint64_t explorations_each = 2;

class AllMulticasts {
 public:
  AllMulticasts(const PlannedWorms& worms, const CheckOptions& options)
      : judged_(worms),
        planner_(worms.planner()),
        unicast_(worms.unicast()),
        relation_(worms.scope()),
        options_(options),
        topology_(planner_.context().topology),
        resources_(topology_, options.model),
        rings_(bubble_rings(topology_, options.model, resources_, true)) {
    options_.flits = options.flits.value_or(long_worm_flits);
    if (const std::string fault = too_long_for_slots(topology_, options_.model, *options_.flits);
        !fault.empty())
      throw InputError("--length-flits", (options.flits ? "" : "not given: worms may be ") + fault);
    worms.refuse_without_legs();
  }

  /// Whether the dependencies have no cycle.
  bool acyclic() {
    for (const Detail detail : details()) {
      collect(detail, [] { return false; });
      DependencyGraph closed;
      if (DependencyOrder(closed_graph(closed), rings_).acyclic()) return true;
    }
    return false;
  }

  Verdict run() {
    Verdict result;
    for (const Detail detail : details()) {
      // A deadlock of multicasts alone is one beside unicasts, too; its cycle has to be one of theirs.
      const bool found = collect(detail, [&] {
        if (detail != Detail::every_dependency || only_proved()) return false;
        result = ordered();
        return result.answer() != Answer::safe && search_alone(result);
      });
      if (found) return result;
      result = ordered();
      if (result.answer() != Answer::safe) continue;
      options_.check_answer(topology_, result, &judged_);
      return result;
    }
    if (!only_proved()) search_witness(result);
    return result;
  }

 private:
  using Detail = LegSink::Detail;

  /// The coarse set of legs over-approximates: if it has a cycle, the exact one is tried.
  std::vector<Detail> details() const {
    if (planner_.context().routing.up_down() == nullptr &&
        (unicast_ == nullptr || unicast_->up_down() == nullptr))
      return {Detail::every_dependency};
    return {Detail::more, Detail::every_dependency};
  }

  /// The graph, or where nodes queue for several resources at once `closed`, made of it.
  const DependencyGraph& closed_graph(DependencyGraph& closed) const {
    if (!graph_.has_joint_requests()) return graph_;
    closed = graph_.closed_over_queues();
    return closed;
  }

  /// The verdict as far as the dependencies say it: a numbering, or a cycle.
  Verdict ordered() const {
    DependencyGraph closed;
    const DependencyGraph& graph = closed_graph(closed);
    const DependencyOrder order(graph, rings_);
    Verdict result = describe();
    result.dependencies = graph.size();
    if (order.acyclic())
      result.evidence = ByNumbering{order.numbering()};
    else
      result.cycle = order.shortest_cycle();
    return result;
  }

  /// Dependencies of multicasts, then of unicasts unless `enough` says that none is missing: true then.
  template <class Enough>
  bool collect(Detail detail, Enough enough) {
    graph_ = {};
    LegGraph legs(planner_.context().routing, options_.model, *options_.flits, graph_, 0, detail);
    legs_of_planner(planner_.context(), legs);
    legs.finish();
    worms_ = legs.legs();
    if (unicast_ == nullptr || enough()) return unicast_ != nullptr;
    DependencyGraph of_unicasts, waiting;
    LegGraph unicasts(*unicast_, options_.model, *options_.flits, of_unicasts, relation_.unicast_vc, detail);
    unicast_legs(PlanningContext{topology_, *unicast_, {}}, unicasts);
    unicasts.finish();
    worms_ += unicasts.legs();
    if (answered()) {
      legs_of_planner(planner_.context(), legs.noting_beside());
      only_proved() ? unicasts.answer_by(legs, waiting) : legs.answer_by(unicasts, waiting);
    }
    graph_.add(of_unicasts);
    graph_.add(waiting);
    return false;
  }

  bool answered() const { return options_.model.answered(); }
  bool only_proved() const { return judged_.answered_by_branches(); }  // such answers are not searched

  Verdict describe() const {
    Verdict result;
    name_planner(planner_, unicast_ != nullptr, result);
    result.model = options_.model;
    result.relation = relation_;
    result.flits = options_.flits;
    result.worms = worms_;
    result.resources = graph_.resources();
    return result;
  }

  /// True if a deadlock was found; `limit` takes what kept the search from being complete, if anything did.
  bool search_among(const MulticastSet& requests, Verdict& result, std::string& limit,
                    bool drawn = false) const {
    CheckOptions searched = options_;
    searched.assumptions = false;
    if (judged_by_exploring(searched.model)) {
      searched.limits.states = std::min(searched.limits.states, drawn ? drawn_states : few_states);
      searched.limits.partial_sets = std::min(searched.limits.partial_sets, few_sets);
    } else {
      searched.limits.explorations = drawn ? 1 : explorations_each;
      if (drawn) searched.limits.states = std::max<std::uint64_t>(1, searched.limits.states / 2);
      if (drawn) searched.limits.partial_sets = std::min(searched.limits.partial_sets, few_sets);
    }
    DeadlockChecker checker(topology_, searched);
    std::vector<PlannedMulticast> planned;  // by id
    for (int copy = 0; copy < 2; ++copy) {  // the same multicast may be under way twice
      for (Routes& routes : plan_all(planner_, requests)) {
        routes.plan.request.id = planned.size();
        planned.push_back({routes.plan.request.source, routes.plan.request.destinations});
        if (planner_.context().routing.draws()) planned.back().classes = classes_of(routes.plan.worms);
        if (answered()) routes.plan.request.workload.add(std::string(workload_answers), "true");
        checker.add(routes);
        if (answered()) add_answers_to(routes.plan.request, planned, checker);
      }
    }
    if (unicast_ != nullptr) add_unicasts(requests, planned, checker);
    Verdict found = checker.verdict();
    result.looked_at += found.looked_at;
    if (found.answer() == Answer::unknown && limit.empty()) limit = found.limit();
    if (found.answer() != Answer::deadlock) return false;
    auto& witness = std::get<ByWitness>(found.evidence).witness;
    for (WitnessWorm& worm : witness) worm.planned = planned[worm.name.multicast];
    if (relation_.depends && !answered()) add_answers_to(witness, planned);
    result.evidence = std::move(found.evidence);
    result.multicasts = requests.size();
    result.distinct_routes = found.distinct_routes;
    return true;
  }

  /// A unicast by the way of that class, if it has that, else by its first; put into `planned`.
  Routes planned_unicast(HostId from, HostId to, std::optional<std::uint32_t> vc_class,
                         std::vector<PlannedMulticast>& planned) const {
    const std::vector<std::uint32_t> ways =
        unicast_->choices_between(topology_.router_of(from), topology_.router_of(to));
    const bool named = vc_class && std::find(ways.begin(), ways.end(), *vc_class) != ways.end();
    Routes routes =
        unicast_routes(*unicast_, from, to, named ? *vc_class : ways.front(), relation_.unicast_vc);
    routes.plan.request.id = planned.size();
    planned.push_back({from, {to}, true});
    if (unicast_->draws()) planned.back().classes = classes_of(routes.plan.worms);
    return routes;
  }

  void add_answers_to(const Request& asked, std::vector<PlannedMulticast>& planned,
                      DeadlockChecker& checker) const {
    for (const HostId from : asked.destinations) {
      Routes routes = planned_unicast(from, asked.source, std::nullopt, planned);
      routes.plan.request.depends_on = {asked.id};
      routes.plan.request.workload.add(std::string(workload_answer), "true");
      checker.add(routes);
    }
  }

  /// They wait for what never arrives.
  void add_answers_to(std::vector<WitnessWorm>& witness, std::vector<PlannedMulticast>& planned) const {
    for (const WitnessWorm& worm : std::vector<WitnessWorm>(witness))
      for (const RouteHop& hop : worm.route.hops) {
        if (hop.is_channel() || worm.planned->unicast) continue;
        const Routes routes = planned_unicast(HostId{hop.target}, worm.route.source, std::nullopt, planned);
        WitnessWorm answer;
        answer.name = {routes.plan.request.id, 0};
        answer.route = routes.worms.front();
        answer.length_flits = effective_flits(topology_, options_.model, answer.route.source,
                                              answer.route.hops, long_worm_flits);
        answer.start_cycle = witness.back().start_cycle;
        answer.answers = worm.name.multicast;
        answer.planned = planned.back();
        witness.push_back(std::move(answer));
      }
  }

  void add_unicasts(const MulticastSet& requests, std::vector<PlannedMulticast>& planned,
                    DeadlockChecker& checker) const {
    for (const auto& [source, destinations, vc_class] : requests)
      if (destinations.size() == 1)
        checker.add(planned_unicast(HostId{source}, HostId{destinations.front()}, vc_class, planned));
  }

  /// Multicasts longer than all buffers that block each other have not arrived, so nothing answers them.
  bool search_alone(Verdict& result) {
    std::string limit;
    if (!relation_.depends || *options_.flits != long_worm_flits) return search_along(result, limit);
    options_.model = answering(options_.model, false);
    const bool found = search_along(result, limit) || search_small(result, limit);
    options_.model = answering(options_.model, true);
    return found;
  }

  /// Resources of a multicast to one host, and of its answer, which begins with the channel that it came by.
  std::vector<std::vector<ResourceId>> ways(HostId source, HostId destination) const {
    std::vector<std::vector<ResourceId>> result(1);
    std::vector<PlannedMulticast> planned;
    const auto add = [&](const Routes& routes) {
      const Footprint worm(topology_, resources_, options_.model, routes.worms.front(), *options_.flits);
      for (const Step& step : worm.steps()) result.back().push_back(step.resource);
    };
    for (const Routes& routes : plan_all(planner_, {{source.value, {destination.value}, std::nullopt}}))
      add(routes);
    if (result.back().empty()) return {};  // the planner has none
    result.push_back({result.back().back()});
    add(planned_unicast(destination, source, std::nullopt, planned));
    return result;
  }

  bool search_along(Verdict& result, std::string& limit) const {
    const CycleThere cycle{topology_, resources_, result.cycle};
    const auto ways_of = std::bind_front(&AllMulticasts::ways, this);
    return (relation_.depends && search_among(messages_covering(cycle, ways_of), result, limit)) ||
           search_among(multicasts_along(cycle), result, limit) ||
           (!topology_.hosts_have_links() && search_among(multicasts_around(cycle), result, limit));
  }

  bool search_small(Verdict& result, std::string& limit) const {
    return search_among(small_multicasts({topology_, resources_, result.cycle}, few_hosts), result, limit);
  }

  /// Many multicasts at once mostly run into a deadlock where there is one.
  bool search_drawn(Verdict& result, std::string& limit) const {
    if (answered()) return false;
    for (std::uint64_t i = 0; i < most_drawn; ++i) {
      Random random = RandomStreams(0, "standstills").stream(i);
      const std::vector<Routes> all = plan_all(
          planner_,
          drawn_multicasts({topology_, resources_, result.cycle}, few_hosts, 2 * few_hosts, 2 + i, random));
      const MulticastSet blocked = drawn_deadlock(topology_, options_.model, all, *options_.flits, random);
      if (!blocked.empty() && search_among(blocked, result, limit, true)) return true;
    }
    return false;
  }

  void search_witness(Verdict& result) const {
    std::string limit;
    if (search_along(result, limit) || search_small(result, limit) || search_drawn(result, limit)) return;
    std::string where = topology_.hosts() <= 3
                            ? "no deadlock found among its multicasts, each twice; more of "
                              "them at a time are not all searched"
                        : topology_.hosts() <= few_hosts
                            ? "no deadlock found among small multicasts; larger ones are not all searched"
                            : "no deadlock found among small multicasts of the " + std::to_string(few_hosts) +
                                  " end points nearest to the dependency cycle; others are not all searched";
    if (!limit.empty()) where += "; not all of these were searched: " + limit;
    result.evidence = AtLimit{std::move(where)};
  }

  PlannedWorms judged_;
  const BoundPlanner& planner_;
  const RoutingFunction* unicast_;
  RelationScope relation_;
  CheckOptions options_;
  const Topology& topology_;
  Resources resources_;
  RingOf rings_;
  DependencyGraph graph_;
  std::uint64_t worms_ = 0;
};

CheckOptions copying_per_flit(CheckOptions options) {
  discipline_per_flit.choose(options.model);
  return options;
}

Verdict judge(const PlannedWorms& worms, const CheckOptions& options) {
  if (worms.judged_by_legs(options.model)) return AllMulticasts(worms, options).run();
  const bool turns = worms.judged_by_turns(options.model);
  if (turns) {
    Verdict result = AllMulticasts(worms, copying_per_flit(options)).run();
    result.model = options.model;
    if (ByNumbering* const shown = std::get_if<ByNumbering>(&result.evidence)) {
      shown->proof = acyclic_proof;
      return result;
    }
  }
  refuse_with_choices(options.model);
  const BoundPlanner& planner = worms.planner();
  Verdict result, of_multicasts;  // Their deadlock is one beside unicasts and answers, too.
  const auto alone = [&] { return AllMulticasts({planner, nullptr, {}}, options).run(); };
  const bool branches = worms.branches_beside_choices(options.model);
  if (branches || worms.branches_beside_answers()) result = of_multicasts = alone();
  result.relation = worms.scope();
  if (result.answer() != Answer::deadlock) result = check_all_relations(worms, options);
  if (result.answer() == Answer::unknown && !branches && worms.fixed_beside_choices())
    if (of_multicasts = alone(); of_multicasts.answer() == Answer::deadlock)
      result = std::move(of_multicasts);
  if (result.answer() == Answer::unknown && branches)
    find_mixed_deadlock(planner, *worms.unicast(), options, std::move(of_multicasts), result);
  if (turns)
    result.evidence = AtLimit{
        "the turns of these worms close a circle where stops share consumption channels, and worms "
        "that are given by their turns are not searched for a deadlock"};
  name_planner(planner, worms.unicast() != nullptr, result);
  return result;
}

/// As judge(), but without a search for a deadlock: only whether there is a proof.
bool proves(const PlannedWorms& worms, CheckOptions options) {
  if (worms.judged_by_legs(options.model))
    return (worms.answered_by_unicasts() || !worms.scope().depends || worms.answered_by_branches()) &&
           AllMulticasts(worms, options).acyclic();
  if (worms.judged_by_turns(options.model) && AllMulticasts(worms, copying_per_flit(options)).acyclic())
    return true;
  options.limits.partial_sets = 1;
  return check_all_relations(worms, options).answer() == Answer::safe;
}

std::vector<std::string> assumptions_of(const PlannedWorms& worms, CheckOptions options) {
  options.flits = options.flits.value_or(long_worm_flits);
  const AssumptionScope scope{worms.answered_by_unicasts(), worms.scope()};
  const Topology& topology = worms.planner().context().topology;
  return assumptions_of(topology, options, scope, [&](const Assumption& assumption) {
    return proves({worms.planner(), worms.unicast(), assumption.relation}, assumption.without);
  });
}

}  // namespace

Verdict check_all_multicasts(const BoundPlanner& planner, const RoutingFunction* unicast,
                             const CheckOptions& asked, const RelationScope& relation) {
  refuse_length_beside_headers(planner, asked.flits, "--length-flits");
  const PlannedWorms worms(planner, unicast, relation);
  worms.refuse_unplanned();
  if (asked.model.answered()) worms.refuse_other_answers(asked.model);
  CheckOptions options = asked;
  const bool stored = worms.stored_until_answered(options.model);
  if (stored) options.model = answering(options.model, true);
  Verdict result = judge(worms, options);
  const bool by_branches = worms.answered_by_branches();
  if (stored && (by_branches ? result.answer() != Answer::safe
                             : result.answer() == Answer::deadlock && !blocks_unanswered(result.witness()))) {
    result = judge(worms, asked);
    if (result.answer() == Answer::unknown && !by_branches)
      result.evidence = AtLimit{
          "a deadlock where nodes are busy until they answer (--consumption-release answered); "
          "worms that branch are not searched with others"};
  }
  if (options.allocating && result.answer() == Answer::safe && worms.shares_overlap())
    result.evidence = AtLimit{classes_overlap};
  if (options.assumptions && result.answer() == Answer::safe)
    result.rests_on = assumptions_of(worms, options);
  return result;
}

}  // namespace wormcast

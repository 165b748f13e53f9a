// The deadlock checker: first the dependency graph, and only where it has cycles the exact search.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/checker.hpp"

#include "multicast/check.hpp"
#include "multicast/reply_tracker.hpp"
#include "router/router_parameters.hpp"
#include "router/router_rules.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

// One check for each rule that could matter, with that rule alone taken away. Cost: that of the checks.

/// Whether answers are judged of these routers.
bool may_be_busy(const CheckOptions& options) {
  const RouterModel& model = options.model;
  return !options.allocating && !model.cut_through && !model.discipline().grants_nodes && !model.answered();
}

std::vector<Assumption> possible_assumptions(const Topology& topology, const CheckOptions& options,
                                             const AssumptionScope& scope) {
  std::vector<Assumption> result;
  const auto without = [&](std::string name, auto change) {
    Assumption assumption{std::move(name), options, scope.relation};
    assumption.without.assumptions = false;
    change(assumption.without);
    result.push_back(std::move(assumption));
  };
  const RouterModel& model = options.model;
  const Discipline& discipline = model.discipline();
  const auto without_rule = [&](CheckOptions& o) { o.model = with_discipline(o.model, *discipline.without); };
  if (discipline.grants_ways) {  // nothing else matters then
    without(std::string(discipline.rule), without_rule);
    return result;
  }
  const bool links = topology.hosts_have_links();
  if (model.consumption_channels == 0 && !links)
    without("consumption-channels per-input", [](CheckOptions& o) { o.model.consumption_channels = 1; });
  const bool answered = model.answered();
  if ((answered || scope.relation.depends) && model.injection_channels == 0 && !links)
    without("injection-channels all", [](CheckOptions& o) { o.model.injection_channels = 1; });
  if (scope.relation.unicast_vc > 0) {
    without(fmt::format("unicast-vc {}", scope.relation.unicast_vc), [](CheckOptions&) {});
    result.back().relation.unicast_vc = 0;
  }
  if (scope.answers && may_be_busy(options))
    without("consumption-release arrived",
            [](CheckOptions& o) { o.model.consumption_release = ConsumptionRelease::answered; });
  if (model.cut_through) without("cut-through", [](CheckOptions& o) { o.model.cut_through = false; });
  if (discipline.without != nullptr && !model.cut_through)
    without(std::string(discipline.rule), without_rule);
  if (!model.reuses_early() && !model.cut_through)
    without("vc-reuse drained", [](CheckOptions& o) { o.model.vc_reuse = VcReuse::early; });
  if (options.flits != long_worm_flits && !model.cut_through)
    without("the worms' lengths", [](CheckOptions& o) { o.flits = long_worm_flits; });
  return result;
}

/// The routes of a stream, each as a multicast of its own: relays count as started at any time.
std::vector<Routes> one_by_one(const RouteStore& store) {
  std::vector<Routes> all;
  for (const StoredRoute& stored : store.routes())
    for (std::size_t copy = 0; copy < stored.worms.size(); ++copy) {
      Routes& routes = all.emplace_back();
      routes.plan.request.id = all.size() - 1;
      routes.plan.request.source = stored.route.source;
      routes.plan.request.length_flits = stored.flits;
      routes.worms.push_back(stored.route);
      routes.worms.front().after = -1;
      routes.worms.front().header_flits = 0;
    }
  return all;
}

}  // namespace

DeadlockChecker::DeadlockChecker(const Topology& topology, const CheckOptions& options)
    : topology_(topology),
      options_(options),
      resources_(topology, options.model),
      store_(options.route_limit) {
  if (options.model.cut_through) check_router(options.model, true);
  if (options.model.answered()) answers_.emplace();
}

void DeadlockChecker::add(const Routes& routes) {
  require_multicast(routes.plan.request, "the dependency graph of worms");
  ++multicasts_;
  if (vcs_share_links(options_.model, topology_)) check_links_once(topology_, routes);
  if (options_.assumptions) keep(routes);
  const Request& request = routes.plan.request;
  std::optional<Answered> answered;
  if (answers_) {
    answered = answers_->add(request, routes.worms);
    store_.add_family(routes, answered);
  } else {
    store_.add_relations(routes);
  }
  WormRoute starter;
  for (std::uint32_t w = 0; w < routes.worms.size(); ++w) {
    ++worms_;
    const bool answers = answered && answered->starter == w;
    if (answers) {
      starter = routes.worms[w];
      starter.port = answered->port;
    }
    const WormRoute& route = answers ? starter : routes.worms[w];
    const std::uint64_t length = checked_flits(route, request, options_.flits, options_.model);
    if (options_.model.cut_through && options_.model.copies == Copies::serial &&
        length > options_.model.buffer_flits && options_.flits != long_worm_flits)
      refuse("--cut-through",
             "excludes --replication serial for worms of {} flits, which do not fit into a buffer of {}",
             length, options_.model.buffer_flits);
    check_slots(topology_, options_.model, route, length, w);
    if (options_.model.discipline().slots_differ()) lengths_.insert(length);
    const std::uint64_t flits = effective_flits(topology_, options_.model, route.source, route.hops, length);
    if (!store_.add(route, flits, WormRef{request.id, w})) continue;
    const Footprint footprint(topology_, resources_, options_.model, route, flits);
    refuse_resources_taken_twice(footprint, w);
    graph_.add(footprint, WormCause{request.id, w, -1});
  }
}

Verdict check_routes(const Topology& topology, const CheckOptions& options, const std::vector<Routes>& all) {
  DeadlockChecker checker(topology, options);
  for (const Routes& routes : all) checker.add(routes);
  return checker.verdict();
}

Verdict DeadlockChecker::verdict() const {
  Verdict result = judge();
  options_.check_answer(topology_, result, JudgedRoutes{store_.routes(), store_.routes_complete()});
  if (options_.assumptions) result.rests_on = assumptions(result.answer);
  return result;
}

void DeadlockChecker::refuse_resources_taken_twice(const Footprint& footprint, std::uint32_t worm) {
  for (const Step& step : footprint.steps()) {
    if (step.resource.value >= taken_by_.size()) taken_by_.resize(std::size_t{step.resource.value} + 1);
    if (std::exchange(taken_by_[step.resource.value], worms_) == worms_)
      refuse(fmt::format("worms[{}].hops[{}]", worm, step.hop),
             "the worm takes this virtual channel or consumption channel a second time");
  }
}

void DeadlockChecker::keep(const Routes& routes) {
  any_answers_ = any_answers_ || is_answered(routes.plan.request);
  kept_worms_ += routes.worms.size();
  if (kept_worms_ <= most_kept_worms)
    kept_.push_back(routes);
  else
    kept_.clear();
}

std::vector<std::string> DeadlockChecker::assumptions(Answer answer) const {
  if (!excludes_deadlock(answer)) return {};
  const bool answers = any_answers_ && kept_worms_ <= most_kept_worms;
  if (!answers && answers_ && answer == Answer::safe_unreachable) return {};  // what answers what is not kept
  const std::vector<Routes> apart = answers ? std::vector<Routes>() : one_by_one(store_);
  return assumptions_of(topology_, options_, {answers, {}}, [&](const Assumption& assumption) {
    return excludes_deadlock(check_routes(topology_, assumption.without, answers ? kept_ : apart).answer);
  });
}

Verdict DeadlockChecker::judge() const {
  if (answers_) answers_->refuse_unanswered();
  Verdict result;
  result.scope = routes_scope;
  result.model = options_.model;
  result.flits = options_.flits;
  result.multicasts = multicasts_;
  result.worms = worms_;
  result.distinct_routes = store_.routes().size();
  result.resources = graph_.resources();
  result.dependencies = graph_.size();
  const bool joint = graph_.has_joint_requests();
  const DependencyGraph closed = joint ? graph_.closed_over_queues() : DependencyGraph();
  const DependencyOrder order(joint ? closed : graph_,
                              bubble_rings(topology_, options_.model, resources_, lengths_.size() < 2));
  if (order.acyclic()) {
    result.answer = Answer::safe;
    result.numbering = order.numbering();
    return result;
  }
  result.cycle = order.shortest_cycle();
  std::vector<Footprint> footprints;  // larger than the routes, and seldom needed
  const auto work_out = [&](const RouterModel& model) {
    footprints.clear();
    for (const StoredRoute& stored : store_.routes())
      footprints.emplace_back(topology_, resources_, model, stored.route, stored.flits);
  };
  const auto any_of_them = [&](auto which) {
    return std::any_of(footprints.begin(), footprints.end(), which);
  };
  work_out(options_.model);
  const bool shared = any_of_them([](const Footprint& worm) { return worm.lets_others_behind(); });
  // What an atomic node's worm holds behind others is not worked out alone: whole components are explored.
  const bool whole = judged_by_exploring(options_.model) ||
                     (shared && any_of_them([](const Footprint& worm) { return worm.queues_jointly(); }));
  RouterModel model = options_.model;
  if (!shared && shares_buffers(model) &&
      !judged_by_exploring(model)) {  // no blocked worm has another one behind it in a FIFO
    model.vc_reuse = VcReuse::drained;
    work_out(model);
  }
  DeadlockSearchResult found;
  const bool explored = judged_by_exploring(model);  // the search names sets, each a small one to explore
  SearchedWorms worms{store_, footprints, topology_, model, options_.limits};
  if (explored) worms.limits.states = std::min<std::uint64_t>(worms.limits.states, 2'000);
  if (!whole || explored) found = search_deadlock(worms, order);
  worms.limits.states = options_.limits.states;
  result.looked_at = found.looked_at;
  const bool spent = found.spent;
  const bool by_holding = found.exhausted;
  const bool settled = !shared || (found.exhausted && !found.unsettled);
  const bool open = answers_ && !found.exhausted;
  if ((joint || !settled || open || whole) && !found.deadlock) found = search_queues(worms, graph_, order);
  const auto knows = [&](const BlockedWorm& worm) { return store_.knows_what_readies(worm.name.multicast); };
  if (found.deadlock && !std::all_of(found.deadlock->begin(), found.deadlock->end(), knows))
    found = {};  // some worm may have to wait for more than is known
  if (found.deadlock) {
    result.answer = Answer::deadlock;
    result.witness = time_witness(*found.deadlock, found.requests, worms);
  } else if (found.exhausted) {
    // Fabrics send packets again and again; that these, each once, cannot fill the loop excludes nothing.
    result.answer = options_.model.cut_through ? Answer::loop : Answer::safe_unreachable;
  } else if (!store_.complete()) {
    result.limit = fmt::format(
        "more than {} {}", options_.route_limit,
        store_.routes_complete() ? "multicasts whose worms wait for others to arrive" : "distinct routes");
  } else if (answers_ && (found.relations_open || !found.exhausted) && !spent) {
    result.limit = fmt::format(
        "worms and answers that may have to do with each other are explored up to {} at a time and {} states",
        most_answering_worms, options_.limits.states);
  } else if (joint && by_holding) {
    result.limit = fmt::format(
        "the order of queues for several outputs at once is explored of up to {} worms and {} states",
        most_queueing_worms, options_.limits.states);
  } else if (spent) {
    result.limit = result.looked_at >= options_.limits.partial_sets
                       ? fmt::format("search limit of {} partial sets", options_.limits.partial_sets)
                       : fmt::format("search limit of {} worms tried for sets", options_.limits.tries());
  } else if (shared) {
    result.limit = fmt::format(
        "the order in which worms stand in FIFOs is explored of up to {} worms, {} states of a set and {} of "
        "all sets",
        most_queueing_worms, options_.limits.states, options_.limits.all_states());
  } else if (found.relations_open) {
    result.limit = "worms that wait for others to arrive are started one after the other only";
  } else {
    result.limit = fmt::format(
        "exploration limit of {} states of worms shorter than their paths, or of {} of all sets of them",
        options_.limits.states, options_.limits.all_states());
  }
  return result;
}

std::vector<std::string> assumptions_of(const Topology& topology, const CheckOptions& options,
                                        const AssumptionScope& scope,
                                        const std::function<bool(const Assumption&)>& proved) {
  std::vector<std::string> names;
  for (const Assumption& assumption : possible_assumptions(topology, options, scope)) try {
      if (!proved(assumption)) names.push_back(assumption.name);
    } catch (const InputError&) {
      continue;
    }
  return names;
}

}  // namespace wormcast

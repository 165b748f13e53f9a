// The deadlock checker: first the dependency graph, and only where it has cycles the exact search.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/checker.hpp"

#include "deadlock/stage.hpp"
#include "multicast/check.hpp"
#include "multicast/reply_tracker.hpp"
#include "router/router_parameters.hpp"
#include "router/router_rules.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

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

/// All worms of a segment, judged in stages.
class DeadlockChecker::Judge {
 public:
  explicit Judge(const DeadlockChecker& all)
      : all_(all),
        model_(all.options_.model),
        joint_(all.graph_.has_joint_requests()),
        closed_(joint_ ? all.graph_.closed_over_queues() : DependencyGraph()),
        order_(joint_ ? closed_ : all.graph_,
               bubble_rings(all.topology_, model_, all.resources_, all.shortest_ >= all.longest_)),
        result_(all.counted()) {}

  Verdict verdict() {
    constexpr Stage<Judge> stages[] = {{&Judge::by_order},
                                       {&Judge::by_search, &Judge::limit_of_search},
                                       {&Judge::by_queues, &Judge::limit_of_queues}};
    if (const std::vector<std::string> limits = limits_met(*this, stages); !limits.empty())
      result_.evidence = AtLimit{limits.front()};
    return std::move(result_);
  }

 private:
  bool by_order() {
    if (order_.acyclic())
      result_.evidence = ByNumbering{order_.numbering()};
    else
      result_.cycle = order_.shortest_cycle();
    return order_.acyclic();
  }

  /// Sets of worms that block each other by what they hold.
  bool by_search() {
    work_out_footprints();
    const auto any_of_them = [&](auto which) {
      return std::any_of(footprints_.begin(), footprints_.end(), which);
    };
    shared_ = any_of_them([](const Footprint& worm) { return worm.lets_others_behind(); });
    explored_ = judged_by_exploring(model_);  // the search names sets, each a small one to explore
    // What an atomic node's worm holds behind others is not worked out alone: whole components are explored.
    const bool whole =
        explored_ || (shared_ && any_of_them([](const Footprint& worm) { return worm.queues_jointly(); }));
    if (!shared_ && shares_buffers(model_) && !explored_) {
      model_.vc_reuse = VcReuse::drained;  // no blocked worm has another one behind it in a FIFO
      work_out_footprints();
    }
    if (!whole || explored_) {
      SearchedWorms searched = searched_worms();
      if (explored_) searched.limits.states = std::min<std::uint64_t>(searched.limits.states, 2'000);
      found_ = search_deadlock(searched, order_);
    }
    result_.looked_at = found_.looked_at;
    spent_ = found_.spent;
    by_holding_ = found_.exhausted;
    queues_ =
        joint_ || (shared_ && (!by_holding_ || found_.unsettled)) || (all_.answers_ && !by_holding_) || whole;
    return (found_.deadlock || !queues_) && settled();
  }
  std::string limit_of_search() const {
    const SearchLimits& limits = all_.options_.limits;
    if (!all_.store_.complete())
      return fmt::format("more than {} {}", all_.options_.route_limit,
                         all_.store_.routes_complete() ? "multicasts whose worms wait for others to arrive"
                                                       : "distinct routes");
    if (!spent_ || (joint_ && by_holding_)) return "";
    return result_.looked_at >= limits.partial_sets
               ? fmt::format("search limit of {} partial sets", limits.partial_sets)
               : fmt::format("search limit of {} worms tried for sets", limits.tries());
  }

  /// All orders in which worms come to queues and FIFOs.
  bool by_queues() {
    if (!queues_ || found_.deadlock) return false;
    found_ = search_queues(searched_worms(), all_.graph_, order_);
    return settled();
  }
  std::string limit_of_queues() const {
    const SearchLimits& limits = all_.options_.limits;
    if (all_.answers_)
      return fmt::format(
          "worms and answers that may have to do with each other are explored up to {} at a time and {} "
          "states",
          most_answering_worms, limits.states);
    if (joint_ && by_holding_)
      return fmt::format(
          "the order of queues for several outputs at once is explored of up to {} worms and {} states",
          most_queueing_worms, limits.states);
    if (shared_)
      return fmt::format(
          "the order in which worms stand in FIFOs is explored of up to {} worms, {} states of a set and {} "
          "of all sets",
          most_queueing_worms, limits.states, limits.all_states());
    if (found_.relations_open && !found_.deadlock)
      return "worms that wait for others to arrive are started one after the other only";
    return fmt::format(
        "exploration limit of {} states of worms shorter than their paths, or of {} of all sets of them",
        limits.states, limits.all_states());
  }

  /// Whether the search has come to an end: with a deadlock of worms of which all that they wait for is
  /// known, or with none.
  bool settled() {
    const auto knows = [&](const BlockedWorm& worm) {
      return all_.store_.dependencies_known(worm.name.multicast);
    };
    if (found_.deadlock && std::all_of(found_.deadlock->begin(), found_.deadlock->end(), knows))
      result_.evidence = ByWitness{time_witness(*found_.deadlock, found_.requests, searched_worms())};
    else if (found_.deadlock || !found_.exhausted)
      return false;
    else if (length_of(all_.options_) == WormLength::fits)
      // Fabrics send packets again and again; that these, each once, cannot fill the loop excludes nothing.
      result_.evidence = ByCycle{};
    else
      result_.evidence = ByExploring{};
    return true;
  }

  /// They are larger than the routes, and seldom needed.
  void work_out_footprints() {
    footprints_.clear();
    for (const StoredRoute& stored : all_.store_.routes())
      footprints_.emplace_back(all_.topology_, all_.resources_, model_, stored.route, stored.flits);
  }
  SearchedWorms searched_worms() const {
    return {all_.store_, footprints_, all_.topology_, model_, all_.options_.limits};
  }

  const DeadlockChecker& all_;
  RouterModel model_;  ///< that the search supposes
  bool joint_;
  DependencyGraph closed_;
  DependencyOrder order_;
  Verdict result_;
  std::vector<Footprint> footprints_;
  DeadlockSearchResult found_;  ///< of the last stage
  bool shared_ = false;         ///< worms stand behind others in FIFOs
  bool explored_ = false;
  bool spent_ = false, by_holding_ = false;  ///< the first search met its limit, or was exhausted
  bool queues_ = false;                      ///< it does not tell all
};

DeadlockChecker::DeadlockChecker(const Topology& topology, const CheckOptions& options)
    : topology_(topology),
      options_(options),
      resources_(topology, options.model),
      store_(options.route_limit),
      answers_(ReplyTracker::of(options.model)) {}

void DeadlockChecker::add(const Routes& routes) {
  require_multicast(routes.plan.request, "the dependency graph of worms");
  ++multicasts_;
  if (options_.allocating) note_classes(routes.plan.routing);
  check_links_once(topology_, options_.model, routes);
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
    shortest_ = std::min(shortest_, length);
    longest_ = std::max(longest_, length);
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
  if (answers_) answers_->refuse_unanswered();
  Verdict result = Judge(*this).verdict();
  options_.check_answer(topology_, result, JudgedRoutes{store_.routes(), store_.routes_complete()});
  const auto differs = [this](const auto& one) { return one.second != classes_.begin()->second; };
  if (result.answer() == Answer::safe && std::any_of(classes_.begin(), classes_.end(), differs))
    result.evidence = AtLimit{classes_overlap};
  if (options_.assumptions) result.rests_on = assumptions(result.answer());
  return result;
}

/// Where no function is known each virtual channel is a class.
void DeadlockChecker::note_classes(const std::string& routing) {
  const auto [classes, fresh] = classes_.try_emplace(routing, topology_.spec().virtual_channels);
  if (!fresh || classes->second == 0) return;
  const RoutingEntry* entry = find_routing_function(routing);
  if (entry != nullptr && !entry->unsupported(topology_))
    classes->second = bind_routing(routing, topology_)->virtual_channels();
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
    return excludes_deadlock(check_routes(topology_, assumption.without, answers ? kept_ : apart).answer());
  });
}

Verdict DeadlockChecker::counted() const {
  Verdict result;
  result.scope = routes_scope;
  result.model = options_.model;
  result.flits = options_.flits;
  result.multicasts = multicasts_;
  result.worms = worms_;
  result.distinct_routes = store_.routes().size();
  result.resources = graph_.resources();
  result.dependencies = graph_.size();
  return result;
}

// One check for each rule that could matter, with that rule alone taken away. Cost: that of the checks.
std::vector<std::string> assumptions_of(const Topology& topology, const CheckOptions& options,
                                        const AssumptionScope& scope,
                                        const std::function<bool(const Assumption&)>& proved) {
  std::vector<std::string> names;
  const auto without = [&](const std::string& name, auto change) {
    Assumption assumption{options, scope.relation};
    assumption.without.assumptions = false;
    change(assumption);
    try {
      if (!proved(assumption)) names.push_back(name);
    } catch (const InputError&) {  // nothing is said of it
    }
  };
  const RouterModel& model = options.model;
  const bool keeps = !model.discipline().grants_ways;       // else nothing but that matters
  const bool many = keeps && !topology.hosts_have_links();  // channels a node: graphs have a link a host
  if (model.consumption_channels == 0 && many)
    without("consumption-channels per-input",
            [](Assumption& a) { a.without.model.consumption_channels = 1; });
  if ((model.answered() || scope.relation.depends) && model.injection_channels == 0 && many)
    without("injection-channels all", [](Assumption& a) { a.without.model.injection_channels = 1; });
  if (scope.relation.unicast_vc > 0 && keeps)
    without(fmt::format("unicast-vc {}", scope.relation.unicast_vc),
            [](Assumption& a) { a.relation.unicast_vc = 0; });
  for (const auto& rule : rules_of(model, scope.answers && !options.allocating))
    without(rule.first, [&](Assumption& a) { a.without.model = rule.second; });
  if (length_of(options) < WormLength::any && keeps)
    without("the worms' lengths", [](Assumption& a) { a.without.flits = long_worm_flits; });
  return names;
}

}  // namespace wormcast

// Verdicts on reductions beside what else there is.
//
// safe: the graph of places has no cycle (deadlock/graph/join_graph.cpp). deadlock: a run of the simulator
// stands still; it is looked for among the messages of a shortest cycle, then among all, by starts one behind
// the other and drawn ones, and where routers join flit by flit by following all runs (deadlock/search/
// join_exploration.cpp). These are all that there are: safe-unreachable. Others that start later give nothing
// back that the messages of a standstill wait for; only reductions of one root and mask might, and stay
// together. Otherwise unknown. Cost: the graph is linear; some hundreds of runs; states up to a limit.
// SPDX-License-Identifier: MIT
#include "proofs/joined_verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "multicast/check.hpp"
#include "multicast/join_packets.hpp"
#include "topology/refuse.hpp"
#include "topology/rules/router_rules.hpp"

namespace wormcast {

namespace {

constexpr std::size_t most_joined_kept = 10'000;
using Ids = std::set<std::uint64_t>;

bool joins_flits(const RouterModel& model) { return model.copies == Copies::per_flit; }

/// The messages with these ids, what they depend on, and what routers take for one of them.
std::vector<Routes> with_their_own(const std::vector<Routes>& messages, Ids ids,
                                   const std::vector<std::vector<std::uint64_t>>& mistakable) {
  for (std::size_t before = 0; before != ids.size();) {
    before = ids.size();
    for (const Routes& routes : messages)
      if (ids.count(routes.plan.request.id) != 0)
        ids.insert(routes.plan.request.depends_on.begin(), routes.plan.request.depends_on.end());
    for (const auto& pair : mistakable)
      if (ids.count(pair[0]) + ids.count(pair[1]) == 1) ids.insert(pair.begin(), pair.end());
  }
  std::vector<Routes> result;
  for (const Routes& routes : messages)
    if (ids.count(routes.plan.request.id) != 0) result.push_back(routes);
  return result;
}

SimulateJoins simulated_by(JoinRuns runs) {
  return [runs = std::move(runs)](const std::vector<Routes>& messages, const JoinStarts& starts) mutable {
    runs.mixed.clear();
    runs.interleaved.clear();
    SimulatedJoins result;
    result.stands_still = runs.stand_still(messages, starts);
    if (result.stands_still) result.witness = runs.witness();
    for (const auto& [ids, run] : runs.mixed) result.mixed.insert(ids);
    for (const auto& [ids, run] : runs.interleaved) result.interleaved.insert(ids);
    return result;
  };
}

}  // namespace

void JoinedVerdict::begin_segment() {
  messages_.clear();
  planner_ = SharedPlanner{};
  count_ = 0;
  reductions_ = false;
}

bool JoinedVerdict::add(const Routes& routes) {
  reductions_ = reductions_ || routes.plan.request.reduces();
  if (++count_ > most_joined_kept) {
    if (reductions_)
      refuse("start_cycles", "a reduction: more than {} messages to keep in memory", most_joined_kept);
    messages_ = {};
    return false;
  }
  keep(routes);
  return reductions_;
}

void JoinedVerdict::keep(const Routes& routes) {
  planner_.add(routes.plan);
  messages_.push_back(routes);
  Request& request = messages_.back().plan.request;
  if (options_.check.flits)
    request.length_flits =
        std::max<std::uint64_t>(1, *options_.check.flits - options_.check.model.header_flits);
}

void JoinedVerdict::refuse_options(const Topology& topology) const {
  for (const Routes& routes : messages_) require_hops(routes, "reductions are judged beside worms with hops");
  refuse_stated({{"--shrink", options_.shrink},
                 {"--change", !options_.change.empty()},
                 {"--list-dependencies", options_.list_dependencies},
                 {"--long-worms", options_.check.flits == long_worm_flits},
                 {"--cut-through", options_.check.model.cut_through}},
                "is not for segments with reductions");
  refuse_router(topology);
}

void JoinedVerdict::refuse_router(const Topology& topology) const {
  if (joins_flits(options_.check.model)) return check_joining(topology, options_.check.model);
  if (!joins_by_request(options_.check.model))
    refuse("start_cycles",
           "a reduction: nothing is argued of serial copies, another --allocation, --output-arbitration or "
           "--vc-allocation, path reservation, headers that wait for slots or nodes that answer");
}

Verdict JoinedVerdict::counted() const {
  Verdict result;
  result.scope = routes_scope;
  result.reductions = true;
  result.model = options_.check.model;
  result.flits = options_.check.flits;
  result.planned_by = planner_.common();
  result.multicasts = messages_.size();
  for (const Routes& routes : messages_) result.worms += routes.worms.size();
  result.distinct_routes = result.worms;
  return result;
}

Verdict JoinedVerdict::verdict(const Topology& topology) const {
  refuse_options(topology);
  Verdict result = counted();
  const RouterModel& model = result.model;
  const JoinedWorms worms(topology, model, messages_);
  JoinOrder graph = prove_joins(worms);
  result.resources = worms.holders.size();
  result.dependencies = graph.dependencies;
  result.cycle = std::move(graph.cycle);
  const bool safe = result.cycle.empty() && worms.lack.empty();
  if (safe) result.order = std::move(graph.order);
  JoinRuns runs(topology, model);
  if (safe) {
    result.answer = Answer::safe;
    show_mixtures(worms, runs, nullptr, result);
    return result;
  }

  Ids ids;
  for (const Dependency& edge : result.cycle) ids.insert(std::get<WormCause>(edge.cause).multicast);
  std::vector<std::vector<Routes>> sets;
  if (!ids.empty()) sets.push_back(with_their_own(messages_, ids, worms.mistakable));
  if (sets.empty() || sets.front().size() < messages_.size()) sets.push_back(messages_);
  bool found = false;
  JoinExploration all;
  for (const std::vector<Routes>& set : sets) found = found || runs.search(set);
  std::string apart;
  for (std::size_t i = 0; i < sets.size() && !found && joins_flits(model); ++i) {
    const auto tell = [&](std::uint64_t states) {
      if (options_.check.limits.tell) options_.check.limits.tell(0, states);
    };
    all = explore_joins(topology, model, sets[i], options_.check.limits.states, tell);
    for (const auto* seen : {&all.mixed, &all.interleaved})
      for (const auto& [mixture, starts] : *seen)
        if (runs.mixed.count(mixture) + runs.interleaved.count(mixture) == 0)
          found = runs.stand_still(sets[i], starts) || found;
    result.looked_at += all.states;
    found = found || (all.deadlock && runs.stand_still(sets[i], *all.deadlock));
    if (all.deadlock && !found) apart = "; they can where worms of one multicast begin apart";
  }
  if (found) {
    result.answer = Answer::deadlock;
    runs.leave_out([&](const Request& request) {
      return std::any_of(worms.mistakable.begin(), worms.mistakable.end(), [&](const auto& pair) {
        return std::find(pair.begin(), pair.end(), request.id) != pair.end();
      });
    });
    result.witness = runs.witness();
    result.replayed = runs.replayed();
  } else if (all.exhausted) {
    result.answer = Answer::safe_unreachable;
  } else {
    result.limit = worms.lack;
    if (!result.limit.empty()) result.limit += "; ";
    result.limit += fmt::format("none of {} runs with other starts stood still", runs.runs()) + apart;
    if (joins_flits(model) && apart.empty())
      result.limit +=
          fmt::format(", and there are more than {} states to explore", options_.check.limits.states);
  }
  show_mixtures(worms, runs, all.exhausted ? &all : nullptr, result);
  if (options_.suggest && !all.exhausted)
    add_suggestions(result, options_.check.limits, options_.tell, [&](const auto& told) {
      return suggest_joined(topology, options_.check, messages_, told);
    });
  return result;
}

/// What runs have shown, and what can be mistaken. `all`: every run was followed, so that there is no more.
void JoinedVerdict::show_mixtures(const JoinedWorms& worms, JoinRuns& runs, const JoinExploration* all,
                                  Verdict& result) const {
  JoinRuns apart(worms.topology(), result.model);
  if (all != nullptr) {
    for (const auto& [ids, starts] : all->mixed) runs.mixed[ids];
    for (const auto& [ids, starts] : all->interleaved) runs.interleaved[ids];
  } else {
    for (const std::vector<std::uint64_t>& pair : worms.mistakable)
      if (runs.mixed.count(pair) == 0) {
        apart.search(with_their_own(messages_, {pair.begin(), pair.end()}, {}), pair);
        runs.mixed[pair] = apart.mixed[pair];
      }
  }
  for (const auto& [ids, run] : runs.mixed) result.mixed.push_back({ids, run});
  for (const auto& [ids, run] : runs.interleaved) result.interleaved.push_back({ids, run});
  if (result.answer != Answer::deadlock)
    result.replayed = runs.shown().empty() ? apart.shown() : runs.shown();
}

CheckedVerdict JoinedVerdict::check(const Verdict& verdict, const Topology& topology) const {
  refuse_options(topology);
  const Verdict own = counted();
  const CheckedVerdict checked =
      check_joined_verdict(topology, verdict, own, messages_, options_.check.limits.states,
                           simulated_by(JoinRuns(topology, own.model)));
  const bool holds = checked.outcome == CheckedVerdict::Outcome::holds;
  return holds && verdict.answer == Answer::deadlock ? check_witness(verdict, topology) : checked;
}

CheckedVerdict JoinedVerdict::check_witness(const Verdict& verdict, const Topology& topology) const {
  return check_joined_witness(verdict, messages_, simulated_by(JoinRuns(topology, verdict.model)));
}

}  // namespace wormcast

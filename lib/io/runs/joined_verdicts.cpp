// Verdicts on reductions beside what else there is.
//
// safe: the graph of places has no cycle (deadlock/graph/join_graph.cpp). deadlock: a run of the simulator
// stands still; it is looked for among the messages of a shortest cycle, then among all, by starts one behind
// the other and drawn ones, and where routers join flit by flit by following all runs (deadlock/search/
// join_exploration.cpp). These are all that there are: safe-unreachable. Others that start later give nothing
// back that the messages of a standstill wait for; only reductions of one root and mask might, and stay
// together. Otherwise unknown. Cost: the graph is linear; some hundreds of runs; states up to a limit.
// SPDX-License-Identifier: MIT
#include "io/runs/joined_verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "deadlock/graph/join_graph.hpp"
#include "deadlock/independent/join_order_check.hpp"
#include "io/runs/join_runs.hpp"
#include "multicast/check.hpp"
#include "multicast/join_packets.hpp"
#include "topology/error.hpp"
#include "topology/rules/router_rules.hpp"

namespace wormcast::io {

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

void add_sets(std::vector<std::vector<std::uint64_t>>& to, const std::set<std::vector<std::uint64_t>>& from) {
  std::set<std::vector<std::uint64_t>> all(to.begin(), to.end());
  all.insert(from.begin(), from.end());
  to.assign(all.begin(), all.end());
}

}  // namespace

void JoinedVerdict::begin_segment() {
  messages_.clear();
  planner_ = SharedPlanner{};
  reductions_ = too_many_ = false;
}

bool JoinedVerdict::add(const Routes& routes) {
  reductions_ = reductions_ || routes.plan.request.reduces();
  if (too_many_ || messages_.size() >= most_joined_kept) {
    if (reductions_)
      throw InputError("start_cycles",
                       fmt::format("a reduction: more than {} messages to keep in memory", most_joined_kept));
    too_many_ = true;
    messages_.clear();
    return false;
  }
  planner_.add(routes.plan);
  messages_.push_back(routes);
  Request& request = messages_.back().plan.request;
  if (options_.check.flits)
    request.length_flits =
        std::max<std::uint64_t>(1, *options_.check.flits - options_.check.model.header_flits);
  return reductions_;
}

void JoinedVerdict::refuse_options(const Topology& topology) const {
  const auto refuse = [](bool given, const char* option) {
    if (given) throw InputError(option, "is not for segments with reductions");
  };
  for (const Routes& routes : messages_) require_hops(routes, "reductions are judged beside worms with hops");
  refuse(options_.shrink, "--shrink");
  refuse(!options_.change.empty(), "--change");
  refuse(options_.suggest, "--suggest");
  refuse(options_.list_dependencies, "--list-dependencies");
  refuse(options_.check.flits == long_worm_flits, "--long-worms");
  refuse(options_.check.model.cut_through, "--cut-through");
  if (joins_flits(options_.check.model)) return check_joining(topology, options_.check.model);
  if (!joins_by_request(options_.check.model))
    throw InputError("start_cycles",
                     "a reduction: nothing is argued of serial copies, another --allocation, "
                     "--output-arbitration or --vc-allocation, path reservation or nodes that answer");
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
  JoinOrder graph = order_joins(worms);
  result.resources = worms.holders.size();
  result.dependencies = graph.dependencies;
  result.mixed = worms.mistakable;
  result.cycle = std::move(graph.cycle);
  const bool safe = result.cycle.empty() && worms.lack.empty();
  if (safe) result.order = std::move(graph.order);
  const std::string fault =
      safe ? refuse_join_order(worms, result.order) : refuse_join_cycle(worms, result.cycle);
  if (!fault.empty()) throw std::logic_error("evidence refused: " + fault);
  if (safe) {
    result.answer = Answer::safe;
    return result;
  }

  Ids ids;
  for (const Dependency& edge : result.cycle) ids.insert(std::get<WormCause>(edge.cause).multicast);
  std::vector<std::vector<Routes>> sets;
  if (!ids.empty()) sets.push_back(with_their_own(messages_, ids, worms.mistakable));
  if (sets.empty() || sets.front().size() < messages_.size()) sets.push_back(messages_);
  JoinRuns runs(topology, model);
  bool found = false, exhausted = false;
  for (const std::vector<Routes>& set : sets) found = found || runs.search(set);
  std::string apart;
  for (std::size_t i = 0; i < sets.size() && !found && joins_flits(model); ++i) {
    const auto tell = [&](std::uint64_t states) {
      if (options_.check.limits.tell) options_.check.limits.tell(0, states);
    };
    const JoinExploration all = explore_joins(topology, model, sets[i], options_.check.limits.states, tell);
    add_sets(result.mixed, all.mixed);
    add_sets(result.interleaved, all.interleaved);
    result.looked_at += all.states;
    exhausted = all.exhausted;
    found = all.deadlock && runs.stand_still(sets[i], *all.deadlock);
    if (all.deadlock && !found) apart = "; they can where worms of one multicast begin apart";
  }
  add_sets(result.mixed, runs.mixed);
  add_sets(result.interleaved, runs.interleaved);
  if (found) {
    result.answer = Answer::deadlock;
    runs.leave_out([&](const Request& request) {
      return std::any_of(worms.mistakable.begin(), worms.mistakable.end(), [&](const auto& pair) {
        return std::find(pair.begin(), pair.end(), request.id) != pair.end();
      });
    });
    result.witness = runs.witness();
    result.replayed = runs.replayed();
  } else if (exhausted) {
    result.answer = Answer::safe_unreachable;
  } else {
    result.limit = worms.lack;
    if (!result.limit.empty()) result.limit += "; ";
    result.limit += fmt::format("none of {} runs with other starts stood still", runs.runs()) + apart;
    if (joins_flits(model) && apart.empty())
      result.limit +=
          fmt::format(", and there are more than {} states to explore", options_.check.limits.states);
  }
  return result;
}

CheckedVerdict JoinedVerdict::check(const Verdict& verdict, const Topology& topology) const {
  refuse_options(topology);
  const auto refused = [](std::string reason) {
    return CheckedVerdict{CheckedVerdict::Outcome::refused, std::move(reason)};
  };
  const Verdict own = counted();
  std::string fault = refuse_count("multicasts", verdict.multicasts, own.multicasts);
  if (fault.empty()) fault = refuse_count("worms", verdict.worms, own.worms);
  if (fault.empty() && (verdict.planned_by.planner != own.planned_by.planner ||
                        verdict.planned_by.options != own.planned_by.options ||
                        verdict.planned_by.routing != own.planned_by.routing))
    fault = "planner, options or routing: they are not what all routes have in common";
  if (fault.empty() && (!verdict.numbering.empty() || !verdict.proof.empty()))
    fault = "numbering: of reductions an order proves that they are safe";
  const JoinedWorms worms(topology, own.model, messages_);
  if (fault.empty() && verdict.answer == Answer::loop) fault = "loop is said of tables and cut-through";
  if (fault.empty())
    fault = verdict.answer == Answer::safe ? refuse_join_order(worms, verdict.order)
                                           : refuse_join_cycle(worms, verdict.cycle);
  if (!fault.empty()) return refused(std::move(fault));
  if (verdict.answer == Answer::deadlock) return check_witness(verdict, topology);
  if (verdict.answer != Answer::safe_unreachable) return {};
  if (!joins_flits(own.model)) return refused("safe-unreachable is said of routers that join flit by flit");
  const JoinExploration all = explore_joins(topology, own.model, messages_, options_.check.limits.states, {});
  if (all.deadlock) return refused("these messages can deadlock");
  if (all.exhausted) return {};
  return {CheckedVerdict::Outcome::undecided,
          fmt::format("there are more than {} states to explore", options_.check.limits.states)};
}

/// The simulator stands still with it, and as it says.
CheckedVerdict JoinedVerdict::check_witness(const Verdict& verdict, const Topology& topology) const {
  const auto refused = [](std::string reason) {
    return CheckedVerdict{CheckedVerdict::Outcome::refused, std::move(reason)};
  };
  std::vector<Routes> named;
  JoinStarts starts;
  for (const Routes& routes : messages_) {
    const Request& request = routes.plan.request;
    const auto claim =
        std::find_if(verdict.witness.begin(), verdict.witness.end(),
                     [&](const WitnessWorm& worm) { return worm.name.multicast == request.id; });
    if (claim == verdict.witness.end()) continue;
    if (claim->start_cycles.size() != request.start_cycles.size())
      return refused(fmt::format("{} has not a start for each of its sources", worm_name(claim->name)));
    named.push_back(routes);
    starts.push_back(request.reduces() ? claim->start_cycles : std::vector{claim->start_cycle});
  }
  JoinRuns runs(topology, verdict.model);
  if (named.empty() || !runs.stand_still(named, starts))
    return refused("no run with the witness's starts stands still");
  const std::vector<WitnessWorm>& seen = runs.witness();
  const bool same = std::equal(seen.begin(), seen.end(), verdict.witness.begin(), verdict.witness.end(),
                               [](const WitnessWorm& a, const WitnessWorm& b) {
                                 return a.name == b.name && a.start_cycle == b.start_cycle &&
                                        a.start_cycles == b.start_cycles &&
                                        a.length_flits == b.length_flits && a.holds == b.holds &&
                                        a.waits == b.waits;
                               });
  return same ? CheckedVerdict{} : refused("the witness's worms stand still otherwise than it says");
}

}  // namespace wormcast::io

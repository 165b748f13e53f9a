// Verdicts on reductions beside what else there is.
//
// safe: the graph of places has no cycle (deadlock/graph/join_graph.cpp). deadlock: a run of the simulator
// ends in one; it is looked for among the messages of a shortest cycle, then among all, by starts one behind
// the other and drawn ones, and where routers join flit by flit by following all runs (deadlock/search/
// join_exploration.cpp). These are all that there are: safe-unreachable. Others that start later give nothing
// back that the messages of a deadlock wait for; only reductions of one root and mask might, and stay
// together. Otherwise unknown. Cost: the graph is linear; some hundreds of runs; states up to a limit.
// SPDX-License-Identifier: MIT
#include "proofs/joined_verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "checks/join_order_check.hpp"
#include "checks/joined_verdict_check.hpp"
#include "deadlock/checker/checker.hpp"
#include "deadlock/checker/suggest.hpp"
#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/search/join_exploration.hpp"
#include "deadlock/stage.hpp"
#include "deadlock/worms/joined_worms.hpp"
#include "multicast/check.hpp"
#include "multicast/join_packets.hpp"
#include "proofs/runs.hpp"
#include "router/router_rules.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

using Ids = std::set<std::uint64_t>;

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

SimulateJoins simulated_on(const Topology& topology, const RouterModel& model) {
  return [runs = JoinRuns(topology, model)](const std::vector<Routes>& messages,
                                            const JoinStarts& starts) mutable {
    runs.mixed.clear();
    runs.interleaved.clear();
    SimulatedJoins result;
    result.stands_still = runs.deadlocks(messages, starts);
    if (result.stands_still) result.witness = runs.witness();
    for (const auto& [ids, run] : runs.mixed) result.mixed.insert(ids);
    for (const auto& [ids, run] : runs.interleaved) result.interleaved.insert(ids);
    return result;
  };
}

/// An order that has been checked, or a cycle; where an order proves nothing, whichever there is.
JoinOrder prove_joins(const JoinedWorms& worms) {
  JoinOrder graph = order_joins(worms);
  if (!graph.cycle.empty() && worms.by_flit && worms.lack.empty())
    if (JoinOrder apart = order_joins(worms, true);
        apart.cycle.empty() && refuse_join_order(worms, apart.order).empty())
      return apart;
  const std::string fault = !graph.cycle.empty() ? refuse_join_cycle(worms, graph.cycle)
                            : worms.lack.empty() ? refuse_join_order(worms, graph.order)
                                                 : "";
  if (!fault.empty()) throw std::logic_error("evidence refused: " + fault);
  return graph;
}

// Changes of segments with reductions, from the smallest to the largest: messages of one flit, parts that are
// received one by one, and virtual channels of their own, which are networks of their own where routers join
// flit by flit. A message goes to the first virtual channel on which an order proves it and those before it
// safe by themselves. Cost: a graph for each change, and for each message and virtual channel.

struct JoinedSet {
  std::shared_ptr<const Topology> topology;
  const CheckOptions& options;
  std::vector<Routes> messages;
  Suggestion said{};

  std::optional<Answer> proved(bool& /*met_limit*/) const {
    return safe(messages) ? std::optional(Answer::safe) : std::nullopt;
  }
  bool safe(const std::vector<Routes>& some) const {
    try {
      const JoinedWorms worms(*topology, options.model, some);
      return worms.lack.empty() && prove_joins(worms).cycle.empty();
    } catch (const InputError&) {
      return false;  // routers do not take them
    }
  }
};
using JoinedSets = std::vector<JoinedSet>;

JoinedSets one_flit(const JoinedSet& before) {
  JoinedSet result = before;
  const std::optional<std::vector<Routes>> parts = in_parts(before.messages, 1);
  if (before.options.flits || !parts || parts->size() == before.messages.size()) return {};
  result.messages = *parts;
  result.said.length_flits = 1;
  return {std::move(result)};
}

/// The way of one part, by itself.
WormRoute way_of(const WormRoute& tree, std::int32_t leaf) {
  WormRoute result = tree;
  result.replication = {};
  result.hops.clear();
  for (std::int32_t hop = leaf; hop >= 0; hop = tree.hops[static_cast<std::size_t>(hop)].parent)
    result.hops.push_back(tree.hops[static_cast<std::size_t>(hop)]);
  std::reverse(result.hops.begin(), result.hops.end());
  for (std::size_t hop = 0; hop < result.hops.size(); ++hop)
    result.hops[hop].parent = static_cast<std::int32_t>(hop) - 1;
  return result;
}

JoinedSets parts_apart(const JoinedSet& before) {
  JoinedSet result = before;
  std::size_t more = 0;
  for (Routes& routes : result.messages) {
    const auto combines = [](const WormRoute& worm) { return worm.after >= 0; };
    if (!routes.plan.request.reduces() || std::any_of(routes.worms.begin(), routes.worms.end(), combines))
      continue;
    std::vector<WormRoute> parts;
    for (const WormRoute& worm : routes.worms)
      for (std::size_t hop = 0; hop < worm.hops.size(); ++hop)
        if (!worm.hops[hop].is_channel()) parts.push_back(way_of(worm, static_cast<std::int32_t>(hop)));
    more += parts.size() - routes.worms.size();
    routes.worms = std::move(parts);
  }
  return more == 0 ? JoinedSets{} : JoinedSets{std::move(result)};
}

JoinedSets channels_of_their_own(const JoinedSet& before) {
  std::vector<std::vector<Routes>> layers;
  JoinedSet result = before;
  for (Routes& routes : result.messages) {
    std::uint32_t vc = 0;
    for (; vc < layers.size(); ++vc) {
      layers[vc].push_back(routes);
      if (before.safe(layers[vc])) break;
      layers[vc].pop_back();
    }
    if (vc == most_virtual_channels) return {};
    if (vc == layers.size()) layers.push_back({routes});
    for (WormRoute& worm : routes.worms)
      for (RouteHop& hop : worm.hops)
        if (hop.is_channel() && std::exchange(hop.vc, vc) != 0) return {};  // its route says one
  }
  TopologySpec spec = before.topology->spec();
  const auto needed = static_cast<std::uint32_t>(layers.size());
  if (needed < 2 || needed > before.topology->least(LinkValue::virtual_channels, most_virtual_channels))
    return {};
  result.said.virtual_channels = needed;
  spec.virtual_channels = std::max(spec.virtual_channels, needed);
  result.topology = build_topology(std::move(spec));
  return {std::move(result)};
}

constexpr Change<JoinedSet> joined_changes[] = {
    {"length-limit", one_flit},
    {"parts-one-by-one", parts_apart},
    {"virtual-channels-by-message", channels_of_their_own, true},
};

void refuse_options(const JoinedSegment& segment) {
  const SegmentCheckOptions& options = segment.options;
  for (const Routes& routes : segment.messages)
    require_hops(routes, "reductions are judged beside worms with hops");
  refuse_stated({{"--shrink", options.shrink},
                 {"--change", !options.change.empty()},
                 {"--list-dependencies", options.list_dependencies},
                 {"--long-worms", length_of(options.check) == WormLength::any},
                 {"--cut-through", length_of(options.check) == WormLength::fits}},
                "is not for segments with reductions");
  refuse_router_of_joins(segment.topology, options.check.model);
}

/// What is counted, once all have the length that is asked for.
Verdict counted(JoinedSegment& segment) {
  refuse_options(segment);
  const CheckOptions& check = segment.options.check;
  Verdict result;
  result.scope = routes_scope;
  result.joins.reductions = true;
  result.model = check.model;
  result.flits = check.flits;
  result.planned_by = segment.planned_by;
  result.multicasts = segment.messages.size();
  for (Routes& routes : segment.messages) {
    result.worms += routes.worms.size();
    if (check.flits)
      routes.plan.request.length_flits =
          *check.flits - std::min<std::uint64_t>(*check.flits - 1, check.model.header_flits);
  }
  result.distinct_routes = result.worms;
  return result;
}

/// The messages of a segment, judged in stages.
class JoinJudge {
 public:
  JoinJudge(const JoinedSegment& segment, Verdict counted)
      : topology_(segment.topology),
        options_(segment.options),
        messages_(segment.messages),
        worms_(topology_, options_.check.model, messages_),
        runs_(topology_, options_.check.model),
        result_(std::move(counted)) {}

  Verdict verdict() {
    constexpr Stage<JoinJudge> stages[] = {{&JoinJudge::by_order, &JoinJudge::lack_of_order},
                                           {&JoinJudge::by_runs, &JoinJudge::limit_of_runs},
                                           {&JoinJudge::by_exploring, &JoinJudge::limit_of_states}};
    if (const std::vector<std::string> limits = limits_met(*this, stages); !limits.empty())
      result_.evidence = AtLimit{fmt::format("{}", fmt::join(limits, "; "))};
    show_mixtures();
    if (options_.suggest && !excludes_deadlock(result_.answer()))
      add_suggestions(result_, options_.check.limits, options_.tell, [&](const TrialListener& told) {
        const std::shared_ptr<const Topology> borrowed(&topology_, [](const Topology*) {});
        return try_changes<JoinedSet>(joined_changes, {borrowed, options_.check, messages_}, told);
      });
    return std::move(result_);
  }

 private:
  bool by_order() {
    JoinOrder graph = prove_joins(worms_);
    result_.resources = worms_.holders.size();
    result_.dependencies = graph.dependencies;
    result_.cycle = std::move(graph.cycle);
    if (!result_.cycle.empty() || !worms_.lack.empty()) return false;
    result_.evidence = ByOrder{std::move(graph.order)};
    return true;
  }
  std::string lack_of_order() const { return worms_.lack; }

  /// Those of a shortest cycle, then all.
  bool by_runs() {
    Ids ids;
    for (const Dependency& edge : result_.cycle) ids.insert(std::get<WormCause>(edge.cause).multicast);
    if (!ids.empty()) sets_.push_back(with_their_own(messages_, ids, worms_.mistakable));
    if (sets_.empty() || sets_.front().size() < messages_.size()) sets_.push_back(messages_);
    return std::any_of(sets_.begin(), sets_.end(),
                       [&](const std::vector<Routes>& set) { return runs_.search(set); }) &&
           take_deadlock();
  }
  std::string limit_of_runs() const {
    return fmt::format("none of {} runs with other starts stood still{}", runs_.runs(),
                       !explores() || apart_ ? ""
                                             : fmt::format(", and there are more than {} states to explore",
                                                           options_.check.limits.states));
  }

  bool by_exploring() {
    for (std::size_t i = 0; i < sets_.size() && explores(); ++i) {
      all_ = (worms_.by_flit ? explore_joins : explore_requested_joins)(
          topology_, result_.model, sets_[i], options_.check.limits.states, [&](std::uint64_t states) {
            if (options_.check.limits.tell) options_.check.limits.tell(0, states);
          });
      result_.looked_at += all_.states;
      bool found = false;
      for (const auto* seen : {&all_.mixed, &all_.interleaved})
        for (const auto& [mixture, starts] : *seen)
          if (runs_.mixed.count(mixture) + runs_.interleaved.count(mixture) == 0)
            found = runs_.deadlocks(sets_[i], starts) || found;
      if (found || (all_.deadlock && runs_.deadlocks(sets_[i], *all_.deadlock))) return take_deadlock();
      apart_ = apart_ || all_.deadlock.has_value();
    }
    if (all_.exhausted) result_.evidence = ByExploring{};
    return all_.exhausted;
  }
  /// All runs, where what passes from message to message is drained.
  bool explores() const { return worms_.by_flit || !result_.model.reuses_early(); }
  std::string limit_of_states() const {
    if (!apart_) return "";
    return worms_.by_flit ? "they can where worms of one multicast begin apart"
                          : "they can by an order of grants to which no starts led";
  }

  bool take_deadlock() {
    runs_.leave_out([&](const Request& request) {
      return std::any_of(worms_.mistakable.begin(), worms_.mistakable.end(), [&](const auto& pair) {
        return std::find(pair.begin(), pair.end(), request.id) != pair.end();
      });
    });
    result_.evidence = ByWitness{runs_.witness()};
    result_.replayed = runs_.replayed();
    return true;
  }

  /// What runs have shown, and what can be mistaken.
  void show_mixtures() {
    JoinRuns apart(topology_, result_.model);
    if (all_.exhausted) {  // there is no more
      for (const auto& [ids, starts] : all_.mixed) runs_.mixed[ids];
      for (const auto& [ids, starts] : all_.interleaved) runs_.interleaved[ids];
    } else {
      for (const std::vector<std::uint64_t>& pair : worms_.mistakable)
        if (runs_.mixed.count(pair) == 0) {
          apart.search(with_their_own(messages_, {pair.begin(), pair.end()}, {}), pair);
          runs_.mixed[pair] = apart.mixed[pair];
        }
    }
    for (const auto& [ids, run] : runs_.mixed) result_.joins.mixed.push_back({ids, run});
    for (const auto& [ids, run] : runs_.interleaved) result_.joins.interleaved.push_back({ids, run});
    if (result_.answer() != Answer::deadlock)
      result_.replayed = runs_.shown().empty() ? apart.shown() : runs_.shown();
  }

  const Topology& topology_;
  const SegmentCheckOptions& options_;
  const std::vector<Routes>& messages_;
  JoinedWorms worms_;
  JoinRuns runs_;
  Verdict result_;
  std::vector<std::vector<Routes>> sets_;  ///< messages that may deadlock
  JoinExploration all_;                    ///< of the last of them that was explored
  bool apart_ = false;  ///< an exploration found a deadlock that no run of the simulator repeats
};

}  // namespace

Verdict judge_joined(JoinedSegment segment) {
  Verdict result = counted(segment);
  return JoinJudge(segment, std::move(result)).verdict();
}

CheckedVerdict check_joined(const Verdict& verdict, JoinedSegment segment) {
  const Verdict own = counted(segment);
  const auto& [topology, options, messages, planned_by] = segment;
  const CheckedVerdict checked = check_joined_verdict(
      topology, verdict, own, messages, options.check.limits.states, simulated_on(topology, own.model));
  const bool holds = checked.outcome == CheckedVerdict::Outcome::holds;
  return holds && verdict.answer() == Answer::deadlock ? run_joined_witness(topology, verdict, messages)
                                                       : checked;
}

void refuse_router_of_joins(const Topology& topology, const RouterModel& model) {
  if (joins_by_flit(model)) return check_joining(topology, model);
  if (!joins_by_request(model))
    refuse("start_cycles",
           "a reduction: nothing is argued of serial copies, another --allocation, --output-arbitration or "
           "--vc-allocation, path reservation, headers that wait for slots or nodes that answer");
}

CheckedVerdict run_joined_witness(const Topology& topology, const Verdict& verdict,
                                  const std::vector<Routes>& messages) {
  return check_joined_witness(verdict, messages, simulated_on(topology, verdict.model));
}

}  // namespace wormcast

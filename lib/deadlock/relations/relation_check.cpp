// Verdicts on routing relations: first the graph of all dependencies, then an escape, then a deadlock.
//
//   safe      the dependency graph of all that is offered is acyclic (proof acyclic), or there is an escape
//             (proof escape: relations/escape.cpp has the theorem); the numbering shows it
//   deadlock  worms that block each other were found (relations/blocked_worms.cpp)
//   unknown   neither; the reason and a dependency cycle say why
//
// Worms that branch go by routes of their own. Beside them the worms that routers route are safe if one order
// raises all dependencies of the first and an escape of the second. That proves nothing where routers
// allocate: they choose virtual channels for worms that branch, too. An escape proves nothing where buffers
// hold several worms in order (early reuse of virtual channels). Cost: that of the parts. cite: Duato 1993.
// SPDX-License-Identifier: MIT
#include "deadlock/relations/relation_check.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "multicast/around_faults.hpp"
#include "router/router_rules.hpp"
#include "topology/error.hpp"

namespace wormcast {

namespace {

constexpr const char* trees_not_judged =
    "worms that are more than chains of stops are not judged where routers choose or nodes answer";
constexpr const char* neither_alone =
    "neither the multicasts nor the unicasts were found to deadlock alone, and together they leave no escape";

class RelationCheck {
 public:
  RelationCheck(const PlannedWorms& worms, const CheckOptions& options)
      : options_(options),
        scope_(worms.scope()),
        topology_(worms.planner().context().topology),
        planner_(worms.planner()),
        worms_(worms) {
    beside_trees_ = worms_.branches_beside_choices(options.model);
    options_.flits = options.flits.value_or(long_worm_flits);
  }

  Verdict run() {
    Verdict result;
    result.model = options_.model;
    result.flits = options_.flits;
    result.relation = scope_;
    bool branches = false;
    sorts_ = worms_.sorts(branches);
    if (beside_trees_) sorts_[multicast_sort].legs.clear();
    const bool chains_alone = branches && !beside_trees_;
    if (chains_alone && sorts_[multicast_sort].legs.empty()) {
      result.evidence = AtLimit{trees_not_judged};
      return result;
    }
    const RelationGraph graph(topology_, options_.model, sorts_, scope_.depends);
    result.worms = graph.legs();
    const DependencyGraph all = graph.dependencies();
    result.resources = all.resources();
    result.dependencies = all.size();
    const DependencyOrder order(all);
    if (beside_trees_ && !options_.allocating) judge_beside_trees(result, graph, all);
    if (result.answer() != Answer::safe) {
      const char* const by_trees = chains_alone || options_.allocating ? trees_not_judged : neither_alone;
      if (const auto escape = left_by_proofs(result, graph, order, branches ? by_trees : nullptr))
        judge_cycles(result, graph, all, order, *escape);
    }
    if (result.answer() == Answer::safe && graph.endless())
      unprove(result,
              "worms cannot block each other, but one can go round for ever: " + *graph.endless() +
                  ", a worm may come back again and again",
              order);
    if (result.answer() == Answer::safe && replies_queue_at_sources(topology_, options_.model, scope_))
      unprove(result,
              "no channels between routers close a circle, but a reply may wait for the injection channel or "
              "the link of its node, which a request holds that waits for other replies",
              order);
    if (result.answer() != Answer::safe) return result;
    const RelationWorms all_worms{sorts_, scope_.depends};
    options_.check_answer(topology_, result, &all_worms);
    if (beside_trees_) options_.check_answer(topology_, result, &worms_);
    return result;
  }

 private:
  /// Safe if all dependencies rise, or those of the multicasts and an escape of the unicasts do.
  void judge_beside_trees(Verdict& result, const RelationGraph& graph,
                          const DependencyGraph& unicasts) const {
    DependencyGraph trees, all = unicasts;
    LegGraph legs(planner_.context().routing, options_.model, *options_.flits, trees);
    legs_of_planner(planner_.context(), legs);
    legs.finish();
    all.add(trees);
    const DependencyOrder order(all);
    if (order.acyclic() && !graph.stops_share_consumption()) {
      result.evidence = ByNumbering{order.numbering(), acyclic_proof};
    } else if (!options_.model.reuses_early()) {
      const Escape escape = find_escape(graph, trees);
      if (escape.complete) result.evidence = ByNumbering{escape.numbering, escape_proof};
    }
    if (result.answer() != Answer::safe) return;
    result.worms += legs.legs();
    result.dependencies = all.size();
    result.resources = all.resources();
  }

  void judge_cycles(Verdict& result, const RelationGraph& graph, const DependencyGraph& all,
                    const DependencyOrder& order, const Escape& escape) const {
    result.cycle = cycle_without_escape(all, order, escape);
    if (graph.stops_share_consumption()) {
      result.evidence = AtLimit{shared_stops_not_searched};
      return;
    }
    const BlockedWorms found = find_blocked_worms(graph, escape, rules(graph), result.cycle);
    result.looked_at = found.looked_at;
    if (found.worms) {
      state_witness(result, graph, *found.worms);
      return;
    }
    std::string limit =
        escape.complete ? "there is an escape, but with early reuse a header may stand behind a worm that "
                          "waits for a channel outside the escape"
                        : "there is no escape, and no worms that block each other were found" +
                              std::string(found.exhausted ? " that hold all the channels on their way" : "");
    if (!found.exhausted && !escape.complete && result.looked_at >= options_.limits.partial_sets)
      limit += ": search limit of " + std::to_string(options_.limits.partial_sets) + " partial sets";
    result.evidence = AtLimit{std::move(limit)};
  }

  /// Among channels that are no escape, where these close one.
  std::vector<Dependency> cycle_without_escape(const DependencyGraph& all, const DependencyOrder& order,
                                               const Escape& escape) const {
    const DependencyOrder of_rest(all, nullptr, escape.numbered);
    return of_rest.acyclic() ? order.shortest_cycle() : of_rest.shortest_cycle();
  }

  BlockedWormsRules rules(const RelationGraph& graph) const {
    BlockedWormsRules result;
    if (*options_.flits != long_worm_flits)
      refuse_unlike(topology_, LinkValue::buffer_flits, "routers choose, for worms of a length");
    result.filled_of.assign(sorts_.size(), vcs_filled(*options_.flits, options_.model));
    result.worms_a_source = topology_.hosts_have_links() ? 1 : options_.model.injection_channels;
    result.partial_sets = options_.limits.partial_sets;
    result.exists = [&, known = std::map<std::pair<HostId, std::vector<HostId>>, bool>()](
                        const RelationWorm& worm) mutable {
      if (!takes_each_once(graph, worm)) return false;
      const RelationGraph::Vertex& entry = graph.vertices()[worm.entry];
      const WormStops stops = stops_of(graph, worm);
      std::pair key(entry.origin, stops.hosts);
      key.second.push_back(
          HostId{static_cast<std::uint32_t>(stops.joined)});  // the last may be where a reply goes
      key.second.push_back(HostId{entry.state.bits});
      key.second.push_back(HostId{entry.traffic});
      key.second.push_back(HostId{entry.forced ? *entry.forced + 1 : 0});
      const auto [found, fresh] = known.try_emplace(std::move(key), false);
      if (fresh) found->second = planned(graph, worm).has_value();
      return found->second;
    };
    return result;
  }

  /// The multicast that the worm is of, and which of its worms it is; nothing if no plan has such a worm.
  std::optional<std::pair<PlannedMulticast, std::uint32_t>> planned(const RelationGraph& graph,
                                                                    const RelationWorm& blocked) const {
    const RelationGraph::Vertex& entry = graph.vertices()[blocked.entry];
    const WormStops stops = stops_of(graph, blocked);
    const std::vector<HostId> own(stops.hosts.begin(),
                                  stops.hosts.begin() + static_cast<std::ptrdiff_t>(stops.joined));
    if (stops.hosts.size() > stops.joined + 1) return std::nullopt;
    PlannedMulticast multicast{entry.origin, own, stops.sort == unicast_sort, std::nullopt};
    if (stops.hosts.size() > stops.joined) {
      // Replayed as one worm, which neither comes back to its source nor stops at a node twice. No witness
      // says which way was drawn for a reply.
      multicast.reply_to = stops.hosts.back();
      if (graph.traffic()[scope_.depends->reply].routing->draws() || *multicast.reply_to == entry.origin ||
          std::count(own.begin(), own.end(), *multicast.reply_to) != 0)
        return std::nullopt;
    }
    std::sort(multicast.destinations.begin(), multicast.destinations.end());
    const auto last = std::unique(multicast.destinations.begin(), multicast.destinations.end());
    if (last != multicast.destinations.end() ||
        std::count(multicast.destinations.begin(), multicast.destinations.end(), entry.origin) != 0 ||
        (multicast.unicast && own.size() != 1))
      return std::nullopt;
    std::vector<Worm> worms = worms_.plan(multicast);
    for (std::uint32_t w = 0; w < worms.size(); ++w) {
      draw_way(graph, entry, worms[w]);
      if (!same_worm(graph, entry, own, worms[w])) continue;
      if (graph.traffic()[entry.traffic].routing->draws()) multicast.classes = classes_of(worms);
      try {
        worms_.allowed(multicast, w);
      } catch (const InputError&) {
        return std::nullopt;
      }
      return std::pair(multicast, w);
    }
    return std::nullopt;
  }

  /// Of the ways that can be drawn for the worm the one that begins at the entry.
  void draw_way(const RelationGraph& graph, const RelationGraph::Vertex& entry, Worm& worm) const {
    const RoutingFunction& routing = *graph.traffic()[entry.traffic].routing;
    if (!routing.draws() || worm.stops.empty()) return;
    const NodeId to = topology_.router_of(HostId{worm.stops.front().node});
    for (const std::uint32_t drawn : routing.choices_between(entry.at, to))
      if (routing.first(entry.at, to, drawn).bits == entry.state.bits) {
        worm.vc_class = drawn;
        return;
      }
  }

  bool same_worm(const RelationGraph& graph, const RelationGraph::Vertex& entry,
                 const std::vector<HostId>& stops, const Worm& worm) const {
    if (worm.source != entry.origin || !is_chain(worm) || worm.stops.size() != stops.size()) return false;
    for (std::size_t i = 0; i < stops.size(); ++i)
      if (worm.stops[i].node != stops[i].value || worm.stops[i].action == StopAction::branch) return false;
    const RelationTraffic& traffic = graph.traffic()[entry.traffic];
    const std::optional<PortId> port =
        entry.forced ? traffic.legs[*entry.forced].first_port : std::optional<PortId>();
    return worm.first_port == port &&
           traffic.routing->first(entry.at, topology_.router_of(stops.front()), worm.vc_class).bits ==
               entry.state.bits;
  }

  void state_witness(Verdict& result, const RelationGraph& graph,
                     const std::vector<RelationWorm>& blocked) const {
    const std::vector<std::uint64_t> flits(blocked.size(), *options_.flits);
    std::vector<WitnessWorm> worms = time_blocked_worms(graph, options_.model, flits, blocked);
    std::vector<AllowedWorm> allowed;
    for (std::size_t i = 0; i < blocked.size(); ++i) {
      const auto found = planned(graph, blocked[i]);
      if (!found) throw std::logic_error("a blocked worm is in no plan");
      worms[i].planned = found->first;
      worms[i].name.worm = found->second;
      allowed.push_back(worms_.allowed(found->first, found->second));
    }
    take_witness(result, topology_, std::move(worms), allowed, options_);
    result.multicasts = result.distinct_routes = result.witness().size();
  }

  CheckOptions options_;
  const RelationScope& scope_;
  const Topology& topology_;
  const BoundPlanner& planner_;
  const PlannedWorms& worms_;
  bool beside_trees_ = false;  ///< the sorts are the unicasts alone
  std::vector<RelationTraffic> sorts_;
};

}  // namespace

Verdict check_all_relations(const PlannedWorms& worms, const CheckOptions& options) {
  refuse_with_choices(options.model);
  worms.refuse_without_legs();
  return RelationCheck(worms, options).run();
}

}  // namespace wormcast

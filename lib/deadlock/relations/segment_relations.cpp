// Verdicts on given worms whose routers choose.
//
// As for all multicasts of a planner first the graph of all dependencies, then an escape. Where there is
// neither, sets of pieces of the worms' ways are searched, each worm at most once in a set. The search is
// exact if all pieces could be listed and no set is left over that could come about in turns alone: without a
// set no worms block each other (safe-unreachable). Cost: exponential in the worst case, up to --search-limit
// partial sets and 40,000 pieces of ways. cite: derived here.
// SPDX-License-Identifier: MIT
#include "deadlock/relations/relation_check.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "topology/rules/router_rules.hpp"

namespace wormcast {

namespace {

class SegmentRelations {
 public:
  SegmentRelations(const Topology& topology, const SegmentWorms& worms, const CheckOptions& options)
      : topology_(topology), worms_(worms), options_(options), sorts_(worms.sorts()) {}

  Verdict run() {
    Verdict result;
    result.scope = routes_scope;
    result.model = options_.model;
    result.flits = options_.flits;
    result.multicasts = worms_.multicasts();
    result.worms = result.distinct_routes = worms_.items().size();
    const RelationGraph graph(topology_, options_.model, sorts_, std::nullopt);
    const DependencyGraph all = graph.dependencies();
    result.resources = all.resources();
    result.dependencies = all.size();
    const DependencyOrder order(all);
    const bool drained = options_.model.vc_reuse == VcReuse::drained;
    if (order.acyclic()) {
      prove(result, order.numbering(), acyclic_proof, reading());
    } else {
      const Escape escape = find_escape(graph);
      if (escape.complete && drained && !graph.stops_share_consumption())
        prove(result, escape.numbering, escape_proof, reading());
      else
        search(result, graph, escape, order);
    }
    if (result.answer == Answer::safe && graph.endless())
      unprove(result, "worms cannot block each other, but one can go round for ever: " + *graph.endless(),
              order);
    return result;
  }

 private:
  RelationReading reading() const { return {topology_, options_.model, sorts_, std::nullopt}; }

  /// Under early reuse worms that leave their sources may stand behind others in a buffer, which pieces do
  /// not say.
  bool only_long_worms() const {
    return std::all_of(worms_.items().begin(), worms_.items().end(),
                       [](const SegmentWorms::Item& item) { return item.flits >= long_worm_flits; });
  }

  void search(Verdict& result, const RelationGraph& graph, const Escape& escape,
              const DependencyOrder& order) const {
    result.cycle = order.shortest_cycle();
    if (graph.stops_share_consumption()) {
      result.limit = shared_stops_not_searched;
      return;
    }
    BlockedWormsRules rules;
    if (!only_long_worms())
      refuse_unlike(topology_, LinkValue::buffer_flits, "routers choose, for worms of a length");
    for (const SegmentWorms::Item& item : worms_.items())
      rules.held_of.push_back(lanes_filled(item.flits, options_.model));
    rules.worms_a_source = topology_.hosts_have_links() ? 1 : options_.model.injection_channels;
    rules.each_once = true;
    rules.partial_sets = options_.limits.partial_sets;
    rules.exists = [&](const RelationWorm& worm) { return takes_each_once(graph, worm); };
    const BlockedWorms found = find_blocked_worms(graph, escape, rules);
    result.looked_at = found.looked_at;
    const bool early = options_.model.vc_reuse == VcReuse::early;
    if (found.worms)
      state(result, graph, *found.worms);
    else if (found.exhausted && !graph.endless() && (!early || only_long_worms()))
      result.answer = Answer::safe_unreachable;
    else if (found.exhausted)
      result.limit =
          early ? "with early reuse of virtual channels, worms that fit into their buffers are not searched"
                : "ways that come back to where they were are not searched";
    else
      result.limit = result.looked_at > options_.limits.partial_sets
                         ? "search limit of " + std::to_string(options_.limits.partial_sets) + " partial sets"
                         : "more ways than are listed, or worms that could come to stand in turns alone";
  }

  void state(Verdict& result, const RelationGraph& graph, const std::vector<RelationWorm>& standing) const {
    const auto item_of = [&](const RelationWorm& worm) -> const SegmentWorms::Item& {
      return worms_.items()[graph.vertices()[worm.entry].traffic];
    };
    if (std::any_of(standing.begin(), standing.end(),
                    [&](const RelationWorm& w) { return item_of(w).awaits; })) {
      result.limit =
          "worms that wait for others to arrive are not brought into the standstill that was found";
      return;
    }
    std::vector<std::uint64_t> flits;
    for (const RelationWorm& worm : standing) flits.push_back(item_of(worm).flits);
    result.witness = time_blocked_worms(graph, options_.model, flits, standing);
    std::vector<AllowedWorm> allowed;
    for (std::size_t i = 0; i < standing.size(); ++i) {
      result.witness[i].name = item_of(standing[i]).name;
      result.witness[i].says_hops = true;
      allowed.push_back(worms_.allowed(result.witness[i].name));
    }
    state_standstill(result, topology_, allowed);
  }

  const Topology& topology_;
  const SegmentWorms& worms_;
  const CheckOptions& options_;
  std::vector<RelationTraffic> sorts_;
};

}  // namespace

Verdict check_segment_relations(const Topology& topology, const SegmentWorms& worms,
                                const CheckOptions& options) {
  refuse_model_of_relations(options.model);
  return SegmentRelations(topology, worms, options).run();
}

}  // namespace wormcast

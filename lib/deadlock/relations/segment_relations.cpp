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

#include "deadlock/graph/dependency_cycles.hpp"
#include "deadlock/independent/planned_worms.hpp"
#include "deadlock/relations/blocked_worms.hpp"
#include "deadlock/relations/relation_graph.hpp"
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
    result.resources = static_cast<std::uint64_t>(std::count(all.taken().begin(), all.taken().end(), true));
    result.dependencies = all.size();
    const DependencyOrder order(all);
    const bool drained = options_.model.vc_reuse == VcReuse::drained;
    if (order.acyclic()) {
      prove(result, order.numbering(), acyclic_proof);
    } else {
      const Escape escape = find_escape(graph);
      if (escape.complete && drained && !graph.stops_share_consumption())
        prove(result, escape.numbering, escape_proof);
      else
        search(result, graph, escape, order);
    }
    if (result.answer == Answer::safe && graph.endless()) {
      result.answer = Answer::unknown;
      result.proof.clear();
      result.numbering.clear();
      result.limit = "worms cannot block each other, but one can go round for ever: " + *graph.endless();
      if (!order.acyclic()) result.cycle = order.shortest_cycle();
    }
    return result;
  }

 private:
  void prove(Verdict& result, std::vector<ResourceId> numbering, const char* proof) const {
    result.answer = Answer::safe;
    result.proof = proof;
    result.numbering = std::move(numbering);
    RelationReading reading(topology_, options_.model, sorts_, std::nullopt);
    const std::string fault = reading.refuse_numbering(result.numbering, result.proof == acyclic_proof);
    if (!fault.empty()) throw std::logic_error("numbering of a segment's relation refused: " + fault);
  }

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
    const std::uint64_t buffer = options_.model.buffer_flits;
    for (const SegmentWorms::Item& item : worms_.items())
      rules.held_of.push_back(
          static_cast<std::uint32_t>(std::min<std::uint64_t>((item.flits - 1) / buffer + 1, 0xffffffff)));
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
    result.answer = Answer::deadlock;
    std::vector<std::uint64_t> flits;
    for (const RelationWorm& worm : standing) flits.push_back(item_of(worm).flits);
    result.witness = time_blocked_worms(graph, options_.model, flits, standing);
    std::vector<AllowedWorm> allowed;
    for (std::size_t i = 0; i < standing.size(); ++i) {
      result.witness[i].name = item_of(standing[i]).name;
      result.witness[i].says_hops = true;
      allowed.push_back(worms_.allowed(result.witness[i].name));
    }
    const std::string fault = refuse_relation_witness(topology_, options_.model, result.witness, allowed);
    if (!fault.empty()) throw std::logic_error("standstill of a segment refused: " + fault);
    if (const char* why = not_fixable(result.witness)) {
      result.answer = Answer::unknown;
      result.witness.clear();
      result.limit = why;
    }
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

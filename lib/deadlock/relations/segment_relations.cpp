// Verdicts on given worms whose routers choose, and blocked worms as witnesses.
//
// As for all multicasts of a planner first the graph of all dependencies, then an escape. Where there is
// neither, sets of pieces of the worms' ways are searched, each worm at most once in a set. The search is
// exact if all pieces could be listed and no set is left over that could come about in turns alone: without a
// set no worms block each other (safe-unreachable). Where it is not, all choices of whole ways are explored.
// Cost: exponential in the worst case, up to --search-limit partial sets, 40,000 pieces of ways, and
// --state-limit states. cite: derived here.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "deadlock/relations/relation_check.hpp"
#include "deadlock/search/search.hpp"
#include "router/router_rules.hpp"
#include "router/shared_worms.hpp"

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
    if (const auto escape = left_by_proofs(result, graph, order)) search(result, graph, *escape, order);
    if (result.answer() == Answer::safe && graph.endless())
      unprove(result, "worms cannot block each other, but one can go round for ever: " + *graph.endless(),
              order);
    const RelationWorms all_worms{sorts_};
    if (result.answer() == Answer::safe) options_.check_answer(topology_, result, &all_worms);
    return result;
  }

 private:
  /// Early reuse: worms that leave their sources may stand behind others, which pieces do not say.
  bool only_long_worms() const {
    return std::all_of(worms_.items().begin(), worms_.items().end(),
                       [](const SegmentWorms::Item& item) { return item.flits >= long_worm_flits; });
  }

  void search(Verdict& result, const RelationGraph& graph, const Escape& escape,
              const DependencyOrder& order) const {
    result.cycle = order.shortest_cycle();
    if (graph.stops_share_consumption()) {
      result.evidence = AtLimit{shared_stops_not_searched};
      return;
    }
    BlockedWormsRules rules;
    if (!only_long_worms())
      refuse_unlike(topology_, LinkValue::buffer_flits, "routers choose, for worms of a length");
    for (const SegmentWorms::Item& item : worms_.items())
      rules.filled_of.push_back(vcs_filled(item.flits, options_.model));
    rules.worms_a_source = topology_.hosts_have_links() ? 1 : options_.model.injection_channels;
    rules.each_once = true;
    rules.partial_sets = options_.limits.partial_sets;
    rules.exists = [&](const RelationWorm& worm) { return takes_each_once(graph, worm); };
    const BlockedWorms found = find_blocked_worms(graph, escape, rules);
    result.looked_at = found.looked_at;
    const bool early = options_.model.reuses_early();
    if (found.worms)
      state(result, graph, *found.worms);
    else if (!graph.endless() &&
             ((found.exhausted && (!early || only_long_worms())) || arrive_by_all_ways(graph)))
      result.evidence = ByExploring{};
    else if (found.exhausted)
      result.evidence = AtLimit{
          early ? "with early reuse of virtual channels, worms that fit into their buffers are not searched, "
                  "and their ways are too many to explore or might block each other if they were fixed"
                : "ways that come back to where they were are not searched"};
    else
      result.evidence =
          AtLimit{result.looked_at > options_.limits.partial_sets
                      ? "search limit of " + std::to_string(options_.limits.partial_sets) + " partial sets"
                      : "more ways than are listed, or worms that could come to stand in turns alone"};
  }

  bool arrive_by_all_ways(const RelationGraph& graph) const;

  void state(Verdict& result, const RelationGraph& graph, const std::vector<RelationWorm>& blocked) const {
    const auto item_of = [&](const RelationWorm& worm) -> const SegmentWorms::Item& {
      return worms_.items()[graph.vertices()[worm.entry].traffic];
    };
    if (std::any_of(blocked.begin(), blocked.end(),
                    [&](const RelationWorm& w) { return item_of(w).awaits; })) {
      result.evidence =
          AtLimit{"worms that wait for others to arrive are not brought into the standstill that was found"};
      return;
    }
    std::vector<std::uint64_t> flits;
    for (const RelationWorm& worm : blocked) flits.push_back(item_of(worm).flits);
    std::vector<WitnessWorm> worms = time_blocked_worms(graph, options_.model, flits, blocked);
    std::vector<AllowedWorm> allowed;
    for (std::size_t i = 0; i < blocked.size(); ++i) {
      worms[i].name = item_of(blocked[i]).name;
      allowed.push_back(worms_.allowed(worms[i].name));
    }
    take_witness(result, topology_, std::move(worms), allowed, options_);
  }

  const Topology& topology_;
  const SegmentWorms& worms_;
  const CheckOptions& options_;
  std::vector<RelationTraffic> sorts_;
};

// In a witness a worm starts when the one before it has come to rest, and asks for the hop at which it is
// held up when all have. Replayed with fixed hops it then waits for one of the VCs that it was offered, and
// the witness says which worms hold the others. Cost: linear in hops, and a search for each worm's rest.

/// A shortest way of arcs from a place to where its header arrives.
std::vector<std::pair<std::uint32_t, RelationArc>> rest_of_way(const RelationGraph& graph,
                                                               std::uint32_t from) {
  std::map<std::uint32_t, std::pair<std::uint32_t, RelationArc>> came;
  std::vector<std::uint32_t> open{from};
  for (std::size_t next = 0; next < open.size(); ++next) {
    std::uint32_t at = open[next];
    if (graph.vertices()[at].kind != RelationGraph::Kind::waits) {
      std::vector<std::pair<std::uint32_t, RelationArc>> way;
      for (; at != from; at = came.at(at).first) way.push_back(came.at(at));
      std::reverse(way.begin(), way.end());
      return way;
    }
    for (const RelationArc& arc : graph.arcs(at)) {
      if (graph.vertices()[arc.to].kind == RelationGraph::Kind::anywhere || arc.to == from) continue;
      if (came.try_emplace(arc.to, std::pair(at, arc)).second) open.push_back(arc.to);
    }
  }
  return {};
}

WitnessWorm describe(const RelationGraph& graph, const RouterModel& model, std::uint64_t flits,
                     const RelationWorm& worm) {
  WitnessWorm result;
  result.says_hops = true;
  result.route.source = graph.vertices()[worm.entry].origin;
  std::int32_t last = -1;  // channel
  const auto add = [&](std::uint32_t target, std::uint32_t vc, RouteHop::Kind kind) {
    result.route.hops.push_back({target, last, vc, kind});
    return static_cast<std::int32_t>(result.route.hops.size()) - 1;
  };
  const auto take = [&](std::uint32_t from, const RelationArc& arc) {
    const RelationGraph::Vertex& vertex = graph.vertices()[from];
    if (vertex.kind == RelationGraph::Kind::passes) add(vertex.destination.value, 0, RouteHop::Kind::deliver);
    if (arc.vc == nothing_taken || graph.resources().kind(arc.vc) != Resource::Kind::network) return;
    const Resource taken = graph.resources().describe(arc.vc);
    last = add(taken.channel.value, taken.vc, RouteHop::Kind::channel);
  };
  std::uint32_t at = worm.entry;
  for (const std::size_t i : worm.taken) {
    take(at, graph.arcs()[i]);
    at = graph.arcs()[i].to;
  }
  const auto waits = static_cast<std::int32_t>(result.route.hops.size());
  result.waits = {waits};
  for (const auto& [from, arc] : rest_of_way(graph, worm.waits)) take(from, arc);
  add(graph.vertices()[worm.waits].destination.value, 0, RouteHop::Kind::deliver);
  const std::uint64_t channels = result.route.channels() + (graph.topology().hosts_have_links() ? 1 : 0);
  const std::uint64_t all =
      std::min(flits, channels * graph.topology().most(LinkValue::buffer_flits, model.buffer_flits) + 1);
  result.route.header_flits =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(model.header_flits, all - 1));
  result.length_flits = all - *result.route.header_flits;
  if (*result.route.header_flits == model.header_flits) result.route.header_flits.reset();
  const std::uint64_t full = (all + model.buffer_flits - 1) / model.buffer_flits;
  std::uint64_t behind = 0;  // channels between the header and the hop
  for (std::int32_t hop = waits - 1; hop >= 0; --hop) {
    const bool channel = result.route.hops[static_cast<std::size_t>(hop)].is_channel();
    if (behind < full) result.holds.push_back(hop);
    behind += channel ? 1 : 0;
  }
  if (behind < full) result.holds.push_back(-1);
  std::reverse(result.holds.begin(), result.holds.end());
  return result;
}

/// Whether all worms arrive by every choice of their ways, each explored as if it were fixed: what routers
/// choose comes to one of these. Where headers have more to wait for a standstill would prove nothing.
bool SegmentRelations::arrive_by_all_ways(const RelationGraph& graph) const {
  constexpr std::size_t most_choices = 4096;
  std::vector<std::vector<ExploredWorm>> ways(sorts_.size());
  std::vector<RelationWorm> open;
  for (std::uint32_t u = 0; u < graph.vertices().size(); ++u)
    if (graph.vertices()[u].entry) open.push_back({u, {}, u});
  while (!open.empty() && open.size() < most_choices) {
    const RelationWorm at = std::move(open.back());
    open.pop_back();
    const RelationGraph::Vertex& here = graph.vertices()[at.waits];
    for (std::size_t i = here.first_arc; i < here.first_arc + here.arcs; ++i) {
      RelationWorm& further = open.emplace_back(at);
      further.taken.push_back(i);
      further.waits = graph.arcs()[i].to;
    }
    if (here.arcs != 0) continue;
    if (!takes_each_once(graph, at)) return false;
    const std::uint64_t flits = worms_.items()[here.traffic].flits;
    ways[here.traffic].push_back({describe(graph, options_.model, flits, at).route, flits});
  }
  std::size_t choices = open.empty() && !options_.allocating ? 1 : 0;
  for (const auto& own : ways)
    choices *= own.size() <= most_choices / std::max<std::size_t>(1, choices) ? own.size() : 0;
  std::uint64_t states = 0;
  for (std::size_t choice = 0; choice < choices; ++choice) {
    std::vector<ExploredWorm> worms;
    std::size_t rest = choice;
    for (const auto& own : ways) {
      worms.push_back(own[rest % own.size()]);
      rest /= own.size();
    }
    const Exploration found = explore(topology_, options_.model, worms, options_.limits.states);
    states += found.states;
    if (options_.limits.tell) options_.limits.tell(0, states);
    if (!found.exhausted || found.deadlock || states > options_.limits.states) return false;
  }
  return choices != 0;
}

/// Enough cycles for a worm alone to come to rest.
Cycle rest_cycles(const Topology& topology, const RouterModel& model, const WitnessWorm& worm) {
  Cycle slowest = Cycle{model.hop_cycles} + model.consumption_cycles;
  for (const RouteHop& hop : worm.route.hops)
    if (hop.is_channel())
      slowest = std::max<Cycle>(slowest,
                                topology.own(LinkValue::hop_cycles, ChannelId{hop.target}, model.hop_cycles));
  if (topology.hosts_have_links())
    slowest = std::max<Cycle>(
        slowest, topology.own(LinkValue::hop_cycles, worm.route.source, false, model.hop_cycles));
  slowest += Cycle{model.routing_cycles} + topology.most(LinkValue::flit_cycles, model.flit_cycles) +
             model.credit_cycles;
  return model.startup_cycles + model.overhead_cycles +
         (worm.length_flits + model.header_flits + worm.route.hops.size() + 2) * slowest;
}

/// Whether worms with the hops of the witness are blocked for good: they start in its order, each when those
/// before it have come to rest, and ask for the hop that they wait for when all are in place.
bool blocked_when_run(const Topology& topology, const Verdict& verdict) {
  std::vector<ExploredWorm> worms;
  for (const WitnessWorm& claim : verdict.witness()) {
    worms.push_back({claim.route, claim.route.flits(claim.length_flits, verdict.model.header_flits)});
    WormRoute& route = worms.back().route;
    route.after = -1;
    route.hops.resize(slot_after(claim.waits.front()));  // whoever gets that is through
    std::int32_t before = -1;
    for (std::size_t h = 0; h < route.hops.size(); ++h) {
      route.hops[h].parent = before;
      if (route.hops[h].is_channel()) before = static_cast<std::int32_t>(h);
    }
  }
  const SharedWorms run(topology, verdict.model, worms, true);
  const auto last = [&](SharedWorms::Place place) {
    return run.spot(place).position == worms[run.spot(place).worm].route.hops.size();
  };
  SharedState state = run.nothing_granted();
  for (std::uint32_t started = 0; started < worms.size(); ++started)
    run.settle(state,
               [&](SharedWorms::Place place) { return !last(place) && run.spot(place).worm <= started; });
  run.settle(state, [](SharedWorms::Place) { return true; });
  for (SharedWorms::Place place = 0; place < run.size(); ++place)
    if (last(place) && state.entered[place] > 0) return false;
  return true;
}

}  // namespace

Verdict check_segment_relations(const Topology& topology, const SegmentWorms& worms,
                                const CheckOptions& options) {
  refuse_with_choices(options.model);
  return SegmentRelations(topology, worms, options).run();
}

bool takes_each_once(const RelationGraph& graph, const RelationWorm& worm) {
  std::vector<ResourceId> vcs = taken_vcs(graph, worm);
  std::sort(vcs.begin(), vcs.end());
  return std::adjacent_find(vcs.begin(), vcs.end()) == vcs.end();
}

void take_witness(Verdict& verdict, const Topology& topology, std::vector<WitnessWorm> worms,
                  const std::vector<AllowedWorm>& allowed, const CheckOptions& options) {
  const auto comes_back = [](const WitnessWorm& worm) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> taken;
    return std::any_of(worm.route.hops.begin(), worm.route.hops.end(), [&](const RouteHop& hop) {
      return hop.is_channel() && !taken.emplace(hop.target, hop.vc).second;
    });
  };
  const bool fixed = std::none_of(worms.begin(), worms.end(), comes_back);
  verdict.evidence = ByWitness{std::move(worms)};
  options.check_answer(topology, verdict, &allowed);
  if (!fixed)
    verdict.evidence = AtLimit{
        "worms that block each other were found, but one may come back to a channel that it holds, "
        "which a witness with fixed hops cannot show"};
  else if (!blocked_when_run(topology, verdict))
    verdict.evidence =
        AtLimit{"worms were found that would block each other, but run flit by flit they do not"};
}

std::optional<Escape> left_by_proofs(Verdict& verdict, const RelationGraph& graph,
                                     const DependencyOrder& order, const char* why_not) {
  std::optional<Escape> escape;
  const bool shared = graph.stops_share_consumption();
  if (!order.acyclic()) {
    escape = find_escape(graph);
    if (!escape->complete || verdict.model.reuses_early() || shared) return escape;
  }
  if (why_not != nullptr || shared)
    verdict.evidence = AtLimit{why_not != nullptr ? why_not : shared_stops_not_searched};
  else
    verdict.evidence = escape ? ByNumbering{std::move(escape->numbering), escape_proof}
                              : ByNumbering{order.numbering(), acyclic_proof};
  return std::nullopt;
}

void unprove(Verdict& verdict, std::string limit, const DependencyOrder& order) {
  verdict.evidence = AtLimit{std::move(limit)};
  if (!order.acyclic()) verdict.cycle = order.shortest_cycle();
}

FilledVcs vcs_filled(std::uint64_t flits, const RouterModel& model) {
  const auto cut = [](std::uint64_t vcs) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(vcs, UINT32_MAX));
  };
  const std::uint32_t some = cut((flits - 1) / model.buffer_flits + 1);
  return {some, model.reuses_early() ? cut(flits / model.buffer_flits) : some};
}

WormStops stops_of(const RelationGraph& graph, const RelationWorm& worm) {
  WormStops result;
  result.sort = graph.vertices()[worm.entry].traffic;
  std::uint32_t at = worm.entry;
  for (const std::size_t i : worm.taken) {
    const RelationArc& arc = graph.arcs()[i];
    const RelationGraph::Vertex& from = graph.vertices()[at];
    const RelationGraph::Vertex& to = graph.vertices()[arc.to];
    at = arc.to;
    if (from.kind != RelationGraph::Kind::passes) continue;
    result.hosts.push_back(from.destination);
    // A reply of the same sort begins as no leg that goes on does: with a fresh state.
    const bool own = std::any_of(graph.traffic()[from.traffic].legs.begin(),
                                 graph.traffic()[from.traffic].legs.end(), [&](const Leg& leg) {
                                   return from.leg_kind != 0 && leg.goes_on &&
                                          *leg.goes_on + 1 == from.leg_kind && leg.from == from.destination &&
                                          leg.to == to.destination;
                                 });
    if ((from.traffic != to.traffic || !own) && result.joined == 0) result.joined = result.hosts.size();
  }
  result.hosts.push_back(graph.vertices()[worm.waits].destination);
  if (result.joined == 0) result.joined = result.hosts.size();
  return result;
}

std::vector<WitnessWorm> time_blocked_worms(const RelationGraph& graph, const RouterModel& model,
                                            const std::vector<std::uint64_t>& flits,
                                            const std::vector<RelationWorm>& worms) {
  std::vector<WitnessWorm> result;
  Cycle now = 0;
  for (const RelationWorm& worm : worms) {
    WitnessWorm& witness = result.emplace_back(describe(graph, model, flits[result.size()], worm));
    witness.name = {result.size() - 1, 0};
    witness.start_cycle = now;
    now += rest_cycles(graph.topology(), model, witness);
  }
  for (WitnessWorm& witness : result)
    witness.route.hops[static_cast<std::size_t>(witness.waits.front())].not_before_cycle = now;
  return result;
}

}  // namespace wormcast

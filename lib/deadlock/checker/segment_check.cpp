// Verdicts on segments, and what is proved and tried of those with reductions. Cost: that of what it calls.
// SPDX-License-Identifier: MIT
#include <stdexcept>

#include "checks/verdict_check.hpp"
#include "deadlock/checker/checker.hpp"
#include "deadlock/relations/relation_check.hpp"
#include "deadlock/tables/table_check.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

constexpr std::uint64_t kept_per_route = 10;

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
  result.replication = Replication::unstated;
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

}  // namespace

SegmentCheck::SegmentCheck(const SegmentCheckOptions& options, std::shared_ptr<const Topology> topology)
    : options_(options),
      topology_(std::move(topology)),
      checker_(*topology_, options.check),
      on_the_way_(*topology_, options.check.model, options.check.flits),
      tables_(*topology_) {}

void SegmentCheck::add(const Routes& routes) {
  if (routes.routed_on_the_way()) {
    on_the_way_.add(routes);
    return;
  }
  checker_.add(routes);
  any_routes_ = true;
  planner_.add(routes.plan);
  if (!options_.shrink && !options_.suggest) return;
  kept_worms_ += routes.worms.size();
  const std::uint64_t most = options_.check.route_limit * kept_per_route;
  if (kept_worms_ > most)
    refuse(
        options_.shrink ? "--shrink" : "--suggest",
        "more than {} worms to keep in memory; first find the deadlock without it, then give the multicasts "
        "of its witness alone, or raise --route-limit",
        most);
  kept_.push_back(routes);
}

void SegmentCheck::add(const RouterTable& table) {
  require_table_network(*topology_);
  tables_.add(table);
  if (options_.suggest) kept_tables_.push_back(table);
}

Verdict SegmentCheck::verdict() const {
  refuse_mixture();
  if (!tables_.empty()) {
    Verdict result = check_tables(tables_, options_.check.model);
    if (!options_.list_dependencies) result.graph.clear();
    if (options_.suggest && !excludes_deadlock(result.answer))
      result.suggestions = suggest_levels(tables_, options_.check.model, kept_tables_);
    return result;
  }
  if (!on_the_way_.empty()) {
    Verdict result = check_segment_relations(*topology_, on_the_way_, options_.check);
    result.planned_by = on_the_way_.planned_by();
    return result;
  }
  Verdict result = checker_.verdict();
  if (!any_routes_) {
    // The stream held something else than routes, as after a planner that wrote none.
    result.answer = Answer::unknown;
    result.numbering.clear();
    result.limit = "nothing to check: no routes or tables on " + topology_->name();
  }
  result.planned_by = planner_.common();
  if (options_.shrink && result.answer == Answer::deadlock)
    result = shrink(*topology_, options_.check, kept_, std::move(result), options_.subset_limit);
  bool met_limit = false;
  if (options_.suggest && !excluding(result.answer, options_.check.allocating, met_limit))
    add_suggestions(result, options_.check.limits, options_.tell,
                    [&](const auto& tell) { return suggest(*topology_, options_.check, kept_, tell); });
  return result;
}

std::vector<Routes> SegmentCheck::changed() const {
  refuse_mixture();
  return changed_routes(*topology_, options_.check, kept_, options_.change);
}

std::vector<RouterTable> SegmentCheck::changed_tables() const {
  refuse_mixture();
  if (options_.change != levels_change)
    refuse("--change", "'{}' is no change of tables; it is {}", options_.change, levels_change);
  std::vector<RouterTable> changed = tables_by_level(tables_, kept_tables_);
  if (changed.empty())
    refuse("--change", "{}: those that {} can have do not take the loops out of its tables", levels_change,
           topology_->name());
  return changed;
}

/// A segment holds routes or tables, not both, and tables have no witness to form and no worms to shape.
void SegmentCheck::refuse_mixture() const {
  const bool tables = !tables_.empty();
  const bool answered = options_.check.model.consumption_release == ConsumptionRelease::answered;
  const char* const asked = options_.shrink            ? "--shrink"
                            : !options_.change.empty() ? "--change"
                            : options_.suggest         ? "--suggest"
                                                       : nullptr;
  if (answered && asked != nullptr) throw InputError(asked, "excludes --consumption-release answered");
  if (answered && tables)
    throw InputError("--consumption-release",
                     "tables are judged for packets that are consumed when they arrive");
  if (!on_the_way_.empty() && any_routes_)
    throw InputError("routing", "worms with hops and worms that routers route are not judged together");
  if (!on_the_way_.empty() && asked != nullptr) throw InputError(asked, "is for worms with hops");
  if (tables && (any_routes_ || !on_the_way_.empty()))
    throw InputError("kind", "routes and tables in one segment; they are checked apart");
  if (!tables && options_.list_dependencies)
    throw InputError("--list-dependencies", "lists dependencies of tables only");
  if (tables && (options_.witness || options_.shrink))
    throw InputError("kind", "a loop in tables is not a deadlock: it has no witness, and nothing to shrink");
  if (!tables) return;
  const CheckOptions& check = options_.check;
  refuse_stated({{"--long-worms", check.flits == long_worm_flits},
                 {"--length-flits", check.flits.has_value()},
                 {"--path-reservation", check.model.path_reservation},
                 {"--allocation", check.model.allocation == Allocation::atomic},
                 {"--vc-reuse", check.model.vc_reuse == VcReuse::early}},
                "tables are judged under virtual cut-through, for packets of any length");
}

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

std::vector<Suggestion> suggest_joined(const Topology& topology, const CheckOptions& options,
                                       const std::vector<Routes>& messages, const TrialListener& tell) {
  const std::shared_ptr<const Topology> borrowed(&topology, [](const Topology*) {});
  return try_changes<JoinedSet>(joined_changes, {borrowed, options, messages}, tell);
}

}  // namespace wormcast

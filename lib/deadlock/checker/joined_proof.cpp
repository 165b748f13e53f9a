// Changes, from the smallest to the largest: messages of one flit, parts that are received one by one, and
// virtual channels of their own, which are networks of their own where routers join flit by flit.
//
// A message goes to the first virtual channel on which an order proves it and those before it safe by
// themselves. Cost: a graph for each change, and for each message and virtual channel.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/checker.hpp"

#include <stdexcept>

#include "deadlock/independent/verdict_check.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

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

// A binomial tree of unicasts over a list of hosts that stand switch by switch.
//
// Under shortest up*/down* routing no order of the hosts makes every step free of contention on every
// network, but hosts of nearby switches side by side keep most unicasts apart. The order of switches:
//   cco       our reading of the chain-concatenated order, whose original text was not available:
//             again and again from the unvisited switch of smallest (level, id) down to the unvisited
//             neighbour below with the most unvisited neighbours, ties to the lowest id, until there
//             is none; the chains one after the other;
//   preorder  depth first along the spanning tree;
//   switch    by id.
// The list is rotated so that the source leads it; recursive halving (unicast_tree) does the rest.
// Cost: O(k log k) a plan; O(links) once. cite: Kesavan, Bondalapati, Panda 1997 (the orders).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <numeric>

#include "multicast/building_blocks/switch_groups.hpp"
#include "multicast/building_blocks/unicast_tree.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "routing/up_down.hpp"

namespace wormcast::planner_switch_ordered {
namespace {

constexpr std::array<PlannerParameter, 1> parameters = {{
    {"chain", {"cco", "preorder", "switch"}, "order of the switches whose hosts make the list"},
}};

/// Position of each switch in the list.
struct Positions final : PlannerData {
  std::vector<std::uint32_t> of;
};

std::vector<std::uint32_t> concatenated_chains(const UpDownSetup& setup) {
  const std::uint32_t switches = setup.topology().routers();
  std::vector<std::uint32_t> position(switches);
  std::vector<bool> visited(switches, false);
  std::uint32_t next_position = 0;
  const auto unvisited_around = [&](NodeId node) {
    const auto arcs = setup.arcs(node);
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < arcs.size(); ++i)  // parallel links lead to one neighbour
      count += !visited[arcs[i].to.value] && (i == 0 || arcs[i - 1].to != arcs[i].to) ? 1 : 0;
    return count;
  };
  for (const NodeId start : setup.by_level()) {
    std::optional<NodeId> at = start;
    while (at && !visited[at->value]) {
      visited[at->value] = true;
      position[at->value] = next_position++;
      std::optional<NodeId> best;
      std::uint32_t best_count = 0;
      for (const Arc& arc : setup.arcs(*at)) {
        if (arc.up || visited[arc.to.value]) continue;
        const std::uint32_t count = unvisited_around(arc.to);
        if (best && count <= best_count) continue;
        best = arc.to;
        best_count = count;
      }
      at = best;
    }
  }
  return position;
}

std::shared_ptr<const PlannerData> prepare(const PlanningContext& context) {
  const UpDownSetup& setup = *context.routing.up_down();
  auto positions = std::make_shared<Positions>();
  if (context.option("chain") == "cco") {
    positions->of = concatenated_chains(setup);
    return positions;
  }
  positions->of.resize(context.topology.routers());
  std::iota(positions->of.begin(), positions->of.end(), 0u);
  if (context.option("chain") == "preorder")
    for (std::uint32_t& entry : positions->of) entry = setup.preorder_position(NodeId{entry});
  return positions;
}

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  const auto& positions = static_cast<const Positions&>(*context.prepared);
  return unicast_tree(
      rotated_chain(context.topology, request, [&](NodeId node) { return positions.of[node.value]; }), 0);
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "switch-ordered",
    .summary = "binomial tree of unicasts, hosts switch by switch (cco: our reading)",
    .topologies = "any connected",
    .cost = "O(k log k)",
    .cite = "Kesavan, Bondalapati, Panda 1997",
    .needs = "unicast only; software at relays",
    .parameters = parameters,
    .routings = {"up-down"},
    .worms = {.single_stops = true, .chains = true, .fewest_steps = true},
    .unsupported = no_paths_both_ways,
    .plan = plan,
    .legs = unicast_legs,
    .prepare = prepare,
};

}  // namespace wormcast::planner_switch_ordered

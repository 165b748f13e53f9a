// Trees of unicasts by recursive halving (unicast_tree) of a chain of nodes: each planner is an order.
//
// Every informed node sends once a step, so m nodes (the source included) take ⌈log2 m⌉ steps. Unicasts stay
// within disjoint intervals of the chain, which keeps those of one step apart, on links or on virtual
// channels, where the order fits the routing:
//   binomial  the source, then the destinations by number, blind to the topology: unicasts of one step may
//             contend for channels;
//   u-mesh    in dimension order: lexicographic with the dimension that is routed first as the most
//             significant one. Two unicasts within disjoint intervals of such a chain never share a channel
//             under dimension-order routing. With the significance reversed the property is lost;
//   u-cube    by addresses relative to the source (exclusive or): a subcube is an interval of the chain, so
//             halving sends into disjoint subcubes;
//   u-torus   in dimension order, turned so that the source leads it (an R-chain). Dimension order on a torus
//             takes the shorter way round, and VC0 while a ring's wrap link is ahead, VC1 from there on: the
//             part of a turned chain that has wrapped and the part that will wrap are then on different
//             virtual channels of links that they may share: no header waits for another, but flits take
//             turns on such a link. With one virtual channel, or with VC1 only after the wrap, unicasts of a
//             step share virtual channels, too;
//   u-tree    the hosts in depth-first order of the spanning tree, rotated so that the source leads, joined
//             by tree links only. A tree channel up from x is used by a → b iff a is below x and b is not.
//             Subtrees are intervals of the (cyclic) order, so two unicasts within disjoint intervals cannot
//             both leave the subtree of x: a host of the one would stand between those of the other. The
//             same holds for channels down. With shortest up*/down* routes (--routing up-down) the paths
//             are shorter, and contention is rare but not excluded;
//   switch-ordered  the hosts switch by switch. Under shortest up*/down* routing no order makes every step
//             free of contention on every network, but hosts of nearby switches side by side keep most
//             unicasts apart. The order of switches is `cco`, our reading of the chain-concatenated order,
//             whose original text was not available: again and again from the unvisited switch of smallest
//             (level, id) down to the unvisited neighbour below with the most unvisited neighbours, ties to
//             the lowest id, until there is none; the chains one after the other; `preorder`, depth first
//             along the spanning tree; or `switch`, by id.
// Cost: O(k log k); switch-ordered O(links) once. cite: McKinley, Xu, Esfahanian, Ni 1994 (recursion, u-mesh,
// u-cube); Robinson, McKinley, Cheng 1995 (u-torus; the bidirectional routing is this project's reading);
// this project (u-tree); Kesavan, Bondalapati, Panda 1997 (the orders of switches).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <utility>

#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "routing/up_down.hpp"

namespace wormcast {
namespace {

std::vector<HostId> by_number(const Request& request) {
  std::vector<HostId> chain{request.source};
  chain.insert(chain.end(), request.destinations.begin(), request.destinations.end());
  return chain;
}

/// The source and its destinations, lexicographic with the dimension that is routed first as the most
/// significant one; hosts of one router by number.
std::vector<HostId> dimension_ordered_chain(const PlanningContext& context, const Request& request) {
  const Grid& grid = *router_grid(context);
  std::vector<HostId> chain = by_number(request);
  std::sort(chain.begin(), chain.end(), [&](HostId a, HostId b) {
    for (std::uint32_t i = 0; i < grid.dimensions(); ++i) {
      const std::uint32_t d = context.routing.last_dimension_first() ? grid.dimensions() - 1 - i : i;
      const std::uint32_t x = grid.coordinate(context.topology.router_of(a), d);
      const std::uint32_t y = grid.coordinate(context.topology.router_of(b), d);
      if (x != y) return x < y;
    }
    return a < b;
  });
  return chain;
}

/// Source and destinations by (position of their switch, id), rotated so that the source leads.
template <class Position>
std::vector<HostId> rotated_chain(const Topology& topology, const Request& request, Position position) {
  std::vector<std::pair<std::uint32_t, HostId>> placed;
  placed.reserve(request.destinations.size() + 1);
  const auto place = [&](HostId host) { return std::pair(position(topology.router_of(host)), host); };
  for (const HostId host : request.destinations) placed.push_back(place(host));
  placed.push_back(place(request.source));
  std::sort(placed.begin(), placed.end());
  std::rotate(placed.begin(), std::lower_bound(placed.begin(), placed.end(), place(request.source)),
              placed.end());
  std::vector<HostId> chain;
  chain.reserve(placed.size());
  for (const auto& entry : placed) chain.push_back(entry.second);
  return chain;
}

std::vector<Worm> binomial_tree(const PlanningContext&, const Request& request) {
  return unicast_tree(by_number(request), 0);
}

std::vector<Worm> u_mesh(const PlanningContext& context, const Request& request) {
  const std::vector<HostId> chain = dimension_ordered_chain(context, request);
  const auto source = std::find(chain.begin(), chain.end(), request.source);
  return unicast_tree(chain, static_cast<std::size_t>(source - chain.begin()));
}

std::vector<Worm> u_cube(const PlanningContext&, const Request& request) {
  std::vector<HostId> chain = by_number(request);
  const std::uint32_t source = request.source.value;
  std::sort(chain.begin(), chain.end(),
            [source](HostId a, HostId b) { return (a.value ^ source) < (b.value ^ source); });
  return unicast_tree(chain, 0);
}

std::vector<Worm> u_torus(const PlanningContext& context, const Request& request) {
  std::vector<HostId> chain = dimension_ordered_chain(context, request);
  if (context.topology.ways() == Ways::down) std::reverse(chain.begin(), chain.end());
  std::rotate(chain.begin(), std::find(chain.begin(), chain.end(), request.source), chain.end());
  return unicast_tree(chain, 0);
}

std::vector<Worm> u_tree(const PlanningContext& context, const Request& request) {
  const UpDownSetup& setup = *context.routing.up_down();
  const auto position = [&](NodeId node) { return setup.preorder_position(node); };
  return unicast_tree(rotated_chain(context.topology, request, position), 0);
}

constexpr std::array<PlannerParameter, 1> switch_orders = {{
    {"chain", {"cco", "preorder", "switch"}, "order of the switches whose hosts make the list"},
}};

/// Position of each switch in the list.
struct SwitchPositions final : PlannerData {
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

std::shared_ptr<const PlannerData> prepare_positions(const PlanningContext& context) {
  const UpDownSetup& setup = *context.routing.up_down();
  auto positions = std::make_shared<SwitchPositions>();
  if (context.option("chain") == "cco") {
    positions->of = concatenated_chains(setup);
    return positions;
  }
  positions->of = numbers_from(0, context.topology.routers());
  if (context.option("chain") == "preorder")
    for (std::uint32_t& entry : positions->of) entry = setup.preorder_position(NodeId{entry});
  return positions;
}

std::vector<Worm> switch_ordered(const PlanningContext& context, const Request& request) {
  const auto& positions = static_cast<const SwitchPositions&>(*context.prepared);
  return unicast_tree(
      rotated_chain(context.topology, request, [&](NodeId node) { return positions.of[node.value]; }), 0);
}

constexpr WormShape unicasts = {.single_stops = true, .chains = true, .fewest_steps = true};

}  // namespace

extern const Planner planner_binomial = {
    .name = "binomial",
    .summary = "binomial tree of unicasts in the order of node numbers",
    .topologies = "any",
    .cost = "O(k)",
    .cite = "McKinley, Xu, Esfahanian, Ni 1994",
    .needs = "unicast only; software at relays",
    .worms = unicasts,
    .unsupported = any_topology,
    .plan = binomial_tree,
    .legs = unicast_legs,
};

extern const Planner planner_u_mesh = {
    .name = "u-mesh",
    .summary = "unicast tree, contention-free in every step, on the dimension-ordered chain",
    .topologies = "mesh, cmesh",
    .cost = "O(k log k)",
    .cite = "McKinley, Xu, Esfahanian, Ni 1994",
    .needs = "unicast only; software at relays",
    .routings = {"dimension-order", "two-rounds"},
    .worms = unicasts,
    .unsupported =
        [](const Topology& t) {
          return needs(t.any_line_grid() || concentrated_mesh(t), "a mesh or a cmesh");
        },
    .plan = u_mesh,
    .legs = unicast_legs,
    .prepare = prepare_tiles,
};

extern const Planner planner_u_cube = {
    .name = "u-cube",
    .summary = "unicast tree, contention-free in every step, on addresses relative to the source",
    .topologies = "hypercube",
    .cost = "O(k log k)",
    .cite = "McKinley, Xu, Esfahanian, Ni 1994",
    .needs = "unicast only; software at relays",
    .routings = {"dimension-order"},
    .worms = unicasts,
    .unsupported = [](const Topology& t) { return needs(t.bit_addresses(), "a hypercube"); },
    .plan = u_cube,
    .legs = unicast_legs,
};

extern const Planner planner_u_torus = {
    .name = "u-torus",
    .summary =
        "unicast tree, no virtual channel shared in a step (a link may be), on the dimension-ordered chain "
        "turned to the source",
    .topologies = "torus, torus-forward, torus-backward",
    .cost = "O(k log k)",
    .cite = "Robinson, McKinley, Cheng 1995",
    .needs = "unicast only; software at relays",
    .routings = {"dimension-order", "one-way", "two-rounds"},
    .worms = unicasts,
    .unsupported = [](const Topology& t) { return needs(t.ring_grid() || t.one_way_grid(), "a torus"); },
    .plan = u_torus,
    .legs = unicast_legs,
};

extern const Planner planner_u_tree = {
    .name = "u-tree",
    .summary = "unicast tree on spanning-tree links, contention-free in every step",
    .topologies = "any connected",
    .cost = "O(k log k)",
    .cite = "this project",
    .needs = "unicast only; software at relays; routes on spanning-tree links",
    .routings = {"spanning-tree", "up-down"},
    .worms = unicasts,
    .unsupported = no_paths_both_ways,
    .plan = u_tree,
    .legs = unicast_legs,
};

extern const Planner planner_switch_ordered = {
    .name = "switch-ordered",
    .summary = "binomial tree of unicasts, hosts switch by switch (cco: our reading)",
    .topologies = "any connected",
    .cost = "O(k log k)",
    .cite = "Kesavan, Bondalapati, Panda 1997",
    .needs = "unicast only; software at relays",
    .parameters = switch_orders,
    .routings = {"up-down"},
    .worms = unicasts,
    .unsupported = no_paths_both_ways,
    .plan = switch_ordered,
    .legs = unicast_legs,
    .prepare = prepare_positions,
};

}  // namespace wormcast

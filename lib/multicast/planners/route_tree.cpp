// The union of the routes to all destinations on any network, as one worm (building_blocks/route_tree.hpp).
//
// Dimension order on grids, as xy-tree; on graphs shortest routes by negative hops, or the links of a
// spanning tree. The worm splits where routes part, at explicit branch stops, and copies at destinations on
// the way. Copied asynchronously in buffers that hold a whole worm, each branch waits for its next channel
// alone, as a unicast does, so such trees are as free of deadlock as the unicasts of the routing function: by
// negative hops the virtual channel, and then the router's number, rise along every branch. Where a copy
// holds one output while it waits for another they can block each other, as those of xy-tree can. Cost: O(sum
// of hops). cite: Lin, Ni 1991 (tree-based multicast); Boppana, Chalasani 1993 (negative hops); this project.
// SPDX-License-Identifier: MIT
#include <array>

#include "multicast/building_blocks/grid_tree.hpp"
#include "multicast/building_blocks/route_tree.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "topology/connectivity.hpp"

namespace wormcast::planner_route_tree {

extern const Planner entry;

namespace {

constexpr std::array<PlannerParameter, 1> parameters = {
    {{"replication", {"asynchronous", "lock-step"}, tree_replication.summary}}};

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  std::vector<Worm> worms(1);
  worms[0].source = request.source;
  worms[0].vc_class = class_of_stops(context);
  worms[0].replication = replication_of(context);
  RouteTree tree(context.routing, request.source, worms[0].vc_class);
  for (const HostId host : request.destinations) tree.add(host);
  worms[0].stops = tree.stops();
  return worms;
}

std::optional<std::string> no_tree(const Topology& topology) {
  if (topology.given_by_links()) return no_paths(topology);
  if (topology.one_way_grid() || !no_grid_tree(topology)) return std::nullopt;
  return "it needs a mesh, a torus, a hypercube or a graph";
}

void legs(const PlanningContext& context, LegSink& sink) { legs_of_broadcasts(entry, context, sink); }

}  // namespace

const Planner entry = {
    .name = "route-tree",
    .summary = "one tree worm: the union of the routes, by dimension order or negative hops",
    .topologies = "mesh, tori, hypercube, any connected graph",
    .cost = "O(k * hops)",
    .cite = "Lin, Ni 1991; this project",
    .needs = "copy to several ports",
    .parameters = parameters,
    .routings = {"dimension-order", "one-way", "negative-hop", "spanning-tree"},
    .worms = {.from_source = true, .different_ports = true},
    .unsupported = no_tree,
    .plan = plan,
    .legs = legs,
    .header = HeaderEncoding::bit_string,
};

}  // namespace wormcast::planner_route_tree

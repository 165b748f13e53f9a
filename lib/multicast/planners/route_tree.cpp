// The union of the routes to all destinations on any network, as one worm (building_blocks/route_tree.hpp).
//
// Shortest routes by negative hops, or the links of a spanning tree. The worm splits where routes part, at
// explicit branch stops, and copies at destinations on the way. Copied asynchronously in buffers that hold a
// whole worm, each branch waits for its next channel alone, as a unicast does, so such trees are as free of
// deadlock as the unicasts of the routing function: the virtual channel, and then the router's number, rise
// along every branch. Where a copy holds one output while it waits for another they can block each other, as
// those of xy-tree can. Cost: O(sum of hops). cite: Lin, Ni 1991 (tree-based multicast); Boppana, Chalasani
// 1993 (negative hops); this project.
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
  worms[0].replication = replication_of(context);
  RouteTree tree(context.routing, request.source, worms[0].vc_class);
  for (const HostId host : request.destinations) tree.add(host);
  worms[0].stops = tree.stops();
  return worms;
}

void legs(const PlanningContext& context, LegSink& sink) { legs_of_broadcasts(entry, context, sink); }

}  // namespace

const Planner entry = {
    .name = "route-tree",
    .summary = "one tree worm: the union of shortest routes, or of those on a spanning tree",
    .topologies = "any connected",
    .cost = "O(k * hops)",
    .cite = "Lin, Ni 1991; this project",
    .needs = "copy to several ports",
    .parameters = parameters,
    .routings = {"negative-hop", "spanning-tree"},
    .worms = {.from_source = true, .different_ports = true},
    .unsupported = no_paths,
    .plan = plan,
    .legs = legs,
    .header = HeaderEncoding::bit_string,
};

}  // namespace wormcast::planner_route_tree

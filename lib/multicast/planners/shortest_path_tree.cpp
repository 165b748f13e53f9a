// The greedy shortest-path tree: each destination joins the tree where the rest of its way is shortest.
//
// Destinations join in order of distance from the source, ties by node. Among the nodes of the tree
// that lie on a shortest way from the source to it, a destination takes the nearest (ties: the one that
// joined first) and is joined to it by the dimension-order route. A node in between that belonged to
// the tree would have been nearer, so paths never meet, and every path from the source is a shortest one:
// the least longest path there is, with traffic between the dimension-order tree's and a Steiner tree's.
// The turns depend on the destinations, all eight of them on a mesh: routers need the tree in the header
// or in a table, and such trees can deadlock in any way of copying unless a buffer holds the worm.
// On a torus every ring is cut opposite the source. Cost: O(k · nodes of the tree · dimensions).
// cite: Takahashi, Matsuyama 1980 (joining by shortest paths), held to shortest paths from the source.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "multicast/building_blocks/grid_tree.hpp"
#include "multicast/legs.hpp"

namespace wormcast::planner_shortest_path_tree {
namespace {

constexpr std::array parameters = {tree_replication};

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  GridTree tree(context.topology, request.source);
  struct Wanted {
    std::uint32_t distance;
    HostId host;
    std::vector<std::uint32_t> place;
  };
  std::vector<Wanted> wanted;
  for (const HostId host : request.destinations) {
    wanted.push_back({0, host, tree.place_of(host)});
    wanted.back().distance = GridTree::distance(tree.place(0), wanted.back().place);
  }
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const Wanted& a, const Wanted& b) { return a.distance < b.distance; });
  for (const Wanted& next : wanted) {
    std::uint32_t nearest = 0;
    for (std::uint32_t i = 1; i < tree.size(); ++i) {
      if (tree.depth(i) <= tree.depth(nearest)) continue;
      if (tree.depth(i) + GridTree::distance(tree.place(i), next.place) == next.distance) nearest = i;
    }
    tree.attach(nearest, next.place);
  }
  return {tree.worm(request.destinations, replication_of(context))};
}

}  // namespace

extern const Planner entry;

namespace {
void legs(const PlanningContext& context, LegSink& sink) { legs_of_grid_trees(entry, context, sink); }
}  // namespace

const Planner entry = {
    .name = "shortest-path-tree",
    .summary = "one tree worm of shortest paths, each destination joined where least is added",
    .topologies = "mesh, torus, hypercube",
    .cost = "O(k * tree * dimensions)",
    .cite = "Takahashi, Matsuyama 1980, held to shortest paths",
    .needs = "copy to several ports; branches in the header or in tables",
    .parameters = parameters,
    .routings = {"dimension-order"},
    .worms = {.from_source = true, .different_ports = true},
    .unsupported = no_grid_tree,
    .plan = plan,
    .legs = legs,
    .header = HeaderEncoding::bit_string,
};

}  // namespace wormcast::planner_shortest_path_tree

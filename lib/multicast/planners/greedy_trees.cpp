// Greedy trees on grids and hypercubes, each as one tree worm: shortest-path-tree and steiner-tree.
//
// shortest-path-tree: destinations join in order of distance from the source, ties by node. Among the nodes
// of the tree that lie on a shortest way from the source to it, a destination takes the nearest (ties: the
// one that joined first) and is joined to it by the dimension-order route. A node in between that belonged to
// the tree would have been nearer, so paths never meet, and every path from the source is a shortest one:
// the least longest path there is, with traffic between the dimension-order tree's and a Steiner tree's.
// The turns depend on the destinations, all eight of them on a mesh: routers need the tree in the header
// or in a table, and such trees can deadlock in any way of copying unless a buffer holds the worm.
// On a torus every ring is cut opposite the source.
//
// steiner-tree: whichever destination is nearest to the tree joins it next. A reference for traffic, not a
// scheme to build: its paths turn anywhere and are longer than shortest ones, every router would need its
// branches from a table or the header, and no order of channels makes such trees safe. At most twice the
// channels of the best tree (2 − 2/(k + 1)). Of the pairs of a tree node and a destination at the least
// distance, the destination with the lowest number is taken and the node that joined first; the
// dimension-order route joins them, and meets the tree at its ends alone.
// Cost: O(k · nodes of the tree · dimensions). cite: Takahashi, Matsuyama 1980 (joining by shortest paths;
// for shortest-path-tree held to shortest paths from the source).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "multicast/around_faults.hpp"
#include "multicast/building_blocks/grid_tree.hpp"

namespace wormcast {
namespace {

constexpr std::array greedy_parameters = {tree_replication};

/// A destination outside the tree and its nearest node in it.
struct Outside {
  std::vector<std::uint32_t> place;
  std::uint32_t distance;
  std::uint32_t nearest = 0;
};

/// All of them, while the tree is the source alone.
std::vector<Outside> all_outside(const GridTree& tree, const Request& request) {
  std::vector<Outside> outside;
  for (const HostId host : request.destinations) {
    outside.push_back({tree.place_of(host), 0});
    outside.back().distance = GridTree::distance(tree.place(0), outside.back().place);
  }
  return outside;
}

std::vector<Worm> join_by_shortest_paths(const PlanningContext& context, const Request& request) {
  GridTree tree(context.topology, request.source, context.routing.last_dimension_first(),
                router_grid(context));
  std::vector<Outside> wanted = all_outside(tree, request);
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const Outside& a, const Outside& b) { return a.distance < b.distance; });
  for (const Outside& next : wanted) {
    std::uint32_t nearest = 0;
    for (std::uint32_t i = 1; i < tree.size(); ++i) {
      if (tree.depth(i) <= tree.depth(nearest)) continue;
      if (tree.depth(i) + GridTree::distance(tree.place(i), next.place) == next.distance) nearest = i;
    }
    tree.attach(nearest, next.place);
  }
  return {tree.worm(request.destinations, replication_of(context))};
}

std::vector<Worm> join_the_nearest(const PlanningContext& context, const Request& request) {
  GridTree tree(context.topology, request.source, false, router_grid(context));
  std::vector<Outside> outside = all_outside(tree, request);
  while (!outside.empty()) {
    auto next = outside.begin();
    for (auto other = next; other != outside.end(); ++other)
      if (other->distance < next->distance) next = other;
    const Outside joining = std::move(*next);
    outside.erase(next);
    const std::uint32_t first = tree.size();
    tree.attach(joining.nearest, joining.place);
    for (Outside& other : outside)
      for (std::uint32_t i = first; i < tree.size(); ++i) {
        const std::uint32_t distance = GridTree::distance(tree.place(i), other.place);
        const bool nearer = distance < other.distance;
        if (!nearer && (distance > other.distance || tree.depth(i) >= tree.depth(other.nearest))) continue;
        other.distance = distance;
        other.nearest = i;
      }
    // A destination on the new path belongs to the tree already.
    std::erase_if(outside, [](const Outside& other) { return other.distance == 0; });
  }
  return {tree.worm(request.destinations, replication_of(context))};
}

/// Where channels run one way virtual channels depend on all of the way behind.
void legs_of_shortest_path_trees(const PlanningContext& context, LegSink& sink) {
  context.topology.one_way_grid() ? legs_of_any_worms(context, sink) : legs_of_grid_trees(context, sink);
}

}  // namespace

extern const Planner planner_shortest_path_tree = {
    .name = "shortest-path-tree",
    .summary = "one tree worm of shortest paths, each destination joined where least is added",
    .topologies = "mesh, tori, hypercube, cmesh",
    .cost = "O(k * tree * dimensions)",
    .cite = "Takahashi, Matsuyama 1980, held to shortest paths",
    .needs = "copy to several ports; branches in the header or in tables",
    .parameters = greedy_parameters,
    .routings = {"dimension-order", "one-way", "two-rounds"},
    .worms = {.from_source = true, .different_ports = true},
    .unsupported =
        [](const Topology& t) {
          return concentrated_mesh(t) || t.one_way_grid() ? std::nullopt : no_grid_tree(t);
        },
    .plan = join_by_shortest_paths,
    .legs = legs_of_shortest_path_trees,
    .prepare = prepare_tiles,
    .header = HeaderEncoding::bit_string,
};

extern const Planner planner_steiner_tree = {
    .name = "steiner-tree",
    .summary = "greedy Steiner tree as one tree worm: a reference for traffic, not deployable",
    .topologies = "mesh, hypercube, cmesh",
    .cost = "O(k * tree * dimensions)",
    .cite = "Takahashi, Matsuyama 1980",
    .needs = "copy to several ports; branches in the header or in tables; any turn",
    .parameters = greedy_parameters,
    .routings = {"dimension-order", "two-rounds"},
    .worms = {.from_source = true, .different_ports = true},
    .unsupported =
        [](const Topology& t) {
          return needs(t.any_line_grid() || t.bit_addresses() || concentrated_mesh(t),
                       "a mesh, a hypercube or a cmesh");
        },
    .plan = join_the_nearest,
    .legs = legs_of_grid_trees,
    .prepare = prepare_tiles,
    .header = HeaderEncoding::bit_string,
};

}  // namespace wormcast

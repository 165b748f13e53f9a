// The greedy Steiner tree: whichever destination is nearest to the tree joins it next.
//
// A reference for traffic, not a scheme to build: its paths turn anywhere and are longer than shortest
// ones, every router would need its branches from a table or the header, and no order of channels
// makes such trees safe. At most twice the channels of the best tree (2 − 2/(k + 1)). Of the pairs of a
// tree node and a destination at the least distance, the destination with the lowest number is taken and
// the node that joined first; the dimension-order route joins them, and meets the tree at its ends alone.
// Cost: O(k · nodes of the tree · dimensions). cite: Takahashi, Matsuyama 1980.
// SPDX-License-Identifier: MIT
#include <array>

#include "multicast/building_blocks/grid_tree.hpp"

namespace wormcast::planner_steiner_tree {
namespace {

constexpr std::array parameters = {tree_replication};

/// A destination outside the tree and its nearest node in it.
struct Outside {
  std::vector<std::uint32_t> place;
  std::uint32_t distance;
  std::uint32_t nearest = 0;
};

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  GridTree tree(context.topology, request.source);
  std::vector<Outside> outside;
  for (const HostId host : request.destinations) {
    outside.push_back({tree.place_of(host), 0});
    outside.back().distance = GridTree::distance(tree.place(0), outside.back().place);
  }
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

std::optional<std::string> unsupported(const Topology& topology) {
  if (topology.line_grid() || topology.bit_addresses()) return std::nullopt;
  return "it needs a mesh or a hypercube";
}

}  // namespace

extern const Planner entry;

namespace {
void legs(const PlanningContext& context, LegSink& sink) { legs_of_grid_trees(entry, context, sink); }
}  // namespace

const Planner entry = {
    .name = "steiner-tree",
    .summary = "greedy Steiner tree as one tree worm: a reference for traffic, not deployable",
    .topologies = "mesh, hypercube",
    .cost = "O(k * tree * dimensions)",
    .cite = "Takahashi, Matsuyama 1980",
    .needs = "copy to several ports; branches in the header or in tables; any turn",
    .parameters = parameters,
    .routings = {"dimension-order"},
    .worms = {.from_source = true, .different_ports = true},
    .unsupported = unsupported,
    .plan = plan,
    .legs = legs,
    .header = HeaderEncoding::bit_string,
};

}  // namespace wormcast::planner_steiner_tree

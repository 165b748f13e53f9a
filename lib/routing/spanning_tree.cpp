// Routes on the links of the up*/down* spanning tree alone: up to the common ancestor, then down.
//
// A legal up*/down* route, unique between any two routers, and seldom a shortest one. Subtrees are
// intervals of the tree's depth-first order, which is what makes U-tree free of contention.
// Cost: O(ports) a hop, nothing quadratic is stored. cite: Schroeder et al. 1990 (the tree).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <span>

#include "routing/routing_function.hpp"
#include "routing/up_down.hpp"

namespace wormcast {
namespace {

class SpanningTree final : public RoutingFunction {
 public:
  explicit SpanningTree(const Topology& network) : RoutingFunction(network), setup_(network) {}

  const UpDownSetup* up_down() const override { return &setup_; }
  bool coherent() const override { return true; }

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const bool below = setup_.in_subtree(destination, at);
    const auto leads_on = [&](const Arc& arc) {
      if (!below) return setup_.parent(at) == arc.to;
      return setup_.parent(arc.to) == at && setup_.in_subtree(destination, arc.to);
    };
    const std::span<const Arc> arcs = setup_.arcs(at);
    const auto arc = std::find_if(arcs.begin(), arcs.end(), leads_on);  // the lowest port of parallel links
    return arc == arcs.end() ? RoutingStep{} : RoutingStep{arc->channel, 0, arc->to, state};
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    NodeId ancestor = from;
    while (!setup_.in_subtree(to, ancestor)) ancestor = *setup_.parent(ancestor);
    return setup_.level(from) + setup_.level(to) - 2 * setup_.level(ancestor);
  }

 private:
  UpDownSetup setup_;
};

}  // namespace

extern const RoutingEntry routing_spanning_tree = {
    .name = "spanning-tree",
    .summary = "links of the breadth-first spanning tree only",
    .topologies = "any connected",
    .cite = "Schroeder et al. 1990",
    .unsupported = no_paths_both_ways,
    .bind = bound<SpanningTree>,
};

}  // namespace wormcast

// The report's routing function R: the neighbour of largest label that does not pass the destination.
//
// From u to v with L(u) < L(v) take the neighbour w with the largest L(w) <= L(v); downwards the
// smallest L(w) >= L(v). The neighbour on the Hamiltonian path always qualifies, so a route always
// arrives, and labels are strictly monotone, so the channel dependency graph is acyclic.
// On the two-dimensional snake R is shortest and has a closed form: go straight up or down the
// column while the row is not the destination's; enter that row only if the entry is not past the
// destination in the row's direction, else walk towards it in the row before. In other graphs R
// need not be shortest (label-shortest is).
// Cost: O(1) a hop on the two-dimensional mesh, O(ports) elsewhere.
// cite: Bouchitté, Cohen, Fleury 1997, section 2.2, after Lin, Ni 1991.
// SPDX-License-Identifier: MIT
#include <cassert>

#include "routing/label_monotone.hpp"

namespace wormcast::routing_label {
namespace {

class LabelRouting final : public LabelMonotone {
 public:
  using LabelMonotone::LabelMonotone;

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const Topology& network = topology();
    const Label from = network.label(at);
    const Label target = network.label(destination);
    RoutingStep best;
    Label best_label = from;
    PortId best_port;
    for (std::uint32_t port = 0; port < network.ports(); ++port) {
      const auto to = network.neighbour(at, PortId{port});
      if (!to) continue;
      const Label label = network.label(*to);
      if (!on_the_way(from, label, target)) continue;
      if (best_label != from && (from < target ? label <= best_label : label >= best_label)) continue;
      best_label = label;
      best_port = PortId{port};
      best.to = *to;
    }
    assert(best_label != from);
    best.channel = network.channel(at, best_port);
    best.state = state;
    return best;
  }
};

class PlaneSnakeRouting final : public LabelMonotone {
 public:
  explicit PlaneSnakeRouting(const Topology& topology)
      : LabelMonotone(topology), width_(topology.grid()->dims()[0]), ports_(topology.ports()) {}

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const std::uint32_t y = at.value / width_;
    const std::uint32_t x = at.value - y * width_;
    const std::uint32_t to_y = destination.value / width_;
    const std::uint32_t to_x = destination.value - to_y * width_;
    const bool up = to_y > y;
    bool vertical = to_y != y;
    if (vertical && (up ? to_y - y : y - to_y) == 1 && x != to_x) {
      const bool ascends_rightwards = (to_y % 2 == 0) == up;
      vertical = ascends_rightwards ? x < to_x : x > to_x;
    }
    const bool positive = vertical ? up : to_x > x;
    const std::uint32_t port = (vertical ? 2u : 0u) + (positive ? 0u : 1u);
    const std::uint32_t stride = vertical ? width_ : 1u;
    return {ChannelId{at.value * ports_ + port}, 0, NodeId{positive ? at.value + stride : at.value - stride},
            state};
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    const std::uint32_t y = from.value / width_;
    const std::uint32_t x = from.value - y * width_;
    const std::uint32_t to_y = to.value / width_;
    const std::uint32_t to_x = to.value - to_y * width_;
    return (x < to_x ? to_x - x : x - to_x) + (y < to_y ? to_y - y : y - to_y);
  }

 private:
  std::uint32_t width_;
  std::uint32_t ports_;
};

std::unique_ptr<const RoutingFunction> bind(const Topology& topology) {
  if (is_plane_snake(topology)) return std::make_unique<PlaneSnakeRouting>(topology);
  return std::make_unique<LabelRouting>(topology);
}

}  // namespace

extern const RoutingEntry entry;
const RoutingEntry entry = {
    .name = "label",
    .summary =
        "R: the neighbour of largest label that does not pass the destination (downwards the smallest)",
    .topologies = "any with Hamiltonian-path labels; shortest on 2-D meshes",
    .cite = "Bouchitte, Cohen, Fleury 1997, section 2.2",
    .unsupported = unlabelled,
    .bind = bind,
};

}  // namespace wormcast::routing_label

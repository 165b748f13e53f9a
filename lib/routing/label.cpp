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
#include "routing/routing_function.hpp"

namespace wormcast {
namespace {

class LabelRouting final : public LabelMonotone {
 public:
  using LabelMonotone::LabelMonotone;

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    return to_best(at, state, destination, [](NodeId) { return 0U; });
  }
};

class PlaneSnakeRouting final : public LabelMonotone {
 public:
  explicit PlaneSnakeRouting(const Topology& topology)
      : LabelMonotone(topology), width_(topology.grid()->dims()[0]), ports_(topology.ports()) {}

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const auto [x, y] = place(at);
    const auto [to_x, to_y] = place(destination);
    const bool up = to_y > y;
    bool vertical = to_y != y;
    if (vertical && (up ? to_y - y : y - to_y) == 1 && x != to_x)
      vertical = ascends_rightwards(to_y, up) ? x < to_x : x > to_x;
    const bool positive = vertical ? up : to_x > x;
    const ChannelId channel{at.value * ports_ + (vertical ? 2u : 0u) + (positive ? 0u : 1u)};
    const std::uint32_t stride = vertical ? width_ : 1u;
    return {channel, 0, NodeId{positive ? at.value + stride : at.value - stride}, state};
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    const auto [x, y] = place(from);
    const auto [to_x, to_y] = place(to);
    return (x < to_x ? to_x - x : x - to_x) + (y < to_y ? to_y - y : y - to_y);
  }

 private:
  struct Place {
    std::uint32_t x;
    std::uint32_t y;
  };
  Place place(NodeId node) const {
    const std::uint32_t y = node.value / width_;
    return {node.value - y * width_, y};
  }
  /// How a row is walked by a worm on its way up, or down.
  static bool ascends_rightwards(std::uint32_t row, bool up) { return (row % 2 == 0) == up; }

  std::uint32_t width_;
  std::uint32_t ports_;
};

std::unique_ptr<const RoutingFunction> bind_label(const Topology& topology) {
  if (is_plane_snake(topology)) return std::make_unique<PlaneSnakeRouting>(topology);
  return std::make_unique<LabelRouting>(topology);
}

}  // namespace

extern const RoutingEntry routing_label = {
    .name = "label",
    .summary =
        "R: the neighbour of largest label that does not pass the destination (downwards the smallest)",
    .topologies = "any with Hamiltonian-path labels; shortest on 2-D meshes",
    .cite = "Bouchitte, Cohen, Fleury 1997, section 2.2",
    .unsupported = unlabelled,
    .bind = bind_label,
};

}  // namespace wormcast

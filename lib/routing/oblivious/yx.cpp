// Dimension order, the last dimension first: YX on a mesh.
//
// Free of deadlock as dimension order is, by the same argument with the dimensions in the other order. Worms
// of both orders on the same virtual channels are not: o1turn gives each its own.
// Cost: O(dimensions) a hop. cite: Dally, Seitz 1987.
// SPDX-License-Identifier: MIT
#include "routing/grid_walk.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {
namespace {

class LastDimensionFirst final : public WalkedRouting<RoutingFunction> {
 public:
  using WalkedRouting::WalkedRouting;

  bool last_dimension_first() const override { return true; }
  std::uint32_t virtual_channels() const override { return walk_.virtual_channels(); }
  bool coherent() const override { return !topology().ring_grid(); }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const GridWalk::Hop hop = walk_.hop(at, destination, {.last_first = true});
    return {hop.channel, walk_.virtual_channel(hop), hop.to, state};
  }
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override {
    return own_port_only(source, port, state, destination);
  }
};

}  // namespace

extern const RoutingEntry routing_yx = {
    .name = "yx",
    .summary = "last dimension first; tori the shorter way round, with datelines as in dimension-order",
    .topologies = GridWalk::topologies,
    .cite = "Dally, Seitz 1987",
    .unsupported = GridWalk::unsupported,
    .bind = bound<LastDimensionFirst>,
};

}  // namespace wormcast

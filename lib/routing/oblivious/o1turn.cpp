// O1TURN: a worm goes in dimension order, the first or the last dimension first, by chance.
//
// The class of a worm says which: 0 first, 1 last. Each order has virtual channels of its own, so worms of
// one never wait for those of the other, and each order is free of deadlock by itself. On meshes of two
// dimensions it is within a constant of the best worst-case throughput of minimal routing. Where a topology
// has a single virtual channel all share it, and XY and YX worms together make every turn: that can deadlock.
// Cost: O(dimensions) a hop. cite: Seo, Ali, Lim, Rafique, Thottethodi 2005.
// SPDX-License-Identifier: MIT
#include "routing/grid_walk.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {
namespace {

class O1Turn final : public WalkedRouting<DrawnRouting> {
 public:
  using WalkedRouting::WalkedRouting;

  std::uint32_t virtual_channels() const override { return one_channel_ ? 1 : 2 * walk_.virtual_channels(); }
  std::uint32_t classes() const override { return 2; }
  std::uint32_t choices(NodeId, NodeId) const override { return 2; }
  std::uint32_t choice(NodeId, NodeId, std::uint32_t index) const override { return index; }
  RoutingState first(NodeId, NodeId, std::uint32_t vc_class) const override {
    check_class(vc_class);
    return {vc_class};
  }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const bool last_first = state.bits != 0;
    const GridWalk::Hop hop = walk_.hop(at, destination, {.last_first = last_first});
    const std::uint32_t own = (last_first ? walk_.virtual_channels() : 0) + walk_.virtual_channel(hop);
    return {hop.channel, one_channel_ ? 0 : own, hop.to, state};
  }
};

}  // namespace

extern const RoutingEntry routing_o1turn = {
    .name = "o1turn",
    .summary =
        "first or last dimension first (XY or YX), drawn for each worm; virtual channels for each, or one "
        "for both where the topology has one",
    .topologies = GridWalk::topologies,
    .cite = "Seo, Ali, Lim, Rafique, Thottethodi 2005",
    .unsupported = GridWalk::unsupported,
    .bind = bound<O1Turn>,
    .draws = true,
};

}  // namespace wormcast

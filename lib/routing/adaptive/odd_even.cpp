// Odd-even turn model on 2-D meshes: minimal, adaptive, and as adaptive in every direction.
//
// Where a turn may be made depends on the column. In even columns no worm turns from east to north or
// south; in odd columns none turns from north or south to west. Hence no column can hold the rightmost part
// of a dependency cycle, where a worm goes up or down between a turn from east and a turn to
// west, and without it there is no cycle.
// A minimal worm keeps to this so (Chiu's ROUTE). Eastbound: it may go north or south in odd columns, and in
// the column of its source, where it has not come from the west; it may go east unless the next column is the
// destination's, even, and rows are still missing, which it could not turn to there. Westbound: it may go
// north or south in even columns, as it could not turn west in an odd one again, and west always. In the
// destination's column it goes straight. One hop is always left: where east is shut, the column is odd.
// The state says whether the last hop went east: in even columns that is what tells the source's column from
// the others. The proof is for worms with one destination.
// Cost: O(1) a hop, one bit of state. cite: Chiu 2000 (The odd-even turn model for adaptive routing).
// SPDX-License-Identifier: MIT
#include "routing/adaptive/adaptive_routing.hpp"

namespace wormcast {
namespace {

class OddEven final : public MinimalRouting {
 public:
  using MinimalRouting::MinimalRouting;

  void candidates(NodeId at, RoutingState state, NodeId destination,
                  std::vector<RoutingCandidate>& candidates) const override {
    const std::uint32_t width = topology().grid()->dims()[0];
    const std::uint32_t column = at.value % width;
    const std::uint32_t target = destination.value % width;
    const bool rows_missing = at.value / width != destination.value / width;
    candidates.clear();
    each_minimal(at, destination, [&](PortId port, ChannelId channel, NodeId to) {
      const bool along_row = port.value < 2;
      if (along_row ? !may_stay_in_row(column, target, rows_missing) : !may_leave_row(column, target, state))
        return;
      candidates.push_back(
          {channel, 0, channel_vcs(channel), to, RoutingState{port == east ? came_east : 0}, 0});
    });
  }

 private:
  static constexpr PortId east{0};
  static constexpr std::uint32_t came_east = 1;  // RoutingState: the last hop went east

  static bool may_stay_in_row(std::uint32_t column, std::uint32_t target, bool rows_missing) {
    return !rows_missing || target < column || target - column != 1 || target % 2 == 1;
  }
  static bool may_leave_row(std::uint32_t column, std::uint32_t target, RoutingState state) {
    if (target == column) return true;
    if (target < column) return column % 2 == 0;
    return column % 2 == 1 || state.bits != came_east;
  }
};

}  // namespace

extern const RoutingEntry routing_odd_even = {
    .name = "odd-even",
    .summary = "adaptive: minimal hops by the odd-even turn model, which shuts turns column by column",
    .topologies = "mesh of at most two dimensions",
    .cite = "Chiu 2000",
    .unsupported = no_plane,
    .bind = bound<OddEven>,
    .adaptive = true,
};

}  // namespace wormcast

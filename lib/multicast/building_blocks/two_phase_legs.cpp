// Arms of two-phase planners as legs.
//
// Full reception between the phases makes every worm of a two-phase plan an arm: it starts at a node
// with the whole message and runs along one ring in one direction. So whatever the destinations are,
// all worms of a kind from one node are parts of the longest one, and 2^N destination sets come to a
// few arms for each node. Where main worms branch instead, the trees are parts of two or four for each
// node, and have the turns from rows into columns.
// Cost: O(nodes · (columns + rows)) channels. cite: derived here.
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/two_phase.hpp"

#include <numeric>
#include <utility>

namespace wormcast {

void arm_leg(const PlanningContext& context, NodeId node, const ArmKind& kind, LegSink& sink) {
  if (kind.reach == 0) return;
  const PortId port{2 * kind.dimension + (kind.positive ? 0u : 1u)};
  Worm worm;
  worm.source = HostId{node.value};
  worm.first_port = port;
  worm.vc_class = static_cast<std::uint32_t>(kind.vc_class);
  NodeId at = node;
  for (std::uint32_t distance = 0; distance < kind.reach; ++distance) {
    at = *context.topology.neighbour(at, port);
    worm.stops.push_back({at.value, static_cast<std::int32_t>(distance) - 1, StopAction::deliver});
  }
  sink.part_of(worm);
}

void main_path_legs(const PlanningContext& context, NodeId node, RingClass vc_class, LegSink& sink) {
  const std::uint32_t n = context.topology.grid()->dims()[0];
  const bool literal = context.option("literal") == "yes";
  if (n < 2) return;
  // A tie goes right: the way left is shorter only where the node before the source needs no visit.
  arm_leg(context, node, {0, true, n - 1, vc_class}, sink);
  arm_leg(context, node, {0, false, literal ? n - 1 : n - 2, vc_class}, sink);
}

std::vector<std::uint32_t> distances_up_to(std::uint32_t reach) {
  std::vector<std::uint32_t> distances(reach);
  std::iota(distances.begin(), distances.end(), 1U);
  return distances;
}

void add_cross(TwoPhase& phases, CrossArm arm) {
  if (!arm.deliveries.empty()) phases.crosses.push_back(std::move(arm));
}

void source_column_leg(const PlanningContext& context, NodeId node, LegSink& sink) {
  if (context.option("source-column") != "relayed") return;
  Worm worm;
  worm.source = HostId{node.value};
  worm.stops.push_back({node.value, -1, StopAction::relay});
  sink.part_of(worm);
}

}  // namespace wormcast

// What two-phase planners can produce, as arms along rings: enough for proofs about all multicasts.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "multicast/building_blocks/two_phase.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "routing/torus_routing.hpp"
#include "topology/ids.hpp"

namespace wormcast {

/// Worms of one kind along the ring of `dimension`: they stop at any nodes up to `reach` hops away.
struct ArmKind {
  std::uint32_t dimension = 0;
  bool positive = true;
  std::uint32_t reach = 0;  ///< 0: no worm
  RingClass vc_class = RingClass::dateline;
};

/// The longest worm of that kind from `node`, of which plans take any part.
void arm_leg(const PlanningContext& context, NodeId node, const ArmKind& kind, LegSink& sink);

/// Both main paths of T2W and BTL from `node`: the shorter way round to the last column with destinations,
/// which may be the last node but one of the ring (+) or one less (−); literal: the longer.
void main_path_legs(const PlanningContext& context, NodeId node, RingClass vc_class, LegSink& sink);

/// 1, 2, …, `reach`: the deliveries of a whole arm.
std::vector<std::uint32_t> distances_up_to(std::uint32_t reach);
/// Adds an arm unless it goes nowhere.
void add_cross(TwoPhase& phases, CrossArm arm);

/// The relay at the source itself, where the option source-column asks for it.
void source_column_leg(const PlanningContext& context, NodeId node, LegSink& sink);

}  // namespace wormcast

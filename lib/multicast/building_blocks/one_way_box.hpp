// Boxes of nodes on tori whose channels run one way, and the trees that serve them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "multicast/legs.hpp"
#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "multicast/ring_box.hpp"

namespace wormcast {

/// One tree for the box: along the major dimension to the box's first coordinate in it, unless the source is
/// within, then along the other one to the last that is wanted, and at each that is wanted along the major
/// dimension again. It is consumed at `destinations` (sorted).
Worm one_way_box_tree(const PlanningContext& context, HostId source, const RingBox& box, std::uint32_t major,
                      std::span<const HostId> destinations);
/// A path for each row of the box: to its first node that is wanted, and on along it.
std::vector<Worm> one_way_box_rows(const PlanningContext& context, HostId source, const RingBox& box);

/// Every tree of one_way_box_tree is a part of one of these: from each source a broadcast to all columns, and
/// for each column but its own one to the nodes from there on.
void legs_of_one_way_box_trees(const PlanningContext& context, std::uint32_t major, LegSink& sink);
/// Likewise: from each source to each row, from each of its columns on.
void legs_of_one_way_box_rows(const PlanningContext& context, LegSink& sink);

}  // namespace wormcast

// T2W, our reconstruction: a horizontal main path, then one side of it, upwards through the wrap.
//
// Only T2W's description in the BTL paper was at hand: the same main path as BTL, then "vertical
// paths that branch from one side of the main path", which its Figure 2 draws upwards. So each
// column takes one worm in + direction, up to m − 1 hops long. Nothing is said about virtual
// channels; `printed`, as `single`, puts every worm on VC0, and then the rings of rows and columns both
// close. `dateline` on both is free of dependency cycles. The main path is BTL's, `literal` included.
// Cost: O(k log k). cite: Darwish, Radwan, Abd El-Baky, Hamed 2010 (T2W), from its description in
// Hamed, El-Sayed (BTL), section 2.
// SPDX-License-Identifier: MIT
#include <array>

#include "multicast/building_blocks/two_phase.hpp"
#include "multicast/planner.hpp"

namespace wormcast::planner_t2w {
namespace {

constexpr std::array<PlannerParameter, 4> parameters = {{
    vc_rule_parameter,
    source_column_parameter,
    {"literal", {"no", "yes"}, "yes: the longer main path, as printed; the rest cannot be run as printed"},
    relay_parameter,
}};

RingClass ring_class(const PlanningContext& context) {
  return context.option("vc-rule") == "dateline" ? RingClass::dateline : RingClass::first;
}

std::shared_ptr<const PlannerData> prepare(const PlanningContext& context) {
  return require_channels(context, {ring_class(context)});
}

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  const Grid& grid = *context.topology.grid();
  const TorusView view = torus_view(grid, request, 0);
  const MainPath path = main_path(view, context.option("literal") == "yes");
  const RingClass vc_class = ring_class(context);
  TwoPhase phases;
  phases.mains.push_back({path.positive, vc_class, deliveries_on(path, view)});
  for (const TorusColumn& column : view.columns)
    if (!column.crosses.empty())
      phases.crosses.push_back({0, distance_on(path, view, column), true, vc_class, column.crosses});
  return two_phase_worms(phases, context, request);
}

/// Every tree from `node` is a part of one with the whole main path, either way round, and whole columns.
void tree_legs(const PlanningContext& context, NodeId node, LegSink& sink) {
  const Grid& grid = *context.topology.grid();
  for (const bool positive : {true, false}) {
    TwoPhase phases;
    phases.mains.push_back({positive, ring_class(context), distances_up_to(grid.dims()[0] - 1)});
    for (std::uint32_t distance = 0; distance < grid.dims()[0]; ++distance)
      add_cross(phases, {0, distance, true, ring_class(context), distances_up_to(grid.dims()[1] - 1)});
    for (const Worm& worm : two_phase_trees(phases, context, HostId{node.value})) sink.part_of(worm);
  }
}

/// Any part of: main paths both ways round, and from each node its column upwards.
void legs(const PlanningContext& context, LegSink& sink) {
  const Grid& grid = *context.topology.grid();
  if (branches(context)) {
    for (std::uint32_t node = 0; node < grid.nodes(); ++node) tree_legs(context, NodeId{node}, sink);
    return;
  }
  for (std::uint32_t node = 0; node < grid.nodes(); ++node) {
    main_path_legs(context, NodeId{node}, ring_class(context), sink);
    arm_leg(context, NodeId{node}, {1, true, grid.dims()[1] - 1, ring_class(context)}, sink);
    source_column_leg(context, NodeId{node}, sink);
  }
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "t2w",
    .summary = "two phases: a main path along the row, then up the columns (our reconstruction)",
    .topologies = "2-D torus",
    .cost = "O(k log k)",
    .cite = "Darwish, Radwan, Abd El-Baky, Hamed 2010; our reconstruction from its description in BTL",
    .needs = "copy to the processor on the way; software at relays",
    .parameters = parameters,
    .routings = {"torus-ring"},
    .unsupported = no_plane_torus,
    .plan = plan,
    .legs = legs,
    .prepare = prepare,
};

}  // namespace wormcast::planner_t2w

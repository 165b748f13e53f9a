// XY paths: the two worms of dual-path joined by dimension-order routing. They can deadlock.
//
// The report's example of why path worms need another routing function: at an intermediate
// destination a worm turns from a later dimension back to an earlier one, and these turns close
// dependency cycles among concurrent multicasts. Kept as the counterexample for check-deadlock and
// the simulator.
// Cost: O(k log k). cite: Bouchitte, Cohen, Fleury 1997, section 2.2.
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"

namespace wormcast::planner_xy_path {
namespace {

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  return worms_by_halves(context.topology, request);
}

std::optional<std::string> unsupported(const Topology& topology) {
  if (topology.ring_grid()) return "its worms could come back to a channel over a wrap link";
  return no_label_paths(topology);
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "xy-path",
    .summary = "the worms of dual-path under dimension order: the deadlocking example",
    .topologies = "mesh, hypercube",
    .cost = "O(k log k)",
    .cite = "Bouchitte, Cohen, Fleury 1997, section 2.2",
    .needs = "copy to the processor on the way",
    .routings = {"dimension-order"},
    .worms = {.from_source = true, .chains = true},
    .unsupported = unsupported,
    .plan = plan,
    .legs = label_legs,
};

}  // namespace wormcast::planner_xy_path

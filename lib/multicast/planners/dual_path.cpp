// Dual-path: one worm upwards through the labels, one downwards.
//
// Each visits its destinations in label order, joined by label routing. Labels are strictly monotone
// along both, so the channel dependency graph is acyclic, across intermediate destinations too.
// Cost: O(k log k). cite: Lin, Ni 1991.
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"

namespace wormcast::planner_dual_path {
namespace {

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  return worms_by_halves(context.topology, request);
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "dual-path",
    .summary = "two worms in label order, one upwards and one downwards",
    .topologies = "any with Hamiltonian-path labels",
    .cost = "O(k log k)",
    .cite = "Lin, Ni 1991",
    .needs = "copy to the processor on the way; label routing",
    .routings = {"label", "label-shortest", "label-adaptive"},
    .worms = {.from_source = true, .chains = true, .different_ports = true},
    .unsupported = no_label_paths,
    .plan = plan,
    .legs = label_legs,
};

}  // namespace wormcast::planner_dual_path

// Fixed-path: at most two worms that follow the Hamiltonian path itself.
//
// One worm visits the destinations of larger label, the other those of smaller label, hop by hop
// along the path: |L(last) - L(source)| channels each, whatever lies between. Label-monotone, so
// deadlock-free.
// Cost: O(k log k). cite: Lin, McKinley, Ni 1994.
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"

namespace wormcast::planner_fixed_path {
namespace {

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  return worms_by_halves(context.topology, request);
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "fixed-path",
    .summary = "two worms along the Hamiltonian path itself",
    .topologies = "any with Hamiltonian-path labels",
    .cost = "O(k log k)",
    .cite = "Lin, McKinley, Ni 1994",
    .needs = "copy to the processor on the way; label routing",
    .routings = {"hamiltonian-path"},
    .worms = {.from_source = true, .chains = true, .different_ports = true},
    .unsupported = no_label_paths,
    .plan = plan,
    .legs = label_legs,
};

}  // namespace wormcast::planner_fixed_path

// Dual-path: one worm upwards through the labels, one downwards.
//
// Each visits its destinations in label order, joined by label routing. Labels are strictly monotone
// along both, so the channel dependency graph is acyclic, across intermediate destinations too.
// Cost: O(k log k). cite: Lin, Ni 1991.
// SPDX-License-Identifier: MIT
#include <array>

#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"

namespace wormcast::planner_dual_path {
namespace {

constexpr std::array<std::string_view, 3> routings = {"label", "label-shortest", "label-adaptive"};

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
    .parameters = {},
    .routings = routings,
    .unsupported = no_label_paths,
    .plan = plan,
    .legs = label_legs,
};

}  // namespace wormcast::planner_dual_path

// U-mesh: a unicast tree whose steps are free of contention under dimension-order routing.
//
// The chain is in dimension order: lexicographic with the dimension that is routed first as the
// most significant one. Two unicasts within disjoint intervals of such a chain never share a channel
// under dimension-order routing, and recursive halving uses disjoint intervals in every step. With
// the significance reversed the property is lost.
// Cost: O(k log k). cite: McKinley, Xu, Esfahanian, Ni 1994.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "multicast/building_blocks/unicast_tree.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"

namespace wormcast::planner_u_mesh {
namespace {

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  const std::vector<HostId> chain = dimension_ordered_chain(context.topology, request);
  const auto source = std::find(chain.begin(), chain.end(), request.source);
  return unicast_tree(chain, static_cast<std::size_t>(source - chain.begin()));
}

std::optional<std::string> unsupported(const Topology& topology) {
  if (topology.line_grid()) return std::nullopt;
  return "it needs a mesh";
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "u-mesh",
    .summary = "unicast tree, contention-free in every step, on the dimension-ordered chain",
    .topologies = "mesh",
    .cost = "O(k log k)",
    .cite = "McKinley, Xu, Esfahanian, Ni 1994",
    .needs = "unicast only; software at relays",
    .routings = {"dimension-order"},
    .worms = {.single_stops = true, .chains = true, .fewest_steps = true},
    .unsupported = unsupported,
    .plan = plan,
    .legs = unicast_legs,
};

}  // namespace wormcast::planner_u_mesh

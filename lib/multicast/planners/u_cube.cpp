// U-cube: a unicast tree whose steps are free of contention under e-cube routing.
//
// Addresses relative to the source (exclusive or), sorted, form a chain that the source leads; a
// subcube is an interval of it, so halving sends into disjoint subcubes.
// Cost: O(k log k). cite: McKinley, Xu, Esfahanian, Ni 1994.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "multicast/building_blocks/unicast_tree.hpp"
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"

namespace wormcast::planner_u_cube {
namespace {

std::vector<Worm> plan(const PlanningContext&, const Request& request) {
  std::vector<HostId> chain{request.source};
  chain.insert(chain.end(), request.destinations.begin(), request.destinations.end());
  const std::uint32_t source = request.source.value;
  std::sort(chain.begin(), chain.end(),
            [source](HostId a, HostId b) { return (a.value ^ source) < (b.value ^ source); });
  return unicast_tree(chain, 0);
}

std::optional<std::string> unsupported(const Topology& topology) {
  if (topology.bit_addresses()) return std::nullopt;
  return "it needs a hypercube";
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "u-cube",
    .summary = "unicast tree, contention-free in every step, on addresses relative to the source",
    .topologies = "hypercube",
    .cost = "O(k log k)",
    .cite = "McKinley, Xu, Esfahanian, Ni 1994",
    .needs = "unicast only; software at relays",
    .routings = {"dimension-order"},
    .worms = {.single_stops = true, .chains = true, .fewest_steps = true},
    .unsupported = unsupported,
    .plan = plan,
    .legs = unicast_legs,
};

}  // namespace wormcast::planner_u_cube

// One unicast to a single destination, for unicast traffic beside multicasts.
//
// Refuses sets of destinations, so that background traffic planned by it is unicast for certain.
// Cost: O(1). cite: Dally, Seitz 1987.
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "topology/error.hpp"

namespace wormcast::planner_unicast {
namespace {

std::vector<Worm> plan(const PlanningContext&, const Request& request) {
  if (request.destinations.size() != 1)
    throw InputError("destinations", "unicast takes one destination, this multicast has " +
                                         std::to_string(request.destinations.size()) +
                                         " (separate takes any number)");
  return {chain_worm(request.source, request.destinations)};
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "unicast",
    .summary = "one unicast to the single destination; refuses sets",
    .topologies = "any",
    .cost = "O(1)",
    .cite = "Dally, Seitz 1987",
    .needs = "unicast only",
    .worms = {.single_stops = true, .from_source = true, .chains = true},
    .unsupported = any_topology,
    .plan = plan,
    .legs = unicast_legs,
};

}  // namespace wormcast::planner_unicast

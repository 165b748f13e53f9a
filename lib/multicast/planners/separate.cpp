// Separate addressing: one unicast to each destination, all from the source; `unicast` for a single one.
//
// The baseline without any multicast support. Worms are in the order of destinations, which is the
// order in which a source with few injection channels starts them. `unicast`, for traffic beside multicasts,
// refuses sets of destinations, so that what it plans is unicast for certain.
// Cost: O(k). cite: Lin, Ni 1991 (multiple unicasts); Dally, Seitz 1987.
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

void unicast_to_each(const PlanningContext&, const Request& request, std::vector<Worm>& worms) {
  worms.resize(request.destinations.size());
  for (std::size_t i = 0; i < worms.size(); ++i)
    make_chain(worms[i], request.source, {&request.destinations[i], 1});
}

std::vector<Worm> unicast_to_one(const PlanningContext&, const Request& request) {
  if (request.destinations.size() != 1)
    refuse("destinations", "unicast takes one destination, this multicast has {} (separate takes any number)",
           request.destinations.size());
  return {chain_worm(request.source, request.destinations)};
}

}  // namespace

extern const Planner planner_separate = {
    .name = "separate",
    .summary = "one unicast to each destination",
    .topologies = "any",
    .cost = "O(k)",
    .cite = "Lin, Ni 1991",
    .needs = "unicast only",
    .worms = {.single_stops = true, .from_source = true, .chains = true},
    .unsupported = any_topology,
    .plan_into = unicast_to_each,
    .legs = unicast_legs,
};

extern const Planner planner_unicast = {
    .name = "unicast",
    .summary = "one unicast to the single destination; refuses sets",
    .topologies = "any",
    .cost = "O(1)",
    .cite = "Dally, Seitz 1987",
    .needs = "unicast only",
    .worms = {.single_stops = true, .from_source = true, .chains = true},
    .unsupported = any_topology,
    .plan = unicast_to_one,
    .legs = unicast_legs,
};

}  // namespace wormcast

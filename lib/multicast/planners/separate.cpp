// Separate addressing: one unicast to each destination, all from the source.
//
// The baseline without any multicast support. Worms are in the order of destinations, which is the
// order in which a source with few injection channels starts them.
// Cost: O(k). cite: Lin, Ni 1991 (multiple unicasts).
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"

namespace wormcast::planner_separate {
namespace {

void plan_into(const PlanningContext&, const Request& request, std::vector<Worm>& worms) {
  worms.resize(request.destinations.size());
  for (std::size_t i = 0; i < worms.size(); ++i)
    make_chain(worms[i], request.source, {&request.destinations[i], 1});
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "separate",
    .summary = "one unicast to each destination",
    .topologies = "any",
    .cost = "O(k)",
    .cite = "Lin, Ni 1991",
    .needs = "unicast only",
    .worms = {.single_stops = true, .from_source = true, .chains = true},
    .unsupported = any_topology,
    .plan_into = plan_into,
    .legs = unicast_legs,
};

}  // namespace wormcast::planner_separate

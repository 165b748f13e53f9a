// A binomial tree of unicasts in the order of node numbers, blind to the topology.
//
// Every informed node sends once a step, so m nodes (the source included) take ceil(log2 m) steps;
// unicasts of one step may contend for channels. The chain is the source, then the destinations by
// number; recursive halving (unicast_tree) does the rest.
// Cost: O(k). cite: McKinley, Xu, Esfahanian, Ni 1994 (the tree without their order).
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/unicast_tree.hpp"
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"

namespace wormcast::planner_binomial {
namespace {

std::vector<Worm> plan(const PlanningContext&, const Request& request) {
  std::vector<HostId> chain{request.source};
  chain.insert(chain.end(), request.destinations.begin(), request.destinations.end());
  return unicast_tree(chain, 0);
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "binomial",
    .summary = "binomial tree of unicasts in the order of node numbers",
    .topologies = "any",
    .cost = "O(k)",
    .cite = "McKinley, Xu, Esfahanian, Ni 1994",
    .needs = "unicast only; software at relays",
    .worms = {.single_stops = true, .chains = true, .fewest_steps = true},
    .unsupported = any_topology,
    .plan = plan,
    .legs = unicast_legs,
};

}  // namespace wormcast::planner_binomial

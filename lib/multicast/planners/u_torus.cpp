// U-torus: a unicast tree on tori whose steps are free of contention, by rings and datelines.
//
// The chain is in dimension order, the dimension that is routed first as the most significant one, and
// turned so that the source leads it (an R-chain); recursive halving always sends to the middle. Torus
// dimension order takes the shorter way round, and VC0 while a ring's wrap link is ahead, VC1 from
// there on: the part of a turned chain that has wrapped and the part that will wrap are then on
// different virtual channels, and unicasts of one step never share one. With one virtual channel, or
// with VC1 only after the wrap, they do.
// Cost: O(k log k). cite: Robinson, McKinley, Cheng 1995 (chain and tree; the bidirectional routing is
// this project's reading).
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "multicast/building_blocks/unicast_tree.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"

namespace wormcast::planner_u_torus {
namespace {

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  std::vector<HostId> chain = dimension_ordered_chain(context.topology, request);
  std::rotate(chain.begin(), std::find(chain.begin(), chain.end(), request.source), chain.end());
  return unicast_tree(chain, 0);
}

std::optional<std::string> unsupported(const Topology& topology) {
  if (topology.ring_grid()) return std::nullopt;
  return "it needs a torus";
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "u-torus",
    .summary =
        "unicast tree, contention-free in every step, on the dimension-ordered chain turned to the source",
    .topologies = "torus",
    .cost = "O(k log k)",
    .cite = "Robinson, McKinley, Cheng 1995",
    .needs = "unicast only; software at relays",
    .routings = {"dimension-order"},
    .worms = {.single_stops = true, .chains = true, .fewest_steps = true},
    .unsupported = unsupported,
    .plan = plan,
    .legs = unicast_legs,
};

}  // namespace wormcast::planner_u_torus

// U-tree: a unicast tree free of contention in every step, on any connected network.
//
// The hosts stand in depth-first order of the spanning tree, rotated so that the source leads, and
// unicasts take tree links only. A tree channel up from x is used by a → b iff a is below x and b is
// not. Subtrees are intervals of the (cyclic) order, so two unicasts within disjoint intervals of the
// list cannot both leave the subtree of x: a host of the one would stand between those of the other.
// The same holds for channels down. Recursive halving with the source in front uses disjoint
// intervals in every step. With shortest up*/down* routes (--routing up-down) the paths are shorter,
// and contention is rare but not excluded.
// Cost: O(k log k). cite: this project; the recursion: McKinley, Xu, Esfahanian, Ni 1994.
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/switch_groups.hpp"
#include "multicast/building_blocks/unicast_tree.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "routing/up_down.hpp"

namespace wormcast::planner_u_tree {
namespace {

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  const UpDownSetup& setup = *context.routing.up_down();
  return unicast_tree(
      rotated_chain(context.topology, request, [&](NodeId node) { return setup.preorder_position(node); }),
      0);
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "u-tree",
    .summary = "unicast tree on spanning-tree links, contention-free in every step",
    .topologies = "any connected",
    .cost = "O(k log k)",
    .cite = "this project",
    .needs = "unicast only; software at relays; routes on spanning-tree links",
    .routings = {"spanning-tree", "up-down"},
    .worms = {.single_stops = true, .chains = true, .fewest_steps = true},
    .unsupported = no_paths_both_ways,
    .plan = plan,
    .legs = unicast_legs,
};

}  // namespace wormcast::planner_u_tree

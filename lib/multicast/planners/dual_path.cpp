// Two worms in label order, one upwards through the labels and one downwards: dual-path, fixed-path, xy-path.
//
// Under label routing labels are strictly monotone along both, so the channel dependency graph is acyclic,
// across intermediate destinations too. fixed-path follows the Hamiltonian path itself, hop by hop:
// |L(last) - L(source)| channels a worm, whatever lies between. xy-path joins the same stops by dimension
// order and can deadlock, the report's example of why path worms need another routing function: at an
// intermediate destination a worm turns from a later dimension back to an earlier one, and these turns close
// dependency cycles among concurrent multicasts. Kept as the counterexample for check-deadlock and the
// simulator. Cost: O(k log k). cite: Lin, Ni 1991 (dual-path); Lin, McKinley, Ni 1994 (fixed-path);
// Bouchitte, Cohen, Fleury 1997, section 2.2 (xy-path).
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {
namespace {

/// A worm through each half, in label order, and that of the source's own router.
std::vector<Worm> two_paths(const PlanningContext& context, const Request& request) {
  const LabelHalves halves = split_by_label(context.topology, request);
  std::vector<Worm> worms;
  if (!halves.up.empty()) worms.push_back(chain_worm(request.source, halves.up));
  if (!halves.down.empty()) worms.push_back(chain_worm(request.source, halves.down));
  append_chain(worms, request.source, halves.local);
  return worms;
}

std::optional<std::string> no_lines(const Topology& topology) {
  if (topology.ring_grid()) return "its worms could come back to a channel over a wrap link";
  return unlabelled(topology);
}

}  // namespace

extern const Planner planner_dual_path = {
    .name = "dual-path",
    .summary = "two worms in label order, one upwards and one downwards",
    .topologies = "any with Hamiltonian-path labels",
    .cost = "O(k log k)",
    .cite = "Lin, Ni 1991",
    .needs = "copy to the processor on the way; label routing",
    .routings = {"label", "label-shortest", "label-adaptive"},
    .worms = {.from_source = true, .chains = true, .different_ports = true},
    .unsupported = unlabelled,
    .plan = two_paths,
    .legs = label_legs,
};

extern const Planner planner_fixed_path = {
    .name = "fixed-path",
    .summary = "two worms along the Hamiltonian path itself",
    .topologies = "any with Hamiltonian-path labels",
    .cost = "O(k log k)",
    .cite = "Lin, McKinley, Ni 1994",
    .needs = "copy to the processor on the way; label routing",
    .routings = {"hamiltonian-path"},
    .worms = {.from_source = true, .chains = true, .different_ports = true},
    .unsupported = unlabelled,
    .plan = two_paths,
    .legs = label_legs,
};

extern const Planner planner_xy_path = {
    .name = "xy-path",
    .summary = "the worms of dual-path under dimension order: the deadlocking example",
    .topologies = "mesh, hypercube",
    .cost = "O(k log k)",
    .cite = "Bouchitte, Cohen, Fleury 1997, section 2.2",
    .needs = "copy to the processor on the way",
    .routings = {"dimension-order", "two-rounds"},
    .worms = {.from_source = true, .chains = true},
    .unsupported = no_lines,
    .plan = two_paths,
    .legs = label_legs,
};

}  // namespace wormcast

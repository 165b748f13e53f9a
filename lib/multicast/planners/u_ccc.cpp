// U-CCC: a unicast tree on cube-connected cycles whose unicasts never contend for a virtual channel.
//
// The nodes in dimension order (cycle address, then position in the cycle), rotated so that the source
// leads, are halved again and again; each holder sends to the middle of its part. By Theorem 2 two
// unicasts in disjoint parts of such a chain share no virtual channel under HC routing, and with the
// tree's precedences that holds for all pairs, whatever the delays (Theorem 3): ⌈log2 m⌉ steps.
// Where the virtual channels of a link share its bandwidth, unicasts of a step may still slow one
// another down. The order `masked` looks for another chain without that
// (multicast/building_blocks/ccc_order.hpp) and falls back to the paper's; the plan states the links shared
// within a step. Cost: O(k log k); masked O(2^N · k · path). cite: Song, Hou, Shi 1999.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "multicast/building_blocks/ccc_order.hpp"
#include "multicast/building_blocks/unicast_tree.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "multicast/schedule.hpp"

namespace wormcast::planner_u_ccc {
namespace {

constexpr std::array<PlannerParameter, 1> parameters = {
    {{"order", {"paper", "masked"}, "dimension order, or one that shares no link within a step"}}};

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  const std::vector<HostId> chain = context.option("order") == "masked"
                                        ? clean_ccc_order(context.routing, request).chain
                                        : ccc_chain(context.topology, request, 0);
  return unicast_tree(chain, 0);
}

/// Links that two or more unicasts of one nominal step use, summed over the steps.
PlanFacts facts(const PlanningContext& context, const std::vector<Worm>& worms) {
  const std::vector<Send> sends = schedule(worms);
  std::vector<std::pair<std::uint32_t, ChannelId>> used;
  for (std::size_t i = 0; i < worms.size(); ++i) {
    const NodeId to{worms[i].stops.front().node};
    RoutingState state;
    for (NodeId at{worms[i].source.value}; at != to;) {
      const RoutingStep step = context.routing.next(at, state, to);
      used.emplace_back(sends[i].step, step.channel);
      at = step.to;
      state = step.state;
    }
  }
  std::sort(used.begin(), used.end());
  std::uint64_t shared = 0;
  for (auto run = used.begin(); run != used.end();) {
    const auto end = std::upper_bound(run, used.end(), *run);
    shared += end - run > 1 ? 1 : 0;
    run = end;
  }
  return {{"same_step_shared_links", shared}};
}

std::optional<std::string> unsupported(const Topology& topology) {
  if (topology.cycle_nodes() > 0) return std::nullopt;
  return "it needs cube-connected cycles";
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "u-ccc",
    .summary = "unicast tree, contention-free under any delay on two virtual channels a link",
    .topologies = "ccc",
    .cost = "O(k log k); masked O(2^N k)",
    .cite = "Song, Hou, Shi 1999",
    .needs = "unicast only; software at relays",
    .parameters = parameters,
    .routings = {"hc"},
    .worms = {.single_stops = true, .chains = true, .fewest_steps = true},
    .unsupported = unsupported,
    .plan = plan,
    .legs = unicast_legs,
    .facts = facts,
};

}  // namespace wormcast::planner_u_ccc

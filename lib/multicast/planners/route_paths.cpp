// Route-paths: path worms along routes, each for destinations on the way to its last one.
//
// On any network: by dimension order where there is one, a worm to each end of the tree of routes. It takes
// the channels of a unicast to its last destination, so among network channels it waits for nothing that
// unicasts do not, and a consumption channel of its input is asked for by what holds that input alone.
// Elsewhere, also where links run one way, by negative hops to the first stop, and from there on only to
// higher routers, on a virtual channel of its own (`negative-hop-path`). Free of deadlock for any lengths and
// buffers, with one consumption channel a host: first all channels up to a first stop, as of unicasts (by
// virtual channel, then router); then by the number of the router the channels of the last virtual channel
// into it, its consumption channels, and the channels of the last virtual channel out of it, which lead to
// higher ones. A worm takes them in that order. Destinations that share a router take a worm each: a worm
// that is copied to both would hold one while it waits for the other. Cost: O(sum of hops). cite: Panda,
// Singal, Kesavan 1999 (BRCP: paths that conform to the base routing); Boppana, Chalasani 1993 (negative
// hops); this project.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "multicast/building_blocks/route_tree.hpp"
#include "multicast/building_blocks/switch_groups.hpp"
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "topology/connectivity.hpp"

namespace wormcast::planner_route_paths {
namespace {

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  const NodeId home = context.topology.router_of(request.source);
  std::vector<Worm> worms;
  std::vector<SwitchGroup> groups = group_by_switch(context.topology, request);
  for (std::size_t round = 0; !groups.empty(); ++round) {
    RouteTree tree(context.routing, request.source, class_of_stops(context));
    for (const SwitchGroup& group : groups) {
      if (group.node == home)
        worms.push_back(chain_worm(request.source, {&group.hosts[round], 1}));
      else
        tree.add(group.hosts[round]);
    }
    for (Worm& worm : tree.paths(false)) worms.push_back(std::move(worm));
    std::erase_if(groups, [&](const SwitchGroup& group) { return group.hosts.size() == round + 1; });
  }
  return worms;
}

/// Of every source the worms to all hosts; of a router that has fewer than others its last one again.
void legs(const PlanningContext& context, LegSink& sink) {
  const HostsByRouter hosts(context.topology);
  std::size_t most = 0;
  for (std::uint32_t r = 0; r < hosts.routers(); ++r) most = std::max(most, hosts.at(NodeId{r}).size());
  for (std::uint32_t source = 0; source < context.topology.hosts(); ++source) {
    const NodeId home = context.topology.router_of(HostId{source});
    for (const HostId host : hosts.at(home))
      if (host.value != source) sink.part_of(chain_worm(HostId{source}, {&host, 1}));
    for (std::size_t round = 0; round < most; ++round) {
      RouteTree tree(context.routing, HostId{source}, class_of_stops(context));
      for (std::uint32_t r = 0; r < hosts.routers(); ++r) {
        const auto here = hosts.at(NodeId{r});
        if (r != home.value && !here.empty()) tree.add(here[std::min(round, here.size() - 1)]);
      }
      for (const Worm& worm : tree.paths(true)) sink.part_of(worm);
    }
  }
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "route-paths",
    .summary = "paths along routes, each for destinations on the way to its last one",
    .topologies = "any connected",
    .cost = "O(k * hops)",
    .cite = "Panda, Singal, Kesavan 1999; this project",
    .needs = "copy to the processor on the way",
    .routings = {"dimension-order", "one-way", "negative-hop-path"},
    .worms = {.from_source = true, .chains = true},
    .unsupported = any_topology,
    .plan = plan,
    .legs = legs,
};

}  // namespace wormcast::planner_route_paths

// Multi-path: up to one worm for each port of the source, the destinations split by side.
//
// On the two-dimensional mesh with snake labels, each half has at most two neighbours v1, v2 of the
// source, one in its row and one in its column, whose columns differ by one: the destinations are
// divided by column between them, and each worm is sent to its neighbour first, then routed in label
// order. The forced hop never passes a destination of its side. On other labelled networks the
// neighbours of a half, by label, divide the labels: each destination goes to the neighbour of
// largest label that does not pass it, which is the one R picks. Of parallel links one is used.
// Labels are monotone along every worm, so it is deadlock-free.
// Cost: O(k log k). cite: Lin, McKinley, Ni 1994 (mesh); Lin, Ni 1991 (hypercube).
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {
namespace {

/// Which port serves a destination, by column; `ports` are in label order outwards.
std::size_t by_column(const Topology& topology, const std::vector<StarPort>& ports, HostId destination) {
  if (ports.size() == 1) return 0;
  const Grid& grid = *topology.grid();
  const std::size_t left =
      grid.coordinate(ports[0].neighbour, 0) < grid.coordinate(ports[1].neighbour, 0) ? 0 : 1;
  const bool goes_left =
      grid.coordinate(NodeId{destination.value}, 0) <= grid.coordinate(ports[left].neighbour, 0);
  return goes_left ? left : 1 - left;
}

/// The last neighbour, outwards, that does not pass the destination.
std::size_t by_label(const Topology& topology, const std::vector<StarPort>& ports, HostId destination) {
  const NodeId node = topology.router_of(destination);
  std::size_t chosen = 0;
  for (std::size_t i = 1; i < ports.size(); ++i)
    if (ports[i].neighbour == node || on_the_way(ports.front().label, ports[i].label, topology.label(node)))
      chosen = i;
  return chosen;
}

void plan_half(const PlanningContext& context, HostId source, const std::vector<HostId>& half, bool up,
               std::vector<Worm>& worms) {
  if (half.empty()) return;
  const Topology& topology = context.topology;
  std::vector<StarPort> ports = star_ports(topology, source, up);
  const auto same = [](const StarPort& a, const StarPort& b) { return a.neighbour == b.neighbour; };
  ports.erase(std::unique(ports.begin(), ports.end(), same), ports.end());
  const bool plane = is_plane_snake(topology) && topology.grid()->dimensions() == 2;
  std::vector<std::vector<HostId>> sides(ports.size());
  for (const HostId destination : half) {
    const std::size_t side =
        plane ? by_column(topology, ports, destination) : by_label(topology, ports, destination);
    sides[side].push_back(destination);
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (sides[i].empty()) continue;
    worms.push_back(chain_worm(source, sides[i]));
    leave_by(worms.back(), ports[i].port, context.routing);
  }
}

std::vector<Worm> plan_multi_path(const PlanningContext& context, const Request& request) {
  const LabelHalves halves = split_by_label(context.topology, request);
  std::vector<Worm> worms;
  plan_half(context, request.source, halves.up, true, worms);
  plan_half(context, request.source, halves.down, false, worms);
  append_chain(worms, request.source, halves.local);
  return worms;
}

}  // namespace

extern const Planner planner_multi_path = {
    .name = "multi-path",
    .summary = "a worm for each port: split by column on 2-D meshes, by the neighbours' labels elsewhere",
    .topologies = "any with Hamiltonian-path labels",
    .cost = "O(k log k)",
    .cite = "Lin, McKinley, Ni 1994; Lin, Ni 1991",
    .needs = "copy to the processor on the way; label routing",
    .routings = {"label", "label-shortest", "label-adaptive"},
    .worms = {.from_source = true, .chains = true, .different_ports = true},
    .unsupported = unlabelled,
    .plan = plan_multi_path,
    .legs = label_legs_by_any_port,
};

}  // namespace wormcast

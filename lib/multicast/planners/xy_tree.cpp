// The union of the routes to all destinations, as one worm (route_tree.hpp).
//
// The worm splits where routes part, at explicit branch stops, and copies at destinations on the way.
// `xy-tree` is that of dimension order, in two dimensions the XY tree; on tori its class crosses datelines
// (torus_routing.hpp). `mask-trees` sends as few such worms as a header of a destination and a mask can name
// (mask_cover.hpp). `route-tree` is the same on grids, and takes shortest routes by negative hops, or the
// links of a spanning tree, on graphs. Where a copy holds one output while it waits for another such trees can
// block each other for ever: that is what check-deadlock shows. Copied asynchronously in buffers that hold a
// whole worm, each branch waits for its next channel alone, as a unicast does, so they are as free of deadlock
// as the unicasts of the routing function: by negative hops the virtual channel and then the router's number
// rise along every branch. Cost: O(sum of hops). cite: Lin, Ni 1991 (tree-based multicast); Boppana, Chalasani
// 1993 (negative hops); pulp-platform FlooNoC.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "multicast/building_blocks/grid_tree.hpp"
#include "multicast/building_blocks/mask_cover.hpp"
#include "multicast/building_blocks/route_tree.hpp"
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "topology/connectivity.hpp"
#include "topology/mask_address.hpp"

namespace wormcast::planner_xy_tree {
namespace {

constexpr std::array parameters = {tree_replication};

std::optional<std::string> no_dimension_order(const Topology& topology) {
  if (topology.one_way_grid()) return std::nullopt;
  return no_grid_tree(topology);
}

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  std::vector<Worm> worms(1);
  worms[0].source = request.source;
  worms[0].vc_class = class_of_stops(context);
  worms[0].replication = replication_of(context);
  RouteTree tree(context.routing, request.source, worms[0].vc_class);
  for (const HostId host : request.destinations) tree.add(host);
  worms[0].stops = tree.stops();
  return worms;
}

std::optional<std::string> no_masks(const Topology& topology) {
  if (topology.line_grid()) return std::nullopt;
  return "needs a mesh";
}

/// Of a reduction the root may be among the sources.
std::vector<Worm> plan_masks(const PlanningContext& context, const Request& request, PlanFacts& facts) {
  const Grid& grid = *context.topology.grid();
  std::vector<std::pair<std::uint64_t, HostId>> hosts;
  std::vector<std::uint64_t> addresses;
  for (const HostId host : request.destinations)
    hosts.emplace_back(mask_address(grid, NodeId{host.value}), host);
  std::sort(hosts.begin(), hosts.end());
  for (const auto& [address, host] : hosts) addresses.push_back(address);
  const MaskCover cover = mask_cover(addresses);
  std::vector<Worm> worms;
  Request part;
  part.source = request.source;
  for (const std::vector<std::uint64_t>& set : cover.sets) {
    part.destinations.clear();
    for (const std::uint64_t address : set) {
      const auto place = std::lower_bound(addresses.begin(), addresses.end(), address) - addresses.begin();
      part.destinations.push_back(hosts[static_cast<std::size_t>(place)].second);
    }
    const bool root_sends = std::erase(part.destinations, request.source) > 0;
    worms.push_back(plan(context, part).front());
    if (root_sends) worms.back().stops.push_back({request.source.value, -1, StopAction::deliver});
  }
  facts.emplace_back("worm_bound_worms", cover.at_least);
  return worms;
}

}  // namespace

extern const Planner entry;

namespace {
/// What a tree on a mesh or hypercube asks a router for: the way on, both ways of later dimensions, and its
/// host, in every combination. On tori virtual channels depend on the source, so there any tree is taken for
/// a part of its broadcast tree.
void legs(const PlanningContext& context, LegSink& sink) {
  const Topology& topology = context.topology;
  if (topology.ring_grid() || topology.one_way_grid()) return legs_of_broadcasts(entry, context, sink);
  const bool lines = topology.grid() != nullptr;
  const auto rank = [&](PortId port) {
    const std::uint32_t dimension = lines ? port.value / 2 : port.value;
    return context.routing.last_dimension_first() ? topology.ports() - dimension : dimension;
  };
  std::vector<Output> outputs;
  const auto split_all = [&] {
    for (std::size_t a = 0; a < outputs.size(); ++a)
      for (std::size_t b = a + 1; b < outputs.size(); ++b)
        sink.split(outputs[a], outputs[b], replication_of(context));
  };
  const auto take = [&](NodeId node, auto may_leave_by) {
    for (std::uint32_t p = 0; p < topology.ports(); ++p)
      if (may_leave_by(PortId{p}) && topology.neighbour(node, PortId{p}))
        outputs.push_back(Output::through(topology.channel(node, PortId{p}), 0));
  };
  for (std::uint32_t from = 0; from < topology.routers(); ++from) {
    outputs.clear();
    take(NodeId{from}, [](PortId) { return true; });
    for (const Output& first : outputs) sink.start(HostId{from}, first);
    split_all();
    for (std::uint32_t p = 0; p < topology.ports(); ++p) {
      const PortId port{p};
      const auto at = topology.neighbour(NodeId{from}, port);
      if (!at) continue;
      const ChannelId input = topology.channel(NodeId{from}, port);
      outputs.assign(1, Output::into(HostId{at->value}, input, 0));
      take(*at, [&](PortId next) { return (lines && next == port) || rank(next) > rank(port); });
      for (const Output& next : outputs) sink.turn(Output::through(input, 0), next);
      split_all();
    }
  }
}
}  // namespace

const Planner entry = {
    .name = "xy-tree",
    .summary = "one tree worm: the union of the dimension-order routes",
    .topologies = "mesh, tori, hypercube",
    .cost = "O(k * hops)",
    .cite = "Lin, Ni 1991",
    .needs = "copy to several ports",
    .parameters = parameters,
    .routings = {"dimension-order", "one-way", "one-way-swapped", "yx"},
    .worms = {.from_source = true, .different_ports = true},
    .unsupported = no_dimension_order,
    .plan = plan,
    .legs = legs,
    .header = HeaderEncoding::bit_string,
};

}  // namespace wormcast::planner_xy_tree

namespace wormcast::planner_mask_trees {

extern const Planner entry;
const Planner entry = {
    .name = "mask-trees",
    .summary = "dimension-order trees, as few as headers of a destination and a mask name",
    .topologies = "mesh",
    .cost = "O(k log k * bits^2); up to 64 destinations a search of up to 16,384 branches",
    .cite = "pulp-platform FlooNoC; this project",
    .needs = "copy to several ports",
    .parameters = planner_xy_tree::parameters,
    .routings = {"dimension-order", "yx"},
    .worms = {.from_source = true},
    .unsupported = planner_xy_tree::no_masks,
    .legs = planner_xy_tree::legs,
    .header = HeaderEncoding::mask,
    .plan_stating = planner_xy_tree::plan_masks,
    .takes_part_of_root = true,
};

}  // namespace wormcast::planner_mask_trees

namespace wormcast::planner_route_tree {

extern const Planner entry;

namespace {
constexpr std::array<PlannerParameter, 1> parameters = {
    {{"replication", {"asynchronous", "lock-step"}, tree_replication.summary}}};

std::optional<std::string> no_tree(const Topology& topology) {
  if (topology.given_by_links()) return no_paths(topology);
  if (!planner_xy_tree::no_dimension_order(topology)) return std::nullopt;
  return "it needs a mesh, a torus, a hypercube or a graph";
}

void legs(const PlanningContext& context, LegSink& sink) { legs_of_broadcasts(entry, context, sink); }
}  // namespace

const Planner entry = {
    .name = "route-tree",
    .summary = "one tree worm: the union of the routes, on any network by dimension order or negative hops",
    .topologies = "mesh, tori, hypercube, any connected graph",
    .cost = "O(k * hops)",
    .cite = "Lin, Ni 1991; this project",
    .needs = "copy to several ports",
    .parameters = parameters,
    .routings = {"dimension-order", "one-way", "negative-hop", "spanning-tree"},
    .worms = {.from_source = true, .different_ports = true},
    .unsupported = no_tree,
    .plan = planner_xy_tree::plan,
    .legs = legs,
    .header = HeaderEncoding::bit_string,
};

}  // namespace wormcast::planner_route_tree

// The dimension-order tree: the union of the dimension-order routes to all destinations, as one worm.
//
// Routes from one source under a deterministic routing function that only looks at the remaining
// offsets form a tree. The worm splits where routes part, at explicit branch stops, and copies at
// destinations on the way. In two dimensions it is the XY tree. On a torus each ring is cut opposite
// the source and the tree is that of a mesh around it; its class crosses datelines (grid_walk.hpp). Where
// channels run one way the ring is cut before the source, and the order of dimensions is the routing's.
// `mask-trees` sends as few such worms as a header of a destination and a mask can name (mask_cover.cpp).
// Copied in lock step such trees can block each other for ever: that is what check-deadlock shows. Cost: O(k
// log k + stops · dimensions · log k). cite: Lin, Ni 1991 (tree-based multicast);
// pulp-platform FlooNoC (masks).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "multicast/building_blocks/grid_tree.hpp"
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "topology/grid_address.hpp"

namespace wormcast {
namespace {

constexpr std::array xy_tree_parameters = {tree_replication};

/// Grows the tree depth first; branches stand in port order. Destinations are sorted with the first
/// dimension as the most significant one, so every part of the tree serves an interval of them.
class TreeGrower {
 public:
  TreeGrower(const Topology& topology, const Request& request, bool last_first)
      : coordinates_(topology), as_mesh_(topology, NodeId{request.source.value}), last_first_(last_first) {
    for (const HostId host : request.destinations)
      hosts_.push_back(HostId{as_mesh_.to_mesh(NodeId{host.value}).value});
    std::sort(hosts_.begin(), hosts_.end(), [&](HostId a, HostId b) {
      for (std::uint32_t d = 0; d < coordinates_.dimensions(); ++d) {
        const std::uint32_t x = coordinate(a, d);
        const std::uint32_t y = coordinate(b, d);
        if (x != y) return x < y;
      }
      return false;
    });
  }

  std::vector<Stop> stops(NodeId source) {
    std::vector<Stop> stops;
    source = as_mesh_.to_mesh(source);
    std::vector<Part> open{{source, 0, hosts_, -1}};
    while (!open.empty()) {
      const Part part = open.back();
      open.pop_back();
      bool delivers = false;
      const std::vector<Branch> branches = split(part, delivers);
      std::int32_t last = part.parent;
      if (delivers || (branches.size() > 1 && part.node != source)) {
        stops.push_back(
            {as_mesh_.to_torus(part.node).value, last, delivers ? StopAction::deliver : StopAction::branch});
        last = static_cast<std::int32_t>(stops.size()) - 1;
      }
      for (auto branch = branches.rbegin(); branch != branches.rend(); ++branch)
        open.push_back({branch->next, branch->dimension, branch->hosts, last});
    }
    return stops;
  }

 private:
  /// The tree at and beyond `node` for `hosts`, which agree with it below `dimension`.
  struct Part {
    NodeId node;
    std::uint32_t dimension;
    std::span<const HostId> hosts;
    std::int32_t parent;  ///< last stop on the way, −1 = the source
  };
  struct Branch {
    NodeId next;  ///< where the branch first turns, splits or delivers
    std::uint32_t dimension;
    std::span<const HostId> hosts;
  };

  /// The dimension that is `d`-th in the order of the routes.
  std::uint32_t axis(std::uint32_t d) const { return last_first_ ? coordinates_.dimensions() - 1 - d : d; }
  std::uint32_t coordinate(HostId host, std::uint32_t d) const {
    return coordinates_.of(NodeId{host.value}, axis(d));
  }

  std::vector<Branch> split(const Part& part, bool& delivers) const {
    std::vector<Branch> branches;
    std::span<const HostId> rest = part.hosts;
    for (std::uint32_t d = part.dimension; d < coordinates_.dimensions() && !rest.empty(); ++d) {
      const std::uint32_t at = coordinates_.of(part.node, axis(d));
      const auto count_until = [&](auto beyond) {
        return static_cast<std::size_t>(std::partition_point(rest.begin(), rest.end(), beyond) -
                                        rest.begin());
      };
      const std::size_t less = count_until([&](HostId host) { return coordinate(host, d) < at; });
      const std::size_t not_greater = count_until([&](HostId host) { return coordinate(host, d) <= at; });
      // Unsigned wrap-around makes the step right in both directions.
      const auto branch = [&](HostId nearest, std::span<const HostId> hosts) {
        const std::uint32_t step = (coordinate(nearest, d) - at) * coordinates_.stride(axis(d));
        branches.push_back({NodeId{part.node.value + step}, d, hosts});
      };
      if (not_greater < rest.size()) branch(rest[not_greater], rest.subspan(not_greater));
      if (less > 0) branch(rest[less - 1], rest.first(less));
      rest = rest.subspan(less, not_greater - less);
    }
    delivers = !rest.empty();
    return branches;
  }

  Coordinates coordinates_;
  TorusAsMesh as_mesh_;
  bool last_first_;
  std::vector<HostId> hosts_;  ///< where as_mesh_ has moved them
};

std::optional<std::string> no_dimension_order(const Topology& topology) {
  if (topology.one_way_grid()) return std::nullopt;
  return no_grid_tree(topology);
}

std::vector<Worm> plan_xy_tree(const PlanningContext& context, const Request& request) {
  std::vector<Worm> worms{{.source = request.source,
                           .vc_class = class_of_stops(context),
                           .replication = replication_of(context)}};
  TreeGrower grower(context.topology, request, context.routing.last_dimension_first());
  worms[0].stops = grower.stops(NodeId{request.source.value});
  return worms;
}

std::optional<std::string> no_masks(const Topology& topology) {
  return needs(topology.any_line_grid() || topology.one_way_grid(),
               "a mesh, or a torus whose channels run one way");
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
    worms.push_back(plan_xy_tree(context, part).front());
    if (root_sends) worms.back().stops.push_back({request.source.value, -1, StopAction::deliver});
  }
  facts.emplace_back("worm_bound_worms", cover.at_least);
  return worms;
}

/// What a tree on a mesh or hypercube asks a router for: the way on, both ways of later dimensions, and its
/// host, in every combination. On tori virtual channels depend on the source, so there any tree is taken for
/// a part of its broadcast tree; by routing functions without a class for that (yx) also on where the tree
/// stops, which parts do not say.
void legs_of_xy_trees(const PlanningContext& context, LegSink& sink) {
  const Topology& topology = context.topology;
  if (topology.ring_grid() && class_of_stops(context) == 0) return legs_of_any_trees(context, sink, false);
  if (topology.ring_grid() || topology.one_way_grid()) return legs_of_broadcasts(context, sink);
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
    if (topology.has_host(HostId{from})) {
      for (const Output& first : outputs) sink.start(HostId{from}, first);
      split_all();
    }
    for (std::uint32_t p = 0; p < topology.ports(); ++p) {
      const PortId port{p};
      const auto at = topology.neighbour(NodeId{from}, port);
      if (!at) continue;
      const ChannelId input = topology.channel(NodeId{from}, port);
      outputs.clear();
      if (topology.has_host(HostId{at->value})) outputs.push_back(Output::into(HostId{at->value}, input, 0));
      take(*at, [&](PortId next) { return (lines && next == port) || rank(next) > rank(port); });
      for (const Output& next : outputs) sink.turn(Output::through(input, 0), next);
      split_all();
    }
  }
}

}  // namespace

extern const Planner planner_xy_tree = {
    .name = "xy-tree",
    .summary = "one tree worm: the union of the dimension-order routes",
    .topologies = "mesh, tori, hypercube",
    .cost = "O(k log k * dimensions)",
    .cite = "Lin, Ni 1991",
    .needs = "copy to several ports",
    .parameters = xy_tree_parameters,
    .routings = {"dimension-order", "one-way", "one-way-swapped", "yx", "two-rounds"},
    .worms = {.from_source = true, .different_ports = true},
    .unsupported = no_dimension_order,
    .plan = plan_xy_tree,
    .legs = legs_of_xy_trees,
    .header = HeaderEncoding::bit_string,
};

extern const Planner planner_mask_trees = {
    .name = "mask-trees",
    .summary = "dimension-order trees, as few as headers of a destination and a mask name",
    .topologies = "mesh, torus-forward, torus-backward",
    .cost = "O(k log k * bits^2); up to 64 destinations a search of up to 16,384 branches",
    .cite = "pulp-platform FlooNoC; this project",
    .needs = "copy to several ports",
    .parameters = xy_tree_parameters,
    .routings = {"dimension-order", "one-way", "one-way-swapped", "yx", "two-rounds"},
    .worms = {.from_source = true},
    .unsupported = no_masks,
    .plan = plan_xy_tree,  // for the legs alone: its trees are parts of these
    .legs = legs_of_xy_trees,
    .header = HeaderEncoding::mask,
    .plan_stating = plan_masks,
    .takes_part_of_root = true,
};

}  // namespace wormcast

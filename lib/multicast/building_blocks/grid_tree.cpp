// Growing a tree on a grid, and its stops.
//
// A stop stands where the worm is consumed, where it branches, and where a leg that came along a
// dimension turns back to an earlier one: from stop to stop the dimension-order route is then the way
// through the tree, since along it dimensions only rise. Cost: O(1) a channel; the worm O(n) for n nodes.
// cite: this project (the encoding of arbitrary trees by stops).
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/grid_tree.hpp"

#include <algorithm>

#include "routing/grid_walk.hpp"
#include "topology/connectivity.hpp"

namespace wormcast {

GridTree::GridTree(const Topology& topology, HostId source, bool last_first, const Grid* grid)
    : topology_(topology),
      coordinates_(topology, grid),
      as_mesh_(topology, topology.router_of(source)),
      torus_(topology.ring_grid()),
      last_first_(last_first),
      dimensions_(coordinates_.dimensions()),
      source_(source) {
  nodes_.push_back({as_mesh_.to_mesh(topology.router_of(source)).value, 0, 0, 0, 0});
  places_ = place_of(source);
}

std::vector<std::uint32_t> GridTree::place_of(HostId host) const {
  const NodeId node = as_mesh_.to_mesh(topology_.router_of(host));
  std::vector<std::uint32_t> place;
  for (std::uint32_t d = 0; d < dimensions_; ++d) place.push_back(coordinates_.of(node, d));
  return place;
}

std::uint32_t GridTree::distance(Place a, Place b) {
  std::uint32_t sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += a[d] < b[d] ? b[d] - a[d] : a[d] - b[d];
  return sum;
}

std::uint32_t GridTree::join(std::uint32_t at, std::uint32_t dimension, bool forward) {
  const Node from = nodes_[at];
  const std::uint32_t stride = coordinates_.stride(dimension);
  const std::uint32_t node = forward ? from.node + stride : from.node - stride;
  const std::uint32_t port = coordinates_.on_grid() ? 2 * dimension + (forward ? 0U : 1U) : dimension;
  nodes_.push_back({node, at, from.depth + 1, dimension, port});
  for (std::uint32_t d = 0; d < dimensions_; ++d)
    places_.push_back(places_[std::size_t{at} * dimensions_ + d]);
  std::uint32_t& coordinate = places_[places_.size() - dimensions_ + dimension];
  coordinate = forward ? coordinate + 1 : coordinate - 1;
  return size() - 1;
}

std::uint32_t GridTree::attach(std::uint32_t at, Place to) {
  for (std::uint32_t d = 0; d < dimensions_; ++d)
    while (place(at)[d] != to[d]) at = join(at, d, place(at)[d] < to[d]);
  return at;
}

/// True if no route runs straight through `at` to `child`: it would turn to an earlier dimension.
bool GridTree::turns_back(std::uint32_t at, std::uint32_t child) const {
  const std::uint32_t before = nodes_[at].dimension;
  const std::uint32_t after = nodes_[child].dimension;
  return last_first_ ? before < after : after < before;
}

Worm GridTree::worm(std::span<const HostId> destinations, Copies replication) const {
  std::vector<std::pair<NodeId, HostId>> consumed;
  for (const HostId host : destinations) consumed.emplace_back(topology_.router_of(host), host);
  std::sort(consumed.begin(), consumed.end());
  const auto first_at = [&](NodeId node) {
    return std::lower_bound(consumed.begin(), consumed.end(), std::pair(node, HostId{0}));
  };
  // Nothing grows on that does not come to a destination.
  std::vector<std::vector<std::uint32_t>> children(nodes_.size());
  for (std::uint32_t i = size(); i-- > 1;) {
    const NodeId node = as_mesh_.to_torus(NodeId{nodes_[i].node});
    const auto here = first_at(node);
    if (!children[i].empty() || (here != consumed.end() && here->first == node))
      children[nodes_[i].parent].push_back(i);
  }
  Worm worm{.source = source_, .replication = replication};
  if (torus_) worm.vc_class = static_cast<std::uint32_t>(TorusClass::wrap_crossed);
  struct Open {
    std::uint32_t number;
    std::int32_t parent;  ///< last stop on the way, −1 = the source
  };
  std::vector<Open> open{{0, -1}};
  while (!open.empty()) {
    auto [number, parent] = open.back();
    open.pop_back();
    std::vector<std::uint32_t>& next = children[number];
    std::sort(next.begin(), next.end(),
              [&](std::uint32_t a, std::uint32_t b) { return nodes_[a].port > nodes_[b].port; });
    const NodeId node = as_mesh_.to_torus(NodeId{nodes_[number].node});
    const auto stop = [&, &last = parent](std::uint32_t at, StopAction action) {
      worm.stops.push_back({at, last, action});
      last = static_cast<std::int32_t>(worm.stops.size()) - 1;
    };
    auto here = first_at(node);
    const bool delivers = here != consumed.end() && here->first == node;
    for (; here != consumed.end() && here->first == node; ++here)
      stop(here->second.value, StopAction::deliver);
    const bool turns = next.size() > 1 || (next.size() == 1 && turns_back(number, next[0]));
    if (number != 0 && !delivers && turns) stop(node.value, StopAction::branch);
    for (const std::uint32_t child : next) open.push_back({child, parent});
  }
  return worm;
}

namespace {

/// The quadrants of a plane in which a leg runs, or kind 0 for all legs in other dimensions.
std::vector<std::uint32_t> quadrants(const Coordinates& coordinates, const TorusAsMesh& as_mesh, NodeId from,
                                     NodeId to) {
  if (coordinates.dimensions() != 2) return {0};
  const NodeId a = as_mesh.to_mesh(from);
  const NodeId b = as_mesh.to_mesh(to);
  std::vector<std::uint32_t> result;
  for (std::uint32_t kind = 0; kind < 4; ++kind) {
    bool fits = true;
    for (std::uint32_t d = 0; d < 2; ++d) {
      const std::uint32_t x = coordinates.of(a, d);
      const std::uint32_t y = coordinates.of(b, d);
      fits = fits && (x == y || (x < y) == ((kind >> d & 1U) == 0));
    }
    if (fits) result.push_back(kind);
  }
  return result;
}

/// Where a grid is a line or a ring, every tree is a part of the one that goes both ways to the ends.
void legs_of_both_ways(const PlanningContext& context, std::uint32_t along, LegSink& sink) {
  const Coordinates coordinates(context.topology);
  for (const HostId source : context.topology.host_ids()) {
    GridTree tree(context.topology, source);
    const std::vector<HostId> others = all_but(context.topology, source);
    for (const bool forward : {true, false}) {
      const std::uint32_t end = forward ? coordinates.size(along) - 1 : 0;
      std::uint32_t at = 0;
      while (tree.place(at)[along] != end) at = tree.join(at, along, forward);
    }
    if (!others.empty()) sink.part_of(tree.worm(others, replication_of(context)));
  }
}

/// The one dimension with more than one node, or nothing.
std::optional<std::uint32_t> only_dimension(const Coordinates& coordinates) {
  std::optional<std::uint32_t> result;
  for (std::uint32_t d = 0; d < coordinates.dimensions(); ++d) {
    if (coordinates.size(d) == 1) continue;
    if (result) return std::nullopt;
    result = d;
  }
  return result;
}

}  // namespace

void legs_of_grid_trees(const PlanningContext& context, LegSink& sink) {
  const Topology& topology = context.topology;
  if (concentrated_mesh(topology)) return legs_of_any_trees(context, sink, false);
  const Coordinates coordinates(topology);
  if (const auto along = only_dimension(coordinates)) return legs_of_both_ways(context, *along, sink);
  if (!topology.spec().hostless.empty()) {  // where there is no host trees branch, too: all nodes have one
    TopologySpec spec = topology.spec();
    spec.hostless.clear();
    const auto whole = build_topology(std::move(spec));
    return legs_of_grid_trees({*whole, context.routing, context.options, context.prepared, context.planner},
                              sink);
  }
  const std::uint32_t vc_class = class_of_stops(context);
  each_pair(topology, [&](HostId from, HostId to) {
    const NodeId source{from.value};
    for (const std::uint32_t kind :
         quadrants(coordinates, TorusAsMesh(topology, source), source, NodeId{to.value}))
      sink.leg({kind, kind, from, to, std::nullopt, vc_class});
  });
  const auto near = [&](std::uint32_t node) {
    std::vector<std::uint32_t> result;
    for (std::uint32_t port = 0; port < topology.ports(); ++port)
      if (const auto next = topology.neighbour(NodeId{node}, PortId{port})) result.push_back(next->value);
    return result;
  };
  const auto plan = [&](std::uint32_t source, std::vector<HostId> destinations) {
    Request request{.source = HostId{source}, .destinations = std::move(destinations)};
    std::sort(request.destinations.begin(), request.destinations.end());
    for (const Worm& worm : context.planner->plan(context, request)) sink.part_of(worm);
  };
  for (std::uint32_t source = 0; source < topology.hosts(); ++source) {
    for (const std::uint32_t a : near(source))
      for (const std::uint32_t b : near(source))
        if (a < b) plan(source, {HostId{a}, HostId{b}});
    for (const std::uint32_t first : near(source))
      for (const std::uint32_t a : near(first))
        for (const std::uint32_t b : near(first))
          if (a < b && a != source && b != source) plan(source, {HostId{a}, HostId{b}, HostId{first}});
  }
}

std::uint32_t class_of_stops(const PlanningContext& context) {
  const bool dateline = context.topology.ring_grid() && context.routing.classes() > 1;  // yx has none
  return dateline ? static_cast<std::uint32_t>(TorusClass::wrap_crossed) : 0;
}

std::optional<std::string> no_grid_tree(const Topology& topology) {
  return needs(topology.any_line_grid() || topology.ring_grid() || topology.bit_addresses(),
               "a mesh, a torus or a hypercube");
}

}  // namespace wormcast

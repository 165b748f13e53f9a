// Lower bounds on traffic, on the way to the furthest destination, and on steps of unicasts.
//
// Traffic: the channels of all worms together join the source to every destination, so they are at least
// those of a least Steiner tree. Few destinations: it is worked out (steiner_length.cpp). Many: the greatest
// of four lesser bounds. Each router with a destination is entered by a channel of its own. A way leads to
// the furthest. On a mesh every plane between two layers is crossed if there are end points on both sides
// (half the perimeter of the box around them). And the least spanning tree over the distances is at
// most 3/2 times the Steiner tree in the plane (Hwang), at most 2 − 2/t times on any network of t end points.
// Cost: O(t²), on graphs O(t · links), plus the exact method's. cite: Hwang 1976; Kou, Markowsky, Berman
// 1981.
// SPDX-License-Identifier: MIT
#include "multicast/bounds/bounds.hpp"

#include <algorithm>
#include <vector>

#include "multicast/schedule.hpp"
#include "topology/connectivity.hpp"

namespace wormcast {
namespace {

/// The source's router, then the other routers that have destinations.
std::vector<NodeId> end_points(const Topology& topology, const Request& request) {
  std::vector<NodeId> routers;
  for (const HostId host : request.destinations) routers.push_back(topology.router_of(host));
  std::sort(routers.begin(), routers.end());
  routers.erase(std::unique(routers.begin(), routers.end()), routers.end());
  const NodeId source = topology.router_of(request.source);
  std::erase(routers, source);
  routers.insert(routers.begin(), source);
  return routers;
}

/// Distances from one router: by one search on graphs, whose distance() makes a search of its own each time.
class DistancesFrom {
 public:
  DistancesFrom(const Topology& topology, NodeId from) : topology_(topology), from_(from) {
    std::vector<NodeId> reached;
    if (topology.given_by_links()) Adjacency(topology).search(from, searched_, reached);
  }
  std::uint32_t to(NodeId node) const {
    return searched_.empty() ? topology_.distance(from_, node) : searched_[node.value];
  }

 private:
  const Topology& topology_;
  NodeId from_;
  std::vector<std::uint32_t> searched_;  ///< by router; empty where distance() is a formula
};

/// Prim's algorithm over the distances.
std::uint64_t spanning_tree(const Topology& topology, const std::vector<NodeId>& points) {
  std::vector<std::uint32_t> nearest(points.size(), unreachable);
  std::vector<bool> joined(points.size(), false);
  std::uint64_t sum = 0;
  std::size_t last = 0;
  for (std::size_t count = 1; count < points.size(); ++count) {
    joined[last] = true;
    const DistancesFrom distances(topology, points[last]);
    std::size_t next = points.size();
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (joined[i]) continue;
      nearest[i] = std::min(nearest[i], distances.to(points[i]));
      if (next == points.size() || nearest[i] < nearest[next]) next = i;
    }
    sum += nearest[next];
    last = next;
  }
  return sum;
}

/// Half the perimeter of the box around the end points of a mesh.
std::uint64_t half_perimeter(const Grid& grid, const std::vector<NodeId>& points) {
  std::uint64_t sum = 0;
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d) {
    const auto by_coordinate = [&](NodeId a, NodeId b) {
      return grid.coordinate(a, d) < grid.coordinate(b, d);
    };
    const auto [low, high] = std::minmax_element(points.begin(), points.end(), by_coordinate);
    sum += grid.coordinate(*high, d) - grid.coordinate(*low, d);
  }
  return sum;
}

}  // namespace

MulticastBounds bounds_of(const Topology& topology, const Request& request) {
  MulticastBounds bounds;
  const std::vector<NodeId> points = end_points(topology, request);
  const DistancesFrom source(topology, points[0]);
  for (const NodeId point : points)
    bounds.chain_hops = std::max<std::uint64_t>(bounds.chain_hops, source.to(point));
  // The source itself is among them for a self-send alone, or as a root that sends a part.
  const auto itself = std::count(request.destinations.begin(), request.destinations.end(), request.source);
  bounds.steps = least_steps(request.destinations.size() + 1 - static_cast<std::size_t>(itself));
  if (topology.ways() != Ways::both) {  // what follows takes distances to be the same both ways
    bounds.traffic_channels = std::max<std::uint64_t>(points.size() - 1, bounds.chain_hops);
    return bounds;
  }
  if (points.size() - 1 <= exact_steiner_destinations) {
    if (const auto length = steiner_length(topology, points)) {
      bounds.traffic_channels = *length;
      bounds.traffic_exact = true;
      return bounds;
    }
  }
  const std::uint64_t tree = spanning_tree(topology, points);
  const std::uint64_t t = points.size();
  const bool plane = topology.line_grid() && topology.grid()->dimensions() <= 2;
  const std::uint64_t above =
      plane ? 2 : t;  // the Steiner tree has at least above / below of the spanning tree
  const std::uint64_t below = plane ? 3 : 2 * (t - 1);
  bounds.traffic_channels = std::max(
      {t - 1, bounds.chain_hops, (tree * above + below - 1) / below, dual_ascent_bound(topology, points)});
  if (topology.line_grid())
    bounds.traffic_channels = std::max(bounds.traffic_channels, half_perimeter(*topology.grid(), points));
  return bounds;
}

PlanFacts facts_of(const MulticastBounds& bounds) {
  return {{"traffic_bound_channels", bounds.traffic_channels},
          {"traffic_bound_exact", bounds.traffic_exact ? 1U : 0U},
          {"chain_bound_hops", bounds.chain_hops},
          {"step_bound_steps", bounds.steps}};
}

}  // namespace wormcast

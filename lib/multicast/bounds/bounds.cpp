// Lower bounds on traffic, on the way to the furthest destination, and on steps of unicasts.
//
// Traffic: the channels of all worms together join the source to every destination, so they are at least
// those of a least Steiner tree. Few destinations: it is worked out (steiner_length). Many: the greatest
// of four lesser bounds. Each router with a destination is entered by a channel of its own. A way leads to
// the furthest. On a mesh every plane between two layers is crossed if there are end points on both sides
// (half the perimeter of the box around them). And the least spanning tree over the distances is at
// most 3/2 times the Steiner tree in the plane (Hwang), at most 2 − 2/t times on any network of t end points.
// Cost: O(t²), on graphs O(t · links), plus the exact method's. cite: Hwang 1976; Kou, Markowsky, Berman
// 1981.
// SPDX-License-Identifier: MIT
#include "multicast/bounds/bounds.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "multicast/measures.hpp"
#include "topology/connectivity.hpp"

namespace wormcast {
namespace {

/// The source's router, then the other routers that have destinations.
std::vector<NodeId> end_points(const Topology& topology, const Request& request) {
  std::vector<NodeId> routers;
  for (const HostId host : request.destinations) routers.push_back(topology.router_of(host));
  sort_unique(routers);
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
    if (topology.given_by_links() || !topology.intact()) Adjacency(topology).search(from, searched_, reached);
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

// Dreyfus and Wagner's recursion over sets of end points.
//
// length(S, v) is the least length of a tree that joins the end points of S and the node v: two trees that
// meet in v, for the best division of S, or such a tree at another node and a shortest way from there. Sets
// come in order of their bits, so parts come first; the ways are one search from all nodes at once.
// On meshes some least tree lies on the lines through the end points (Hanan for the plane, Snyder for
// more dimensions), so a node is a crossing of such lines: at most t^d instead of all.
// Cost: O(3^k · V + 2^k · V log V) for k = t − 1 end points besides the last and V nodes.
// cite: Dreyfus, Wagner 1971; Hanan 1966; Snyder 1992.

namespace {

constexpr std::uint64_t most_tree_steps = 12'000'000;
constexpr std::uint64_t no_tree = std::numeric_limits<std::uint32_t>::max();

/// The network, or as much of it as a least tree needs.
struct Skeleton {
  struct Edge {
    std::uint32_t to;
    std::uint32_t length;
  };
  std::vector<std::vector<Edge>> edges;
  std::vector<std::uint32_t> points;  ///< the end points' nodes
};

void join(Skeleton& skeleton, std::uint32_t a, std::uint32_t b, std::uint32_t length) {
  skeleton.edges[a].push_back({b, length});
  skeleton.edges[b].push_back({a, length});
}

/// The crossings of the lines through the end points.
Skeleton lines(const Grid& grid, std::span<const NodeId> points) {
  Skeleton skeleton;
  std::vector<std::vector<std::uint32_t>> values(grid.dimensions());
  std::size_t size = 1;
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d) {
    for (const NodeId point : points) values[d].push_back(grid.coordinate(point, d));
    sort_unique(values[d]);
    size *= values[d].size();
  }
  skeleton.edges.resize(size);
  std::size_t stride = 1;
  std::vector<std::size_t> number(points.size(), 0);
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d) {
    for (std::size_t node = 0; node < size; ++node) {
      const std::size_t at = node / stride % values[d].size();
      if (at + 1 < values[d].size())
        join(skeleton, static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(node + stride),
             values[d][at + 1] - values[d][at]);
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto place = std::lower_bound(values[d].begin(), values[d].end(), grid.coordinate(points[i], d));
      number[i] += static_cast<std::size_t>(place - values[d].begin()) * stride;
    }
    stride *= values[d].size();
  }
  for (const std::size_t n : number) skeleton.points.push_back(static_cast<std::uint32_t>(n));
  return skeleton;
}

Skeleton whole(const Topology& topology, std::span<const NodeId> points) {
  Skeleton skeleton;
  skeleton.edges.resize(topology.routers());
  const Adjacency links(topology);
  for (std::uint32_t node = 0; node < topology.routers(); ++node)
    for (const OutChannel& out : links.out(NodeId{node})) skeleton.edges[node].push_back({out.to.value, 1});
  for (const NodeId point : points) skeleton.points.push_back(point.value);
  return skeleton;
}

/// Lets every node's length be at most another's plus the way from there.
void spread(const Skeleton& skeleton, std::vector<std::uint64_t>& length) {
  using Entry = std::pair<std::uint64_t, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  for (std::uint32_t node = 0; node < length.size(); ++node)
    if (length[node] < no_tree) open.emplace(length[node], node);
  while (!open.empty()) {
    const auto [reached, node] = open.top();
    open.pop();
    if (reached > length[node]) continue;
    for (const Skeleton::Edge& edge : skeleton.edges[node]) {
      const std::uint64_t next = reached + edge.length;
      if (next >= length[edge.to]) continue;
      length[edge.to] = next;
      open.emplace(next, edge.to);
    }
  }
}

std::uint64_t dreyfus_wagner(const Skeleton& skeleton) {
  const std::size_t k = skeleton.points.size() - 1;
  const std::size_t nodes = skeleton.edges.size();
  std::vector<std::vector<std::uint64_t>> length(std::size_t{1} << k);
  for (std::size_t set = 1; set < length.size(); ++set) {
    std::vector<std::uint64_t>& own = length[set];
    own.assign(nodes, no_tree);
    if ((set & (set - 1)) == 0)
      for (std::size_t i = 0; i < k; ++i)
        if (set >> i & 1U) own[skeleton.points[i]] = 0;
    for (std::size_t part = (set - 1) & set; part > (set ^ part); part = (part - 1) & set)
      for (std::size_t node = 0; node < nodes; ++node)
        own[node] = std::min(own[node], length[part][node] + length[set ^ part][node]);
    spread(skeleton, own);
  }
  return length.back()[skeleton.points[k]];
}

}  // namespace

std::optional<std::uint64_t> steiner_length(const Topology& topology, std::span<const NodeId> points) {
  if (points.size() < 2) return 0;
  const bool mesh = topology.line_grid();
  std::uint64_t steps = mesh ? 1 : topology.routers();
  for (std::uint32_t d = 0; mesh && d < topology.grid()->dimensions(); ++d)
    steps *= std::min<std::uint64_t>(points.size(), topology.grid()->dims()[d]);
  for (std::size_t i = 1; i < points.size() && steps <= most_tree_steps; ++i) steps *= 3;
  if (steps > most_tree_steps) return std::nullopt;
  const Skeleton skeleton = mesh ? lines(*topology.grid(), points) : whole(topology, points);
  const std::uint64_t length = dreyfus_wagner(skeleton);
  if (length >= no_tree) return std::nullopt;  // no tree joins them
  return length;
}

// Dual ascent for the Steiner arborescence: packing cuts between the source and single destinations.
//
// Every tree from the source has a channel into each set of routers that has a destination and not the
// source. So a number of such sets that no channel enters twice is a lower bound. Sets are taken one by
// one: the routers from which a destination is reached over channels that are already counted, of all
// destinations the set that fewest other channels enter; those count from then on. A destination is done
// when its set has the source. The sets only grow, so their number of channels is looked at again only
// when it seems to be the least. Stopped at any time the sets so far still are a bound.
// Cost: O(channels) a set looked at, a few for each unit of the bound; a limit on the sum.
// cite: Wong 1984 (A dual ascent approach for Steiner tree problems on a directed graph).

namespace {

constexpr std::uint64_t most_channels = std::uint64_t{1} << 20;
constexpr std::uint64_t most_visits = 50'000'000;

class DualAscent {
 public:
  DualAscent(const Topology& topology, NodeId source)
      : source_(source),
        into_(topology.routers()),
        counted_(topology.channel_bound(), false),
        stamp_(topology.routers(), 0) {
    const Adjacency links(topology);
    for (std::uint32_t node = 0; node < topology.routers(); ++node)
      for (const OutChannel& out : links.out(NodeId{node}))
        into_[out.to.value].push_back({node, out.channel.value});
  }

  std::uint64_t bound(std::span<const NodeId> destinations) {
    using Entry =
        std::pair<std::size_t, std::size_t>;  // channels into the set when last looked at, destination
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    for (std::size_t i = 0; i < destinations.size(); ++i) open.emplace(0, i);
    std::uint64_t sets = 0;
    while (!open.empty() && visits_ < most_visits) {
      const std::size_t i = open.top().second;
      open.pop();
      if (!gather(destinations[i])) continue;
      if (!open.empty() && entering_.size() > open.top().first) {
        open.emplace(entering_.size(), i);
        continue;
      }
      for (const std::uint32_t channel : entering_) counted_[channel] = true;
      ++sets;
      open.emplace(entering_.size(), i);
    }
    return sets;
  }

 private:
  struct In {
    std::uint32_t from;
    std::uint32_t channel;
  };

  /// The set of `destination`, and the channels into it; false if it has the source, or nothing enters it.
  bool gather(NodeId destination) {
    entering_.clear();
    set_.assign(1, destination.value);
    stamp_[destination.value] = ++present_;
    for (std::size_t at = 0; at < set_.size(); ++at)
      for (const In& in : into_[set_[at]]) {
        ++visits_;
        if (!counted_[in.channel] || stamp_[in.from] == present_) continue;
        if (in.from == source_.value) return false;
        stamp_[in.from] = present_;
        set_.push_back(in.from);
      }
    for (const std::uint32_t node : set_)
      for (const In& in : into_[node])
        if (stamp_[in.from] != present_) entering_.push_back(in.channel);
    return !entering_.empty();
  }

  NodeId source_;
  std::vector<std::vector<In>> into_;  ///< each router
  std::vector<bool> counted_;
  std::vector<std::uint32_t> stamp_;
  std::uint32_t present_ = 0;
  std::uint64_t visits_ = 0;
  std::vector<std::uint32_t> set_;
  std::vector<std::uint32_t> entering_;
};

}  // namespace

std::uint64_t dual_ascent_bound(const Topology& topology, std::span<const NodeId> points) {
  if (points.size() < 2 || topology.channel_bound() > most_channels) return 0;
  return DualAscent(topology, points.front()).bound(points.subspan(1));
}

}  // namespace wormcast

// Dreyfus and Wagner's recursion over sets of end points.
//
// length(S, v) is the least length of a tree that joins the end points of S and the node v: two trees that
// meet in v, for the best division of S, or such a tree at another node and a shortest way from there. Sets
// come in order of their bits, so parts come first; the ways are one search from all nodes at once.
// On meshes some least tree lies on the lines through the end points (Hanan for the plane, Snyder for
// more dimensions), so a node is a crossing of such lines: at most t^d instead of all.
// Cost: O(3^k · V + 2^k · V log V) for k = t − 1 end points besides the last and V nodes.
// cite: Dreyfus, Wagner 1971; Hanan 1966; Snyder 1992.
// SPDX-License-Identifier: MIT
#include "multicast/bounds/bounds.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace wormcast {
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
    std::sort(values[d].begin(), values[d].end());
    values[d].erase(std::unique(values[d].begin(), values[d].end()), values[d].end());
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
  for (std::uint32_t node = 0; node < topology.routers(); ++node)
    for (std::uint32_t port = 0; port < topology.ports(); ++port)
      if (const auto next = topology.neighbour(NodeId{node}, PortId{port}))
        skeleton.edges[node].push_back({next->value, 1});
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

}  // namespace wormcast

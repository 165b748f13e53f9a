// Hamiltonian paths: proofs that there is none, exhaustive search of small graphs, rotations for others.
//
// First the cheap necessary conditions: connected, at most two dead ends, the sides of a bipartite
// graph differ by at most one, no router whose removal leaves three parts. Up to 20 routers dynamic
// programming over (set visited, last router) decides. Beyond that a path is grown: extend its end to
// the unvisited neighbour with the fewest unvisited neighbours; at a dead end e pick a random
// neighbour v on the path and reverse what follows v, which makes v's successor the new end; now and
// then turn the whole path round. This finds paths in cube-connected cycles and random regular graphs
// within a few rotations a router; giving up proves nothing, and says so.
// Cost: O(2^N · N) exhaustive; O(N) a rotation.
// cite: Posa 1976 (rotations); Warnsdorff 1823 (the choice); Held, Karp 1962.
// SPDX-License-Identifier: MIT
#include "topology/generator.hpp"

#include <algorithm>
#include <bit>

#include "topology/connectivity.hpp"
#include "topology/random.hpp"

namespace wormcast {
namespace {

using Neighbours = std::vector<std::vector<std::uint32_t>>;
using Path = std::vector<std::uint32_t>;

constexpr std::uint32_t exhaustive_routers = 20;
constexpr std::uint32_t restarts = 20;
constexpr std::uint32_t rotations_per_router = 200;

Neighbours neighbours_of(const Topology& topology) {
  Neighbours all(topology.routers());
  const Adjacency adjacency(topology);
  for (std::uint32_t node = 0; node < topology.routers(); ++node) {
    for (const OutChannel& out : adjacency.out(NodeId{node}))
      if (out.to.value != node) all[node].push_back(out.to.value);
    sort_unique(all[node]);
  }
  return all;
}

/// Parts that remain when `removed` is taken away (an id out of range removes nothing).
std::uint32_t parts_without(const Neighbours& graph, std::uint32_t removed) {
  const auto nodes = static_cast<std::uint32_t>(graph.size());
  RouterSets sets(nodes);
  std::uint32_t parts = removed < nodes ? nodes - 1 : nodes;
  for (std::uint32_t node = 0; node < nodes; ++node)
    for (const std::uint32_t next : graph[node])
      if (node != removed && next != removed && sets.join(node, next)) --parts;
  return parts;
}

/// Sizes of the two sides, or nothing if the (connected) graph has an odd circle.
std::optional<std::pair<std::uint32_t, std::uint32_t>> sides(const Neighbours& graph) {
  std::vector<int> side(graph.size(), -1);
  std::vector<std::uint32_t> open{0};
  side[0] = 0;
  std::uint32_t count[2] = {1, 0};
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    for (const std::uint32_t next : graph[node]) {
      if (side[next] == side[node]) return std::nullopt;
      if (side[next] >= 0) continue;
      side[next] = 1 - side[node];
      ++count[side[next]];
      open.push_back(next);
    }
  }
  return std::pair(count[0], count[1]);
}

/// Why there cannot be a path, by the necessary conditions; empty if they hold.
std::string obstacle(const Neighbours& graph) {
  const auto none = static_cast<std::uint32_t>(graph.size());
  if (parts_without(graph, none) > 1) return "the network is not connected";
  const auto ends =
      std::count_if(graph.begin(), graph.end(), [](const auto& list) { return list.size() == 1; });
  if (ends > 2) return std::to_string(ends) + " routers have one neighbour only, a path has two ends";
  if (const auto size = sides(graph)) {
    const auto [a, b] = *size;
    if ((a > b ? a - b : b - a) > 1)
      return "the network is bipartite with sides of " + std::to_string(a) + " and " + std::to_string(b) +
             " routers";
  }
  for (std::uint32_t node = 0; node < graph.size() && graph.size() <= 4096; ++node)
    if (const std::uint32_t parts = parts_without(graph, node); parts > 2)
      return "without router " + std::to_string(node) + " the network falls into " + std::to_string(parts) +
             " parts";
  return {};
}

/// ends[set] = routers at which a path through exactly `set` can end.
Path search_all(const Neighbours& graph) {
  const auto n = static_cast<std::uint32_t>(graph.size());
  std::vector<std::uint32_t> adjacent(n, 0);
  for (std::uint32_t node = 0; node < n; ++node)
    for (const std::uint32_t next : graph[node]) adjacent[node] |= 1u << next;
  const std::uint32_t everything = n == 32 ? ~0u : (1u << n) - 1;
  std::vector<std::uint32_t> ends(std::size_t{everything} + 1, 0);
  for (std::uint32_t node = 0; node < n; ++node) ends[1u << node] = 1u << node;
  for (std::uint32_t set = 1; set <= everything; ++set)
    for (std::uint32_t left = ends[set]; left != 0; left &= left - 1) {
      const auto end = static_cast<std::uint32_t>(std::countr_zero(left));
      for (std::uint32_t more = adjacent[end] & ~set; more != 0; more &= more - 1)
        ends[set | (more & (~more + 1))] |= more & (~more + 1);
    }
  Path path;
  std::uint32_t set = everything;
  std::uint32_t candidates = ends[everything];
  while (candidates != 0) {
    const auto end = static_cast<std::uint32_t>(std::countr_zero(candidates));
    path.push_back(end);
    set &= ~(1u << end);
    candidates = ends[set] & adjacent[end];
  }
  return path;
}

/// A path that grows at its end and rotates at dead ends.
class Rotations {
 public:
  Rotations(const Neighbours& graph, Random random)
      : graph_(graph), random_(random), place_(graph.size(), unvisited) {}

  Path run() {
    append(static_cast<std::uint32_t>(random_.below(graph_.size())));
    const std::uint64_t most = std::uint64_t{rotations_per_router} * graph_.size();
    for (std::uint64_t rotation = 0; path_.size() < graph_.size() && rotation < most;) {
      if (extend()) continue;
      rotate();
      ++rotation;
    }
    return path_.size() == graph_.size() ? path_ : Path{};
  }

 private:
  static constexpr std::uint32_t unvisited = 0xffffffff;

  void append(std::uint32_t node) {
    place_[node] = static_cast<std::uint32_t>(path_.size());
    path_.push_back(node);
  }

  bool extend() {
    std::uint32_t best = unvisited;
    std::ptrdiff_t fewest = 0;
    for (const std::uint32_t next : graph_[path_.back()]) {
      if (place_[next] != unvisited) continue;
      const auto onwards = std::count_if(graph_[next].begin(), graph_[next].end(),
                                         [&](std::uint32_t node) { return place_[node] == unvisited; });
      if (best != unvisited && onwards >= fewest) continue;
      best = next;
      fewest = onwards;
    }
    if (best == unvisited) return false;
    append(best);
    return true;
  }

  void rotate() {
    constexpr std::uint64_t turn_one_in = 50;
    const std::vector<std::uint32_t>& choices = graph_[path_.back()];
    const std::uint32_t pivot = choices[random_.below(choices.size())];
    const std::size_t from = random_.below(turn_one_in) == 0 ? 0 : place_[pivot] + std::size_t{1};
    std::reverse(path_.begin() + static_cast<std::ptrdiff_t>(from), path_.end());
    for (std::size_t i = from; i < path_.size(); ++i) place_[path_[i]] = static_cast<std::uint32_t>(i);
  }

  const Neighbours& graph_;
  Random random_;
  Path path_;
  std::vector<std::uint32_t> place_;  ///< position on the path
};

HamiltonianLabels labels_along(const Path& path) {
  HamiltonianLabels result;
  result.labels.resize(path.size());
  for (std::size_t i = 0; i < path.size(); ++i) result.labels[path[i]] = static_cast<std::uint32_t>(i);
  return result;
}

}  // namespace

HamiltonianLabels find_hamiltonian_labels(const Topology& topology, std::uint64_t seed) {
  const Neighbours graph = neighbours_of(topology);
  if (graph.size() <= 1) return labels_along(Path(graph.size(), 0));
  if (std::string reason = obstacle(graph); !reason.empty()) return {{}, std::move(reason), true};
  if (graph.size() <= exhaustive_routers) {
    const Path path = search_all(graph);
    if (!path.empty()) return labels_along(path);
    return {{}, "exhaustive search finds none", true};
  }
  const RandomStreams streams(seed, "hamiltonian-path");
  for (std::uint32_t attempt = 0; attempt < restarts; ++attempt) {
    const Path path = Rotations(graph, streams.stream(attempt)).run();
    if (!path.empty()) return labels_along(path);
  }
  return {{},
          "none found in " + std::to_string(restarts) + " searches of " +
              std::to_string(rotations_per_router) + " rotations a router; there may be one",
          false};
}

}  // namespace wormcast

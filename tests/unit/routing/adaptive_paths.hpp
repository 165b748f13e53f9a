// Routes that routers may choose, and paths found by brute force, for tests of adaptive routing.
// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "routing/routing_function.hpp"
#include "topology/generator.hpp"
#include "unit/networks.hpp"
#include "unit/routing/channel_dependencies.hpp"

namespace wormcast::testing {

using Path = std::vector<std::uint32_t>;  ///< channels, one after the other

inline std::vector<std::unique_ptr<const Topology>> meshes_in_the_plane() {
  std::vector<std::unique_ptr<const Topology>> all;
  for (std::uint64_t w = 2; w <= 5; ++w)
    for (std::uint64_t h = 2; h <= 5; ++h) all.push_back(make("mesh", {w, h}));
  all.push_back(make("mesh", {6}));
  return all;
}

inline std::vector<std::unique_ptr<const Topology>> tori() {
  std::vector<std::unique_ptr<const Topology>> all;
  for (std::uint64_t w = 3; w <= 5; ++w)
    for (std::uint64_t h = 3; h <= 5; ++h) all.push_back(make("torus", {w, h}));
  for (const std::vector<std::uint64_t>& dims :
       std::vector<std::vector<std::uint64_t>>{{2}, {6}, {2, 4}, {3, 1, 2}, {2, 3, 4}})
    all.push_back(make("torus", dims));
  return all;
}

inline std::vector<std::unique_ptr<const Topology>> spaces() {
  std::vector<std::unique_ptr<const Topology>> all;
  for (const std::vector<std::uint64_t>& dims :
       std::vector<std::vector<std::uint64_t>>{{2, 2, 2}, {3, 2, 3}, {2, 1, 3, 2}})
    all.push_back(make("mesh", dims));
  for (std::uint64_t n = 2; n <= 4; ++n) all.push_back(make("hypercube", {n}));
  return all;
}

/// Irregular networks; with labels where a Hamiltonian path was found.
inline std::vector<std::unique_ptr<const Topology>> graphs(bool labelled) {
  std::vector<std::unique_ptr<const Topology>> all;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    TopologySpec spec =
        generate(*find_generator("irregular"),
                 {{"switches", 5 + seed % 5}, {"hosts", 1}, {"ports", 4 + seed % 3}, {"seed", seed}});
    if (labelled) {
      spec.labels = find_hamiltonian_labels(*build_topology(spec), 1).labels;
      if (spec.labels.empty()) continue;
    }
    all.push_back(build_topology(std::move(spec)));
  }
  return all;
}

inline void append(std::vector<std::unique_ptr<const Topology>>& all,
                   std::vector<std::unique_ptr<const Topology>> more) {
  for (auto& one : more) all.push_back(std::move(one));
}

template <class Visit>
void every_pair(const Topology& topology, Visit visit) {
  for (std::uint32_t a = 0; a < topology.routers(); ++a)
    for (std::uint32_t b = 0; b < topology.routers(); ++b)
      if (a != b) visit(NodeId{a}, NodeId{b});
}

inline std::vector<ChannelId> channels_of(const Topology& topology) {
  std::vector<ChannelId> all;
  for (std::uint32_t c = 0; c < topology.channel_bound(); ++c)
    if (topology.ends(ChannelId{c})) all.push_back(ChannelId{c});
  return all;
}

/// Hops between routers over the channels that `keep` takes, all pairs, by relaxing until nothing changes.
inline std::vector<std::vector<std::uint32_t>> hops_over(const Topology& topology,
                                                         const std::function<bool(ChannelEnds)>& keep) {
  const std::uint32_t n = topology.routers();
  std::vector<std::vector<std::uint32_t>> hops(n, std::vector<std::uint32_t>(n, 1000000));
  for (std::uint32_t i = 0; i < n; ++i) hops[i][i] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const ChannelId channel : channels_of(topology)) {
      const ChannelEnds ends = *topology.ends(channel);
      if (!keep(ends)) continue;
      for (std::uint32_t t = 0; t < n; ++t)
        if (hops[ends.to.value][t] + 1 < hops[ends.from.value][t]) {
          hops[ends.from.value][t] = hops[ends.to.value][t] + 1;
          changed = true;
        }
    }
  }
  return hops;
}

/// Every path of exactly `hops` channels whose consecutive pairs `allowed` takes; nothing of the routing
/// functions is used.
inline std::set<Path> paths(const Topology& topology, NodeId from, NodeId to, std::uint32_t hops,
                            const std::function<bool(const Path&, ChannelEnds)>& allowed) {
  std::set<Path> found;
  Path path;
  const std::function<void(NodeId)> go_on = [&](NodeId at) {
    if (path.size() == hops) {
      if (at == to) found.insert(path);
      return;
    }
    for (std::uint32_t c = 0; c < topology.channel_bound(); ++c) {
      const auto ends = topology.ends(ChannelId{c});
      if (!ends || ends->from != at) continue;
      if (topology.distance(ends->to, to) > hops - path.size() - 1 || !allowed(path, *ends)) continue;
      path.push_back(c);
      go_on(ends->to);
      path.pop_back();
    }
  };
  go_on(from);
  return found;
}

/// Every path that routers may choose, without the candidates of which `take` says no. Checks each candidate.
inline std::set<Path> routes(const RoutingFunction& routing, NodeId from, NodeId to,
                             const std::function<bool(const RoutingCandidate&)>& take) {
  const Topology& topology = routing.topology();
  std::set<Path> found;
  Path path;
  const std::function<void(NodeId, RoutingState)> go_on = [&](NodeId at, RoutingState state) {
    if (at == to) {
      found.insert(path);
      return;
    }
    REQUIRE(path.size() < topology.routers());
    std::vector<RoutingCandidate> all;
    routing.candidates(at, state, to, all);
    REQUIRE_FALSE(all.empty());
    for (const RoutingCandidate& hop : all) {
      const auto ends = topology.ends(hop.channel);
      REQUIRE(ends);
      CHECK(ends->from == at);
      CHECK(ends->to == hop.to);
      CHECK(hop.vc_begin < hop.vc_end);
      CHECK(hop.vc_end <= routing.channel_vcs());
      if (!take(hop)) continue;
      path.push_back(hop.channel.value);
      go_on(hop.to, hop.state);
      path.pop_back();
    }
  };
  for (const std::uint32_t drawn : routing.choices_between(from, to))
    go_on(from, routing.first(from, to, drawn));
  return found;
}
inline std::set<Path> routes(const RoutingFunction& routing, NodeId from, NodeId to) {
  return routes(routing, from, to, [](const RoutingCandidate&) { return true; });
}

/// Dependencies of all that routers may choose for unicasts, each virtual channel by itself. Escape channels
/// that wait for one another over channels that `by_the_way` names are joined, if it names some.
class WholeRelation {
 public:
  using Held = ChannelDependencies::Vertex;
  using ByTheWay = std::function<bool(const Held&)>;

  WholeRelation(const RoutingFunction& routing, ByTheWay by_the_way)
      : routing_(routing), by_the_way_(std::move(by_the_way)) {
    every_pair(routing.topology(), [&](NodeId from, NodeId to) {
      destination_ = to;
      for (const std::uint32_t drawn : routing.choices_between(from, to))
        go_on(from, routing.first(from, to, drawn), nullptr);
    });
  }
  bool acyclic() const { return dependencies_.acyclic(); }

 private:
  void go_on(NodeId at, RoutingState state, const Held* held) {
    const auto key =
        std::tuple(at.value, state.bits, held == nullptr ? Held{~0U, 0} : *held, destination_.value);
    if (at == destination_ || !seen_.insert(key).second) return;
    std::vector<RoutingCandidate> all;
    routing_.candidates(at, state, destination_, all);
    for (const RoutingCandidate& hop : all)
      for (std::uint32_t vc = hop.vc_begin; vc < hop.vc_end; ++vc) {
        const Held wanted{hop.channel.value, vc};
        if (by_the_way_(wanted)) {
          go_on(hop.to, hop.state, held);
          continue;
        }
        if (held != nullptr) dependencies_.add(*held, wanted);
        go_on(hop.to, hop.state, &wanted);
      }
  }

  const RoutingFunction& routing_;
  ByTheWay by_the_way_;
  NodeId destination_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, Held, std::uint32_t>> seen_;
  ChannelDependencies dependencies_;
};

inline bool acyclic(const RoutingFunction& routing) {
  return WholeRelation(routing, [](const WholeRelation::Held&) { return false; }).acyclic();
}

}  // namespace wormcast::testing

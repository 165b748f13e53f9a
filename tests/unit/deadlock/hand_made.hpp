// Routes made by hand or at random for the deadlock tests, and what checker and simulator say of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "checks/answer_check.hpp"
#include "checks/verdict_check.hpp"
#include "deadlock/checker/checker.hpp"
#include "deadlock/search/search.hpp"
#include "multicast/routes.hpp"
#include "simulation/engine.hpp"
#include "topology/random.hpp"
#include "topology/topology.hpp"
#include "unit/networks.hpp"

namespace wormcast::hand_made {

inline std::unique_ptr<const Topology> mesh(std::vector<std::uint64_t> dims) {
  return testing::make("mesh", std::move(dims));
}

inline ChannelId channel(const Topology& topology, std::uint32_t from, std::uint32_t to) {
  for (std::uint32_t port = 0; port < topology.ports(); ++port)
    if (topology.neighbour(NodeId{from}, PortId{port}) == NodeId{to})
      return topology.channel(NodeId{from}, PortId{port});
  throw std::logic_error("not neighbours");
}

inline RouteHop deliver(std::uint32_t host, std::int32_t parent) {
  RouteHop hop;
  hop.target = host;
  hop.parent = parent;
  hop.kind = RouteHop::Kind::deliver;
  return hop;
}

/// A path through `nodes` that delivers at those in `destinations` (and at the last).
inline WormRoute path(const Topology& topology, const std::vector<std::uint32_t>& nodes,
                      const std::set<std::uint32_t>& destinations = {}) {
  WormRoute route;
  route.source = HostId{nodes.front()};
  std::int32_t last = -1;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    RouteHop hop;
    hop.target = channel(topology, nodes[i - 1], nodes[i]).value;
    hop.parent = last;
    last = static_cast<std::int32_t>(route.hops.size());
    route.hops.push_back(hop);
    if (i + 1 == nodes.size() || destinations.count(nodes[i]) != 0)
      route.hops.push_back(deliver(nodes[i], last));
  }
  return route;
}

/// A tree: pairs (node, index of its parent among the pairs or −1 for the source); it delivers at the
/// leaves and at the nodes in `destinations`.
inline WormRoute tree(const Topology& topology, std::uint32_t source,
                      const std::vector<std::pair<std::uint32_t, int>>& nodes, Copies replication,
                      const std::set<std::uint32_t>& destinations = {}) {
  WormRoute route;
  route.source = HostId{source};
  route.replication = replication;
  std::vector<std::int32_t> hop_of(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto [node, parent] = nodes[i];
    const std::uint32_t from = parent < 0 ? source : nodes[static_cast<std::size_t>(parent)].first;
    RouteHop hop;
    hop.target = channel(topology, from, node).value;
    hop.parent = parent < 0 ? -1 : hop_of[static_cast<std::size_t>(parent)];
    hop_of[i] = static_cast<std::int32_t>(route.hops.size());
    route.hops.push_back(hop);
    const bool leaf = std::none_of(nodes.begin(), nodes.end(),
                                   [&](const auto& other) { return other.second == static_cast<int>(i); });
    if (leaf || destinations.count(node) != 0) route.hops.push_back(deliver(node, hop_of[i]));
  }
  return route;
}

/// A multicast of these worms, imported without a plan.
inline Routes multicast(std::uint64_t id, std::vector<WormRoute> worms, std::uint64_t length_flits) {
  Routes routes;
  routes.plan.request.id = id;
  routes.plan.request.source = worms.front().source;
  routes.plan.request.length_flits = length_flits;
  for (const WormRoute& worm : worms)
    for (const RouteHop& hop : worm.hops)
      if (!hop.is_channel()) routes.plan.request.destinations.push_back(HostId{hop.target});
  std::sort(routes.plan.request.destinations.begin(), routes.plan.request.destinations.end());
  routes.worms = std::move(worms);
  return routes;
}

/// A multicast of each worm, with ids from 0.
inline std::vector<Routes> one_each(const std::vector<WormRoute>& worms, std::uint64_t length_flits) {
  std::vector<Routes> all;
  for (const WormRoute& worm : worms) all.push_back(multicast(all.size(), {worm}, length_flits));
  return all;
}

/// On a 2×2 mesh: four unicasts that turn in a ring, each over the channel that the one before it asks for.
inline std::vector<WormRoute> four_turns(const Topology& mesh) {
  return {path(mesh, {0, 1, 3}), path(mesh, {1, 3, 2}), path(mesh, {3, 2, 0}), path(mesh, {2, 0, 1})};
}

/// Multicasts with the network and the routers that they are for.
struct Set {
  std::unique_ptr<const Topology> topology;
  RouterModel model;
  std::vector<Routes> multicasts;
};

inline Verdict verdict_of(const Topology& topology, CheckOptions options,
                          const std::vector<Routes>& multicasts) {
  options.answer_check = check_answer;
  DeadlockChecker checker(topology, options);
  for (const Routes& routes : multicasts) checker.add(routes);
  return checker.verdict();
}

inline Verdict check(const Topology& topology, const RouterModel& model,
                     const std::vector<Routes>& multicasts, const SearchLimits& limits = {}) {
  CheckOptions options;
  options.model = model;
  options.limits = limits;
  return verdict_of(topology, options, multicasts);
}

inline Verdict check(const Set& set, const SearchLimits& limits = {}) {
  return check(*set.topology, set.model, set.multicasts, limits);
}

/// The flit engine's run of multicasts in the order of their starts.
inline Summary simulate(const Topology& topology, const RouterModel& model,
                        const std::vector<Routes>& multicasts) {
  SimulationOptions options;
  options.model = model;
  const auto engine = make_flit_engine(topology, options);
  for (const Routes& routes : multicasts) engine->push(routes);
  engine->finish();
  return engine->summary();
}

/// A deadlock was found, and the simulator ends in one with the witness.
inline void check_replays(const Topology& topology, const RouterModel& model, const Verdict& verdict) {
  REQUIRE(verdict.answer() == Answer::deadlock);
  CHECK(simulate(topology, model, witness_routes(verdict.witness())).outcome == Outcome::deadlock);
}

/// The independent check accepts the verdict on these routes.
inline void check_verified(const Topology& topology, const Verdict& verdict, const std::vector<Routes>& all) {
  VerdictCheck check(topology, verdict, 1'000'000);
  for (const Routes& routes : all) check.add(routes);
  const CheckedVerdict checked = check.finish();
  INFO(checked.reason);
  CHECK(checked.outcome == CheckedVerdict::Outcome::holds);
}

/// The first worm of each multicast, with its length.
inline std::vector<ExploredWorm> explored(const RouterModel& model, const std::vector<Routes>& multicasts) {
  std::vector<ExploredWorm> worms;
  for (const Routes& routes : multicasts)
    worms.push_back(
        ExploredWorm{routes.worms.front(), routes.plan.request.length_flits + model.header_flits});
  return worms;
}

inline std::uint32_t random_neighbour(Random& random, const Topology& topology, std::uint32_t node) {
  for (;;) {
    const auto port = static_cast<std::uint32_t>(random.below(topology.ports()));
    if (const auto to = topology.neighbour(NodeId{node}, PortId{port})) return to->value;
  }
}

/// A random path without repeated nodes of at most `hops` hops, some intermediate deliveries.
inline WormRoute random_path(Random& random, const Topology& topology, std::uint32_t hops) {
  std::vector<std::uint32_t> nodes{static_cast<std::uint32_t>(random.below(topology.routers()))};
  std::set<std::uint32_t> destinations;
  for (std::uint32_t tries = 0; nodes.size() <= hops && (tries < 12 || nodes.size() < 2); ++tries) {
    const std::uint32_t next = random_neighbour(random, topology, nodes.back());
    if (std::find(nodes.begin(), nodes.end(), next) != nodes.end()) continue;
    nodes.push_back(next);
    if (random.below(2) == 0) destinations.insert(next);
  }
  return path(topology, nodes, destinations);
}

/// A random tree of `hops` channels that visits no node twice.
inline WormRoute random_tree(Random& random, const Topology& topology, std::uint32_t hops,
                             Copies replication) {
  const auto source = static_cast<std::uint32_t>(random.below(topology.routers()));
  std::vector<std::pair<std::uint32_t, int>> nodes;
  std::set<std::uint32_t> seen{source}, destinations;
  for (std::uint32_t tries = 0; nodes.size() < hops && tries < 50; ++tries) {
    const int parent = static_cast<int>(random.below(nodes.size() + 1)) - 1;
    const std::uint32_t next = random_neighbour(
        random, topology, parent < 0 ? source : nodes[static_cast<std::size_t>(parent)].first);
    if (!seen.insert(next).second) continue;
    nodes.emplace_back(next, parent);
    if (random.below(3) == 0) destinations.insert(next);
  }
  return tree(topology, source, nodes, replication, destinations);
}

}  // namespace wormcast::hand_made

// Irregular networks and tables on them that route every pair of hosts, with one multicast group.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "routing/forwarding_tables.hpp"
#include "topology/generator.hpp"
#include "topology/random.hpp"
#include "topology/topology.hpp"

namespace wormcast {

inline std::unique_ptr<const Topology> irregular(std::uint64_t seed, std::uint64_t switches) {
  return build_topology(generate(*find_generator("irregular"),
                                 {{"switches", switches}, {"ports", 7}, {"hosts", 2}, {"seed", seed}}));
}

/// Of the tables of random_tables, with each unicast entry for one destination changed with a chance of one
/// in `every`: left out, or through a random port, so that routes are lost or run in a circle.
inline ForwardingTables spoilt_tables(const ForwardingTables& tables, std::uint64_t every, Random& random) {
  const Topology& topology = tables.topology();
  ForwardingTables result(topology);
  for (std::uint32_t r = 0; r < topology.routers(); ++r) {
    RouterTable table;
    table.router = NodeId{r};
    for (std::uint32_t h = 0; h < topology.hosts(); ++h) {
      TableHop hop = tables.next(NodeId{r}, HostId{h});
      if (random.below(every) == 0) {
        const PortId port{static_cast<std::uint32_t>(random.below(topology.ports()))};
        if (random.below(2) == 0 || !topology.neighbour(NodeId{r}, port)) continue;
        hop = static_cast<TableHop>(topology.channel(NodeId{r}, port).value);
      }
      table.unicast.push_back({hop, {HostId{h}}});
    }
    for (const auto& [name, group] : tables.groups())
      if (const auto hops = group.find(NodeId{r}); hops != group.end())
        table.multicast.push_back({name, hops->second});
    result.add(table);
  }
  return result;
}

/// Shortest ways to each destination, ties at random, and a tree from a random router to random hosts.
inline ForwardingTables random_tables(const Topology& topology, Random& random) {
  std::vector<RouterTable> tables(topology.routers());
  const auto hop_towards = [&](NodeId at, NodeId to) {
    std::vector<TableHop> hops;
    for (std::uint32_t port = 0; port < topology.ports(); ++port) {
      const auto next = topology.neighbour(at, PortId{port});
      if (next && topology.distance(*next, to) + 1 == topology.distance(at, to))
        hops.push_back(static_cast<TableHop>(topology.channel(at, PortId{port}).value));
    }
    return hops[random.below(hops.size())];
  };
  const NodeId root = topology.router_of(HostId{0});  // host 0 is a member, so no end of the tree is dead
  for (std::uint32_t r = 0; r < topology.routers(); ++r) tables[r].router = NodeId{r};
  std::set<std::pair<std::uint32_t, TableHop>> tree;
  std::vector<TableHop> up(topology.routers());
  for (std::uint32_t r = 0; r < topology.routers(); ++r)
    if (NodeId{r} != root) up[r] = hop_towards(NodeId{r}, root);
  for (std::uint32_t h = 0; h < topology.hosts(); ++h) {
    const NodeId home = topology.router_of(HostId{h});
    for (std::uint32_t r = 0; r < topology.routers(); ++r) {
      const TableHop hop = NodeId{r} == home ? ~static_cast<TableHop>(h) : hop_towards(NodeId{r}, home);
      tables[r].unicast.push_back({hop, {HostId{h}}});
    }
    if (h != 0 && random.below(3) != 0) continue;
    tree.insert({home.value, ~static_cast<TableHop>(h)});
    for (NodeId at = home; at != root;
         at = topology.ends(ChannelId{static_cast<std::uint32_t>(up[at.value])})->to) {
      tree.insert({at.value, up[at.value]});
      tree.insert(
          {topology.ends(ChannelId{static_cast<std::uint32_t>(up[at.value])})->to.value, up[at.value] ^ 1});
    }
  }
  for (const auto& [router, hop] : tree) {
    if (tables[router].multicast.empty()) tables[router].multicast.push_back({"g", {}});
    tables[router].multicast.front().hops.push_back(hop);
  }
  ForwardingTables result(topology);
  for (const RouterTable& table : tables) result.add(table);
  return result;
}

}  // namespace wormcast

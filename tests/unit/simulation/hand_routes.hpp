// Routes written by hand: worms along given nodes.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "multicast/routes.hpp"
#include "topology/topology.hpp"

namespace wormcast {

inline ChannelId channel_between(const Topology& topology, std::uint32_t from, std::uint32_t to) {
  for (std::uint32_t port = 0; port < topology.ports(); ++port)
    if (topology.neighbour(NodeId{from}, PortId{port}) == NodeId{to})
      return topology.channel(NodeId{from}, PortId{port});
  throw std::logic_error("no channel between these nodes");
}

/// A worm from nodes[0] through the others in order, consumed at every node of `stops`.
inline WormRoute path_worm(const Topology& topology, const std::vector<std::uint32_t>& nodes,
                           const std::vector<std::uint32_t>& stops,
                           RouteHop::Kind kind = RouteHop::Kind::deliver) {
  WormRoute worm;
  worm.source = HostId{nodes[0]};
  std::int32_t last = -1;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) {
      worm.hops.push_back({channel_between(topology, nodes[i - 1], nodes[i]).value, last});
      last = static_cast<std::int32_t>(worm.hops.size()) - 1;
    }
    if (std::find(stops.begin(), stops.end(), nodes[i]) != stops.end())
      worm.hops.push_back({nodes[i], last, 0, kind});
  }
  return worm;
}

/// Nodes from `from` to `to`, first along x, then along y.
inline std::vector<std::uint32_t> xy_nodes(const Topology& topology, std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> nodes = {from};
  const Grid& grid = *topology.grid();
  for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension)
    while (grid.coordinate(NodeId{nodes.back()}, dimension) != grid.coordinate(NodeId{to}, dimension)) {
      const bool up =
          grid.coordinate(NodeId{nodes.back()}, dimension) < grid.coordinate(NodeId{to}, dimension);
      nodes.push_back(up ? nodes.back() + grid.stride(dimension) : nodes.back() - grid.stride(dimension));
    }
  return nodes;
}

/// A multicast with these worms; its destinations are what they deliver to.
inline Routes multicast(std::uint64_t id, Cycle start, std::uint64_t flits, std::vector<WormRoute> worms) {
  Routes routes;
  Request& request = routes.plan.request;
  request.id = id;
  request.source = worms.front().source;
  request.start_cycle = start;
  request.length_flits = flits;
  for (const WormRoute& worm : worms)
    for (const RouteHop& hop : worm.hops)
      if (hop.kind == RouteHop::Kind::deliver) request.destinations.push_back(HostId{hop.target});
  std::sort(request.destinations.begin(), request.destinations.end());
  for (WormRoute& worm : worms) worm.settle_replication();
  routes.worms = std::move(worms);
  return routes;
}

}  // namespace wormcast

// Networks with hosts, links and routers taken out.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.hpp"

namespace wormcast {

/// What is taken out of a network.
struct Faults {
  std::vector<std::string> links;       ///< "A,B": all between two routers, by numbers, coordinates or names
  std::vector<std::string> routers;     ///< with their links and hosts
  std::optional<std::uint64_t> random;  ///< so many further links, the network staying in one piece
  std::uint64_t seed = 1;
  std::vector<std::string> cores{};  ///< routers that go on, without their hosts; of grids "*,2" is a row

  bool any() const { return !hosts_alone() || !cores.empty(); }
  bool hosts_alone() const { return links.empty() && routers.empty() && !random.has_value(); }
};

/// What is left of a network, in its order, each by the number that it had before.
struct Survivors {
  std::vector<std::uint32_t> routers, hosts, links;
};

/// The router that a text names: its number, its coordinates on a mesh or torus ("3,2"), or its name or
/// GUID on a graph. Nothing where there is none, several of that name, or another one of that number;
/// "name:7" and "number:7" tell those apart.
std::optional<NodeId> router_named(const Topology& topology, std::string_view text);
/// The same; throws InputError on `field`, which says why there is none.
NodeId find_router(const Topology& topology, std::string_view field, std::string_view text);
/// Coordinates, address or name of a router, as text.
std::string router_name(const Topology& topology, NodeId router);

/// The same network as a graph, link by link: routers named by their coordinates, ports kept.
TopologySpec as_graph(const Topology& topology);
/// What is left of the network: a grid where no routers go, of the same family where hosts alone do, else a
/// graph; its labels where all routers and links are. Throws InputError ("--without-link"). `survivors`: what
/// is left of a graph.
TopologySpec with_faults(const Topology& topology, const Faults& faults, Survivors* survivors = nullptr);

}  // namespace wormcast

// Small builders, for planners.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Adds a worm that visits `stops` one after the other if there are any.
void append_chain(std::vector<Worm>& worms, HostId source, std::span<const HostId> stops);
/// Forces the first port unless the routing function takes that port by itself, whatever routers choose.
void leave_by(Worm& worm, PortId port, const RoutingFunction& routing);

/// The destinations on both sides of the source in label order, outwards from it.
struct LabelHalves {
  std::vector<HostId> up;     ///< labels above the source's, ascending
  std::vector<HostId> down;   ///< labels below, descending
  std::vector<HostId> local;  ///< other hosts of the source's own router, to which a worm takes no channel
};

/// O(k) on 2-D meshes with the closed-form snake (the request is sorted by node), else O(k log k).
LabelHalves split_by_label(const Topology& topology, const Request& request);

/// Why planners of rows and columns do not apply: it is no mesh of two dimensions.
std::optional<std::string> no_plane_mesh(const Topology& topology);

/// A concentrated mesh: its routers, and its hosts, numbered row by row over the whole chip.
struct Tiles final : PlannerData {
  Tiles(Grid of_routers, Grid of_hosts) : routers(std::move(of_routers)), hosts(std::move(of_hosts)) {}

  Grid routers, hosts;
};
bool concentrated_mesh(const Topology& topology);
/// As no_plane_mesh(), but concentrated meshes will do.
std::optional<std::string> no_plane_of_hosts(const Topology& topology);
/// Tiles of a concentrated mesh, nullptr elsewhere; for planners that take both.
std::shared_ptr<const PlannerData> prepare_tiles(const PlanningContext& context);
/// By a context that prepare_tiles() has prepared: the grid of routers, and that of hosts; nullptr: none.
const Grid* router_grid(const PlanningContext& context);
const Grid* host_grid(const PlanningContext& context);
/// Supports everything.
std::optional<std::string> any_topology(const Topology& topology);

/// Coordinates of mesh nodes and bits of hypercube addresses, under one name.
class Coordinates {
 public:
  /// `grid`: of routers, where the topology has none of its own.
  explicit Coordinates(const Topology& topology, const Grid* grid = nullptr)
      : topology_(&topology), grid_(grid != nullptr ? grid : topology.grid()) {}
  bool on_grid() const { return grid_ != nullptr; }
  std::uint32_t dimensions() const { return grid_ ? grid_->dimensions() : topology_->ports(); }
  /// Nodes of a dimension.
  std::uint32_t size(std::uint32_t dimension) const { return grid_ ? grid_->dims()[dimension] : 2; }
  std::uint32_t of(NodeId node, std::uint32_t dimension) const {
    return grid_ ? grid_->coordinate(node, dimension) : node.value >> dimension & 1u;
  }
  std::uint32_t stride(std::uint32_t dimension) const {
    return grid_ ? grid_->stride(dimension) : 1u << dimension;
  }

 private:
  const Topology* topology_;
  const Grid* grid_;
};

/// The destinations on one switch, by id.
struct SwitchGroup {
  NodeId node;
  std::vector<HostId> hosts;
};

/// Groups by switch id.
inline std::vector<SwitchGroup> group_by_switch(const Topology& topology, const Request& request) {
  std::vector<std::pair<NodeId, HostId>> all;
  all.reserve(request.destinations.size());
  for (const HostId host : request.destinations) all.emplace_back(topology.router_of(host), host);
  std::sort(all.begin(), all.end());
  std::vector<SwitchGroup> groups;
  groups.reserve(all.size());
  for (const auto& [node, host] : all) {
    if (groups.empty() || groups.back().node != node) groups.push_back({node, {}});
    groups.back().hosts.push_back(host);
  }
  return groups;
}

/// The unicasts that spread the message of `chain[source]` over the chain in ⌈log2 m⌉ steps, step by
/// step, each `after` the one that informed its sender. Halves the chain again and again; the holder
/// of one half sends to the node of the other half that is nearest in the chain, so a source that
/// leads the chain always sends to the first node of the upper half.
std::vector<Worm> unicast_tree(std::span<const HostId> chain, std::size_t source);

}  // namespace wormcast

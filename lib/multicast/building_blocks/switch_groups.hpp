// Destinations by the switch they hang on, and lists of hosts that stand switch by switch.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "multicast/request.hpp"
#include "topology/topology.hpp"

namespace wormcast {

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
  for (const auto& [node, host] : all) {
    if (groups.empty() || groups.back().node != node) groups.push_back({node, {}});
    groups.back().hosts.push_back(host);
  }
  return groups;
}

/// Source and destinations by (position of their switch, id), rotated so that the source leads.
template <class Position>
std::vector<HostId> rotated_chain(const Topology& topology, const Request& request, Position position) {
  std::vector<std::pair<std::uint32_t, HostId>> placed;
  placed.reserve(request.destinations.size() + 1);
  const auto place = [&](HostId host) { return std::pair(position(topology.router_of(host)), host); };
  for (const HostId host : request.destinations) placed.push_back(place(host));
  placed.push_back(place(request.source));
  std::sort(placed.begin(), placed.end());
  std::rotate(placed.begin(), std::lower_bound(placed.begin(), placed.end(), place(request.source)),
              placed.end());
  std::vector<HostId> chain;
  chain.reserve(placed.size());
  for (const auto& entry : placed) chain.push_back(entry.second);
  return chain;
}

}  // namespace wormcast

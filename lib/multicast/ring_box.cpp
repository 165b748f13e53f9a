// Boxes of nodes, which may wrap. Cost: O(nodes of the box · log).
// SPDX-License-Identifier: MIT
#include "multicast/header.hpp"

#include <algorithm>

namespace wormcast {
namespace {

/// Whether ascending coordinates are an interval of their ring: at most one gap, or one at the ends alone.
bool ring_interval(const std::vector<std::uint32_t>& coordinates, std::uint32_t size) {
  std::uint32_t gaps = 0;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const std::uint32_t next = coordinates[(i + 1) % coordinates.size()];
    gaps += (coordinates[i] + 1) % size == next ? 0 : 1;
  }
  return gaps <= 1;
}

}  // namespace

std::vector<HostId> hosts_of(const Grid& grid, const RingBox& box, HostId but) {
  std::vector<HostId> hosts;
  for (const std::uint32_t y : box[1])
    for (const std::uint32_t x : box[0]) {
      const HostId host{x + y * grid.stride(1)};
      if (host != but) hosts.push_back(host);
    }
  std::sort(hosts.begin(), hosts.end());
  return hosts;
}

std::optional<RingBox> box_of(const Grid& grid, const Request& request) {
  std::vector<HostId> nodes = request.destinations;
  for (const bool with_source : {false, true}) {  // the source may be a hole in the box
    if (with_source) nodes.push_back(request.source);
    RingBox box;
    bool intervals = true;
    for (const std::uint32_t d : {0U, 1U}) {
      for (const HostId host : nodes) box[d].push_back(grid.coordinate(NodeId{host.value}, d));
      std::sort(box[d].begin(), box[d].end());
      box[d].erase(std::unique(box[d].begin(), box[d].end()), box[d].end());
      intervals = intervals && ring_interval(box[d], grid.dims()[d]);
    }
    // Destinations are within by construction: none is missing if there are as many as the box has.
    if (intervals && hosts_of(grid, box, request.source).size() == request.destinations.size()) return box;
  }
  return std::nullopt;
}

}  // namespace wormcast

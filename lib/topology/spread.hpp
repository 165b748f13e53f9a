// A search outwards from routers.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Breadth first from these routers, port by port: calls enough(router, before), the router that it was found
/// from (of the first itself), until that says so.
template <class Enough>
void spread(const Topology& topology, const std::vector<NodeId>& from, const Enough& enough,
            std::optional<NodeId> barred = std::nullopt) {
  std::vector<bool> seen(topology.routers());
  std::vector<std::pair<NodeId, NodeId>> queue;
  if (barred) seen[barred->value] = true;
  const auto meet = [&](NodeId router, NodeId before) {
    if (!seen[router.value]) queue.emplace_back(router, before);
    seen[router.value] = true;
  };
  for (const NodeId start : from) meet(start, start);
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const auto [router, before] = queue[head];
    if (enough(router, before)) return;
    for (std::uint32_t port = 0; port < topology.ports(); ++port)
      if (const auto next = topology.neighbour(router, PortId{port})) meet(*next, router);
  }
}

}  // namespace wormcast

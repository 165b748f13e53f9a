// The hops out of a router that are one hop closer to a destination.
// SPDX-License-Identifier: MIT
#include "routing/adaptive/adaptive_routing.hpp"

#include <string>

namespace wormcast {

MinimalHops::MinimalHops(const Topology& network) : network_(&network) {
  if (network.bit_addresses()) return;
  if (network.ring_grid() || network.line_grid()) {
    grid_ = network.grid();
    return;
  }
  shortest_ = find_routing_function("shortest")->bind(network);
  adjacency_.emplace(network);
}

}  // namespace wormcast

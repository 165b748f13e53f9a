// The order in which a router makes serial copies.
// SPDX-License-Identifier: MIT
#include "topology/rules/router_rules.hpp"

namespace wormcast {

std::uint32_t copy_rank(const Topology& topology, ChannelId channel) {
  const std::uint32_t port = topology.ends(channel)->port.value;  // of grids +x −x +y −y …
  return topology.grid() == nullptr || port < 2 ? port : port ^ 1U;
}

}  // namespace wormcast

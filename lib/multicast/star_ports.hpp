// The ports by which label-monotone worms can leave a source.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// A port of the source, its channel and the neighbour behind it.
struct StarPort {
  PortId port;
  ChannelId channel;
  NodeId neighbour;
};

/// The ports that lead to larger labels (`up`) or smaller ones, the nearest label first.
/// Parallel links are ports of their own, the lower port first.
std::vector<StarPort> star_ports(const Topology& topology, HostId source, bool up);

}  // namespace wormcast

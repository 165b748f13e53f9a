// Ports of one half of a source's neighbours, sorted by label.
// SPDX-License-Identifier: MIT
#include "multicast/star_ports.hpp"

#include <algorithm>

namespace wormcast {

std::vector<StarPort> star_ports(const Topology& topology, HostId source, bool up) {
  const NodeId at = topology.router_of(source);
  const Label here = topology.label(at);
  std::vector<StarPort> ports;
  ports.reserve(topology.ports());
  for (std::uint32_t p = 0; p < topology.ports(); ++p) {
    const auto neighbour = topology.neighbour(at, PortId{p});
    if (!neighbour || *neighbour == at || (topology.label(*neighbour) > here) != up) continue;
    ports.push_back({PortId{p}, topology.channel(at, PortId{p}), *neighbour});
  }
  std::sort(ports.begin(), ports.end(), [&](const StarPort& a, const StarPort& b) {
    const Label x = topology.label(a.neighbour);
    const Label y = topology.label(b.neighbour);
    if (x == y) return a.port < b.port;
    return up ? x < y : y < x;
  });
  return ports;
}

}  // namespace wormcast

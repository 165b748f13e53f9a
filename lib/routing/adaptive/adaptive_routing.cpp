// What the adaptive routing functions share.
// SPDX-License-Identifier: MIT
#include "routing/adaptive/adaptive_routing.hpp"

#include <string>

#include "topology/error.hpp"

namespace wormcast {

RoutingStep AdaptiveRouting::next(NodeId at, RoutingState state, NodeId destination) const {
  std::vector<RoutingCandidate> all;
  candidates(at, state, destination, all);
  const RoutingCandidate& hop = all.front();
  return {hop.channel, hop.vc_begin, hop.to, hop.state};
}

RoutingStep AdaptiveRouting::forced(NodeId source, PortId port, RoutingState state,
                                    NodeId destination) const {
  const RoutingStep step =
      RoutingFunction::forced(source, port, state, destination);  // refuses missing links
  std::vector<RoutingCandidate> all;
  candidates(source, state, destination, all);
  for (const RoutingCandidate& hop : all)
    if (hop.channel == step.channel) return {hop.channel, hop.vc_begin, hop.to, hop.state};
  throw InputError("first_port",
                   "port " + std::to_string(port.value) + " of router " + std::to_string(source.value) +
                       " is none that the routing function chooses among on the way to router " +
                       std::to_string(destination.value));
}

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

// Whether a network is in one piece.
//
// Cost: O(channel ids), almost; memory: one number a router. cite: Tarjan 1975 (union-find).
// SPDX-License-Identifier: MIT
#include "topology/connectivity.hpp"

namespace wormcast {

std::optional<std::string> disconnected(const Topology& topology) {
  RouterSets pieces(topology.routers());
  for (std::uint32_t c = 0; c < topology.channel_bound(); ++c)
    if (const auto ends = topology.ends(ChannelId{c})) pieces.join(ends->from.value, ends->to.value);
  std::uint32_t reached = 0;
  for (std::uint32_t r = 0; r < topology.routers(); ++r) reached += pieces.find(r) == pieces.find(0) ? 1 : 0;
  if (reached == topology.routers()) return std::nullopt;
  return "it is not connected: router 0 reaches " + std::to_string(reached) + " of " +
         std::to_string(topology.routers());
}

std::optional<std::string> no_paths_both_ways(const Topology& topology) {
  if (topology.ways() != Ways::both) return "its channels run one way";
  return disconnected(topology);
}

}  // namespace wormcast

// The order in which a router makes serial copies; links that differ.
// SPDX-License-Identifier: MIT
#include "topology/rules/router_rules.hpp"

#include <string>

#include "topology/error.hpp"

namespace wormcast {

std::uint32_t copy_rank(const Topology& topology, ChannelId channel) {
  const std::uint32_t port = topology.ends(channel)->port.value;  // of grids +x −x +y −y …
  return topology.grid() == nullptr || port < 2 ? port : port ^ 1U;
}

void refuse_unlike(const Topology& topology, LinkValue what, std::string_view where) {
  if (topology.alike(what)) return;
  const std::string key(link_value_keys[static_cast<std::size_t>(what)]);
  throw InputError("topology", "links of " + topology.name() + " have " + key +
                                   " of their own, which is not answered where " + std::string(where));
}

}  // namespace wormcast

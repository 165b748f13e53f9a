// What messages hold and wait for where forwarding tables send them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "router/router_model.hpp"
#include "routing/forwarding_tables.hpp"

namespace wormcast {

/// The resources behind the hops of tables on a graph, and where hops lead. Link k is channels 2k and 2k + 1.
class TableHops {
 public:
  TableHops(const Topology& topology, const RouterModel& model)
      : resources_(topology, model), to_(topology.channel_bound()) {
    for (std::uint32_t c = 0; c < to_.size(); ++c)
      if (const auto ends = topology.ends(ChannelId{c})) to_[c] = ends->to;
  }

  /// What a message takes that leaves by `hop` on a virtual channel.
  ResourceId out(TableHop hop, std::uint32_t vc = 0) const {
    if (hop >= 0) return resources_.network(channel(hop), vc);
    return resources_.consumption(host(hop), std::nullopt, 0);  // of graphs it is not by input
  }
  /// What a message took that comes in by the link of `hop` on a virtual channel.
  ResourceId in(TableHop hop, std::uint32_t vc = 0) const {
    if (hop >= 0) return resources_.network(ChannelId{channel(hop).value ^ 1U}, vc);
    return resources_.host_link(host(hop));
  }
  ResourceId from_host(HostId source) const { return resources_.host_link(source); }
  /// `hop` is a channel.
  NodeId leads_to(TableHop hop) const { return to_[static_cast<std::size_t>(hop)]; }

 private:
  static ChannelId channel(TableHop hop) { return ChannelId{static_cast<std::uint32_t>(hop)}; }
  static HostId host(TableHop hop) { return HostId{static_cast<std::uint32_t>(~hop)}; }

  Resources resources_;
  std::vector<NodeId> to_;  ///< by channel
};

}  // namespace wormcast

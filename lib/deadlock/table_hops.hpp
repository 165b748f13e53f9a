// What messages hold and wait for where forwarding tables send them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "routing/forwarding_tables.hpp"
#include "topology/resources.hpp"

namespace wormcast {

/// The resources behind the hops of tables on a graph, and where hops lead. Link k is channels 2k and 2k + 1.
class TableHops {
 public:
  TableHops(const Topology& topology, const RouterModel& model)
      : topology_(topology), resources_(topology, model) {}

  /// What a message takes that leaves by `hop` on a virtual channel, having come by some channel or host's
  /// link.
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
  NodeId leads_to(TableHop hop) const { return topology_.ends(channel(hop))->to; }

 private:
  static ChannelId channel(TableHop hop) { return ChannelId{static_cast<std::uint32_t>(hop)}; }
  static HostId host(TableHop hop) { return HostId{static_cast<std::uint32_t>(~hop)}; }

  const Topology& topology_;
  Resources resources_;
};

}  // namespace wormcast

// Dense ids of everything a worm can hold: (channel, VC), injection and consumption channels.
// Simulator and deadlock checker share this one definition, so that a witness means the same in both.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "topology/ids.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// What a resource id stands for.
struct Resource {
  enum class Kind : std::uint8_t { network, injection, consumption, host_link };
  Kind kind = Kind::network;
  ChannelId channel;      ///< network: the channel; consumption by input: the input channel
  std::uint32_t vc = 0;   ///< network, consumption by input, injection into networks of their own
  HostId host;            ///< injection, consumption, host link
  bool by_input = false;  ///< consumption: one for each input virtual channel
};

/// Numbers the resources of one topology under one router model. Virtual channels are planes that
/// follow one another, so ids stay valid when a later worm brings a higher virtual channel:
/// injection of every host, consumption of every host (its queue, or the self-send's own), where hosts
/// have links every host's link to its switch, then for vc = 0, 1, …: every channel's network resource,
/// every channel's consumption at its end.
class Resources {
 public:
  Resources(const Topology& topology, const RouterModel& model)
      : topology_(&topology),
        hosts_(topology.hosts()),
        channels_(topology.channel_bound()),
        planes_(topology.hosts_have_links() ? 3 * topology.hosts() : 2 * topology.hosts()),
        per_input_(model.consumption_channels == 0 && !topology.hosts_have_links()),
        injection_units_(model.injection_channels),
        consumption_units_(per_input_ || topology.hosts_have_links() ? 1 : model.consumption_channels) {}

  ResourceId network(ChannelId channel, std::uint32_t vc) const {
    return ResourceId{planes_ + vc * 2 * channels_ + channel.value};
  }
  ResourceId injection(HostId host) const { return ResourceId{host.value}; }
  /// Where each virtual channel is a network of its own: into that.
  ResourceId injection(HostId host, std::uint32_t vc) const {
    return vc == 0 ? injection(host) : ResourceId{planes_ + vc * 2 * channels_ + channels_ + host.value};
  }
  /// The link from a host to its switch; only where Topology::hosts_have_links().
  ResourceId host_link(HostId host) const { return ResourceId{2 * hosts_ + host.value}; }
  /// The consumption channel a worm takes at `host` when it came by `input` on `vc`; without an
  /// input (a self-send) the host's own.
  ResourceId consumption(HostId host, std::optional<ChannelId> input, std::uint32_t vc) const {
    if (!per_input_ || !input) return ResourceId{hosts_ + host.value};
    return ResourceId{planes_ + vc * 2 * channels_ + channels_ + input->value};
  }
  /// Ids are below this when no virtual channel is `vcs` or more.
  std::uint32_t bound(std::uint32_t vcs) const { return planes_ + vcs * 2 * channels_; }
  /// How many worms can hold the resource at once; 0 = no limit (all-port injection).
  std::uint32_t units(ResourceId id) const {
    if (id.value < hosts_) return injection_units_;
    return id.value < 2 * hosts_ ? consumption_units_ : 1;
  }
  /// True where worms can block each other for injection channels. A host with a link has room for one worm
  /// there, which all its worms wait for as well, however many injection channels lead to it.
  bool injection_blocks() const { return injection_units_ > 0 && !topology_->hosts_have_links(); }
  Resource::Kind kind(ResourceId id) const;
  Resource describe(ResourceId id) const;

 private:
  const Topology* topology_;
  std::uint32_t hosts_;
  std::uint32_t channels_;
  std::uint32_t planes_;  ///< id of the first network resource
  bool per_input_;
  std::uint32_t injection_units_;
  std::uint32_t consumption_units_;
};

}  // namespace wormcast

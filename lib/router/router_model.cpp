// What the ids of resources stand for.
// SPDX-License-Identifier: MIT
#include "router/router_model.hpp"

namespace wormcast {

Resource::Kind Resources::kind(ResourceId id) const {
  if (id.value < planes_) {
    constexpr Resource::Kind kinds[] = {Resource::Kind::injection, Resource::Kind::consumption,
                                        Resource::Kind::host_link};
    return kinds[id.value / hosts_];
  }
  const bool by_input = channels_ > 0 && (id.value - planes_) % (2 * channels_) >= channels_;
  if (!by_input) return Resource::Kind::network;
  return per_input_ ? Resource::Kind::consumption : Resource::Kind::injection;
}

Resource Resources::describe(ResourceId id) const {
  Resource result;
  result.kind = kind(id);
  if (id.value < planes_) {
    result.host = HostId{id.value % hosts_};
    return result;
  }
  const std::uint32_t in_planes = id.value - planes_;
  result.vc = in_planes / (2 * channels_);
  result.channel = ChannelId{in_planes % channels_};
  if (result.kind == Resource::Kind::injection) result.host = HostId{in_planes % channels_};
  if (result.kind == Resource::Kind::consumption) {
    result.by_input = true;
    // Consumption by input exists only on direct networks, where host and router are one.
    if (const auto ends = topology_->ends(result.channel)) result.host = HostId{ends->to.value};
  }
  return result;
}

}  // namespace wormcast

// Shapes of routes.
// SPDX-License-Identifier: MIT
#include "router/worm_route.hpp"

#include <algorithm>

namespace wormcast {
namespace {

/// True if no hop, nor the source, is followed by two consumption hops.
bool consumed_once_everywhere(const std::vector<RouteHop>& hops) {
  std::vector<std::int32_t> parents;
  for (const RouteHop& hop : hops)
    if (!hop.is_channel()) parents.push_back(hop.parent);
  std::sort(parents.begin(), parents.end());
  return std::adjacent_find(parents.begin(), parents.end()) == parents.end();
}

/// True if each channel follows the one before, and each consumption hop stands alone right behind its
/// channel: so most paths stand. Without a branch on what is a channel, since that cannot be predicted.
bool stands_as_path(const std::vector<RouteHop>& hops) {
  std::int32_t last_channel = -1;
  for (std::int32_t at = 0; const RouteHop& hop : hops) {
    const bool channel = hop.is_channel();
    if ((hop.parent != last_channel) | (!channel & (last_channel + 1 != at))) return false;
    last_channel = channel ? at : last_channel;
    ++at;
  }
  return true;
}

}  // namespace

bool WormRoute::is_path() const {
  if (replication != Copies::unstated) return false;
  if (stands_as_path(hops)) return true;
  std::int32_t last_channel = -1;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (!hops[i].is_channel()) continue;
    if (hops[i].parent != last_channel) return false;
    last_channel = static_cast<std::int32_t>(i);
  }
  return consumed_once_everywhere(hops);
}

bool WormRoute::comes_to(HostId host) const {
  return std::any_of(hops.begin(), hops.end(), [&](const RouteHop& hop) { return hop.comes_to(host); });
}

bool WormRoute::delivers_to(HostId host) const {
  return std::any_of(hops.begin(), hops.end(), [&](const RouteHop& hop) { return hop.delivers_to(host); });
}

void WormRoute::settle_replication() {
  if (replication == Copies::unstated && !is_path()) replication = Copies::asynchronous;
}

}  // namespace wormcast

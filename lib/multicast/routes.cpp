// Shape of a route.
// SPDX-License-Identifier: MIT
#include "multicast/routes.hpp"

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

}  // namespace

bool WormRoute::is_path() const {
  if (replication != Replication::unstated) return false;
  std::int32_t last_channel = -1;
  bool consumed = false;  // at the end of last_channel
  bool in_order = true;   // every consumption hop stands right after its channel
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (hops[i].is_channel()) {
      if (hops[i].parent != last_channel) return false;
      last_channel = static_cast<std::int32_t>(i);
      consumed = false;
    } else if (hops[i].parent != last_channel) {
      in_order = false;
    } else if (consumed) {
      return false;
    } else {
      consumed = true;
    }
  }
  return in_order || consumed_once_everywhere(hops);
}

void WormRoute::settle_replication() {
  if (replication == Replication::unstated && !is_path()) replication = Replication::asynchronous;
}

}  // namespace wormcast

// Shape of a route.
// SPDX-License-Identifier: MIT
#include "multicast/routes.hpp"

namespace wormcast {

namespace {

/// True if the consumption hop at `index` is the only one that follows its parent.
bool only_consumption(const std::vector<RouteHop>& hops, std::size_t index) {
  for (std::size_t i = 0; i < hops.size(); ++i)
    if (i != index && !hops[i].is_channel() && hops[i].parent == hops[index].parent) return false;
  return true;
}

}  // namespace

bool WormRoute::is_path() const {
  if (replication != Replication::unstated) return false;
  std::int32_t last_channel = -1;
  bool consumed = false;  // at the end of last_channel
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (hops[i].is_channel()) {
      if (hops[i].parent != last_channel) return false;
      last_channel = static_cast<std::int32_t>(i);
      consumed = false;
    } else if (consumed || hops[i].parent != last_channel) {
      if (!only_consumption(hops, i)) return false;
    } else {
      consumed = true;
    }
  }
  return true;
}

void WormRoute::settle_replication() {
  if (replication == Replication::unstated && !is_path()) replication = Replication::asynchronous;
}

}  // namespace wormcast

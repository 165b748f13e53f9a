// Shape of a route.
// SPDX-License-Identifier: MIT
#include "multicast/routes.hpp"

namespace wormcast {

bool WormRoute::is_path() const {
  std::int32_t last_channel = -1;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (!hops[i].is_channel()) continue;
    if (hops[i].parent != last_channel) return false;
    last_channel = static_cast<std::int32_t>(i);
  }
  return true;
}

}  // namespace wormcast

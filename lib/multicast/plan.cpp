// What can be said of a plan's worms from their stops alone.
// SPDX-License-Identifier: MIT
#include "multicast/plan.hpp"

namespace wormcast {

bool is_chain(const Worm& worm) {
  for (std::size_t i = 0; i < worm.stops.size(); ++i)
    if (worm.stops[i].parent != static_cast<std::int32_t>(i) - 1) return false;
  return true;
}

}  // namespace wormcast

// Loads within a window.
// SPDX-License-Identifier: MIT
#include "simulation/engines/window_loads.hpp"

#include <algorithm>

namespace wormcast {

void WindowLoads::add(const WormPool& pool, const WormState& worm, const std::vector<std::uint64_t>& flits,
                      Cycle end) {
  end = std::min(end, window_.end());
  for (std::uint32_t i = 1; i < worm.hops; ++i) {
    const Hop& hop = pool.hop(worm.first + i);
    if (!hop.is_network() || hop.state != HopState::held) continue;
    const Cycle from = std::max(hop.since, window_.warmup_cycles);
    const Cycle until = std::min(hop.until, end);
    if (from >= until) continue;
    ChannelLoad& load = loads_[hop.target];
    load.worms += flits[i] > 0 ? 1 : 0;
    load.flits += flits[i];
    load.held_cycles += until - from;
  }
}

std::vector<ChannelLoad> WindowLoads::loads(Cycle observed) const {
  std::vector<ChannelLoad> result;
  for (std::uint32_t number = 0; number < loads_.bound(); ++number) {
    const ChannelLoad* load = loads_.find(number);
    if (load == nullptr || load->held_cycles == 0) continue;
    result.push_back(*load);
    result.back().channel = ChannelId{number};
    result.back().observed_cycles = observed;
  }
  return result;
}

}  // namespace wormcast

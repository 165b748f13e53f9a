// What crosses each channel within the window of an open-loop run.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/engine.hpp"
#include "simulation/engines/worm_pool.hpp"
#include "simulation/queues/paged_array.hpp"

namespace wormcast {

/// Adds up worms one by one, when they have let go of everything or when the run has ended.
class WindowLoads {
 public:
  explicit WindowLoads(const WindowOptions& window) : window_(window) {}

  /// The end of the warm-up is known now; nothing of the window has been simulated.
  void begin(const WindowOptions& window) { window_ = window; }
  /// False where nothing of the worm can lie within the window; then it need not be added.
  bool meets(const WormPool& pool, const WormState& worm) const {
    return (worm.held > 0 || worm.until > window_.warmup_cycles) &&
           pool.hop(worm.first).state == HopState::held && pool.hop(worm.first).since < window_.end();
  }
  /// `flits`: how many of the worm's flits have crossed each of its hops within the window, by hop from its
  /// first on. `end`: one past the last cycle simulated.
  void add(const WormPool& pool, const WormState& worm, const std::vector<std::uint64_t>& flits, Cycle end);
  /// Of the channels that anything held within the window, ascending; `observed` cycles of it were simulated.
  std::vector<ChannelLoad> loads(Cycle observed) const;

 private:
  WindowOptions window_;
  PagedArray<ChannelLoad> loads_;  ///< by channel
};

}  // namespace wormcast

// What the reference engine knows of hops, buffers and links.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulation/engines/worm_pool.hpp"
#include "topology/ids.hpp"

namespace wormcast {

/// Counts events of which only those at least `delay` cycles old are visible.
class DelayedCount {
 public:
  void add(Cycle cycle) { recent_.push_back(cycle); }
  std::uint64_t visible(Cycle now, Cycle delay) {
    std::size_t due = 0;
    while (due < recent_.size() && recent_[due] + delay <= now) ++due;
    if (due > 0) {
      last_ = recent_[due - 1];
      recent_.erase(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(due));
    }
    return old_ += due;
  }
  /// The last of those that are visible; kNever: there are none.
  Cycle last() const { return last_; }
  /// Of those that are not visible the one by which `count` will be; kNever: too few have happened.
  Cycle when(std::uint64_t count) const {
    return count - old_ <= recent_.size() ? recent_[count - old_ - 1] : kNever;
  }
  void reset() {
    old_ = 0;
    last_ = kNever;
    recent_.clear();
  }

 private:
  std::uint64_t old_ = 0;
  Cycle last_ = kNever;
  std::vector<Cycle> recent_;  ///< ascending, at most delay / F + 1
};

/// Flits that have crossed a hop.
struct FlitCrossing {
  std::uint64_t flits = 0;
  std::uint64_t base = 0;        ///< place of flit 0 in the stream through the buffer at its end
  std::uint64_t left = 0;        ///< flits that have left the end in every branch
  std::uint64_t in_window = 0;   ///< flits that have crossed within the window of an open-loop run
  Cycle first = 0;               ///< when flit 0 crossed
  Cycle last = 0;                ///< when the last one crossed
  Cycle last_left = 0;           ///< when the last of those that have left did so
  std::uint32_t behind = kNone;  ///< early reuse: the hop of the next worm in the buffer
  bool queued = false;           ///< early reuse: it stands behind what was granted the channel before
  bool ahead = false;            ///< early reuse: another worm's tail is still ahead in the buffer
  DelayedCount arrived;
};

/// The buffer at the end of a virtual channel, or of a host's link.
struct FlitBuffer {
  std::uint64_t promised = 0;      ///< flits of all worms granted so far
  std::uint32_t last_hop = kNone;  ///< early reuse: of the worm granted last, while its tail is in here
  Cycle passable = 0;              ///< early reuse: F after the last tail left
  Cycle entered = kNever;          ///< when the last flit started to
  DelayedCount freed;
};

struct FlitLink {
  Cycle free_from = 0;
  std::uint32_t pointer = 0;  ///< virtual channel that has the first choice
};

}  // namespace wormcast

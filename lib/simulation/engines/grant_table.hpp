// What holds each resource and what queues for it: one queue per resource in the order of rule 6
// (data/pages/simulator.md).
// Requests and holders are lists through the hops themselves, so nothing is allocated per request.
// What one worm holds at a time is released by the clock: the cycle is written down as soon as it is
// known, and only where a request waits does it have to be looked at when it comes.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "simulation/engines/worm_pool.hpp"

namespace wormcast {

class GrantTable {
 public:
  explicit GrantTable(WormPool& pool) : pool_(&pool) {}

  /// All that follows happens in this cycle.
  void begin_cycle(Cycle now) { now_ = now; }

  /// Puts the hop into the queue of its resource. True if it is free and no other is queued: unless others
  /// request it in this cycle, too, it is granted in it. If false, the caller must call wait().
  bool request(Hop& hop, WormState& worm, std::uint32_t slot);
  /// Of a request that may not be granted in its cycle.
  struct WaitResult {
    Cycle wake = kNever;              ///< touch() the resource in this cycle, for the first in its queue
    std::uint32_t displaced = kNone;  ///< the first in the queue, if that is now behind the request
  };
  WaitResult wait(std::uint32_t slot);
  /// A consumption channel that passes to an answer.
  struct PortHandover {
    std::uint32_t to = kNone;  ///< the answer's injection hop
    Cycle cycle = 0;           ///< when it passes
    Cycle until = kNever;      ///< when the answer releases it, once that is known; it may lie ahead
  };
  /// By slot of the consumption channel, as long as that is its worm's.
  const std::map<std::uint32_t, PortHandover>& handovers() const { return handovers_; }
  std::map<std::uint32_t, PortHandover>& handovers() { return handovers_; }
  /// The hop whose release frees what `slot` holds.
  std::uint32_t keeper(std::uint32_t slot) const {
    if (handovers_.empty()) [[likely]]
      return slot;
    const auto found = handovers_.find(slot);
    return found == handovers_.end() || found->second.until != kNever ? slot : found->second.to;
  }
  /// True if one worm holds what the hop waits for, and waits for nothing itself.
  bool held_by_moving(const Hop& hop) const {
    const ResourceState& state = *hop.resource_state;
    if (state.units != 1 || free(state)) return false;
    const WormState& holder = pool_->worm_of(pool_->hop(keeper(state.holders)));
    return holder.waiting == 0 && holder.behind == 0;
  }
  /// Moves the hop, which waits, to the holders of its resource.
  void grant(Hop& hop, WormState& worm, std::uint32_t slot);
  /// Takes the hop off a resource of several units.
  void release(std::uint32_t slot);

  /// True if one more worm could hold the resource.
  bool free(const ResourceState& state) const { return state.free_from <= now_; }
  /// First holder; further ones by Hop::next. kNone if there are none.
  std::uint32_t holders(const ResourceState& state) const {
    return state.units == 1 && free(state) ? kNone : state.holders;
  }

  bool any_touched(ResourceClass of) const { return list(of).first != nullptr; }
  /// Calls visit(state) for the resources whose queue or holders changed since the last call; those that
  /// change meanwhile are for the next one.
  template <class Visit>
  void take_touched(ResourceClass of, Visit visit) {
    for (ResourceState* state = list(of).take(); state != nullptr;) {
      ResourceState* const next = state->next_touched;
      state->touched = false;
      visit(*state);
      state = next;
    }
  }
  void touch(ResourceState& state) {
    if (!std::exchange(state.touched, true)) list(state.of).add(state);
  }

 private:
  /// In the order in which they came.
  struct TouchedList {
    ResourceState* first = nullptr;
    ResourceState** end = &first;

    TouchedList() = default;
    TouchedList(const TouchedList&) = delete;
    TouchedList& operator=(const TouchedList&) = delete;
    void add(ResourceState& state) {
      state.next_touched = nullptr;
      *end = &state;
      end = &state.next_touched;
    }
    ResourceState* take() {
      end = &first;
      return std::exchange(first, nullptr);
    }
  };

  TouchedList& list(ResourceClass of) { return touched_[static_cast<std::size_t>(of)]; }
  const TouchedList& list(ResourceClass of) const { return touched_[static_cast<std::size_t>(of)]; }
  void leave_queue(Hop& hop);
  void grant_unit(Hop& hop, std::uint32_t slot);

  WormPool* pool_;
  Cycle now_ = 0;
  std::array<TouchedList, 3> touched_;
  std::map<std::uint32_t, PortHandover> handovers_;
};

inline bool GrantTable::request(Hop& hop, WormState& worm, std::uint32_t slot) {
  hop.since = now_;
  hop.state = HopState::waiting;
  worm.requested = slot;
  ++worm.waiting;
  ResourceState& state = *hop.resource_state;
  if (state.queue_head != kNone || !free(state)) return false;
  state.queue_head = slot;
  state.queue_tail = slot;
  touch(state);
  return true;
}

inline void GrantTable::grant(Hop& hop, WormState& worm, std::uint32_t slot) {
  ResourceState& state = *hop.resource_state;
  if (hop.prev == kNone && hop.next == kNone) [[likely]] {
    state.queue_head = kNone;
    state.queue_tail = kNone;
  } else {
    leave_queue(hop);
  }
  if (state.units == 1) {
    state.free_from = kNever;
    state.holders = slot;
  } else if (state.units > 1) {
    grant_unit(hop, slot);
  }
  hop.since = now_;
  hop.state = HopState::held;
  --worm.waiting;
}

}  // namespace wormcast

// Who holds each resource and who queues for it: one queue per resource in the order of rule 6.
// Requests and holders are lists through the hops themselves, so nothing is allocated per request.
// What one worm holds at a time is released by the clock: the cycle is written down as soon as it is
// known, and only where somebody waits does anyone have to look when it comes.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulation/paged_array.hpp"
#include "simulation/worm_pool.hpp"

namespace wormcast {

class GrantTable {
 public:
  /// The classes of resources, in the order in which a cycle grants them (rule 5).
  enum Class : std::uint32_t { injection, consumption, network };

  /// One resource. Stays where it is.
  struct State {
    Cycle free_from = 0;  ///< of a single unit; kNever while nobody knows
    std::uint32_t queue_head = kNone;
    std::uint32_t queue_tail = kNone;
    std::uint32_t holders = kNone;  ///< of a single unit: the latest, also when it is off
    std::uint32_t used = 0;         ///< of several units
    std::uint32_t units = kNone;    ///< as Resources says; kNone until it was asked
    bool touched = false;
  };

  explicit GrantTable(WormPool& pool) : pool_(&pool) {}

  /// All that follows happens in this cycle.
  void begin_cycle(Cycle now) { now_ = now; }

  /// What a request met.
  struct Met {
    Cycle wake = kNever;              ///< touch() the resource in this cycle, for the first in its queue
    bool waits = false;               ///< it may not be granted in this cycle
    std::uint32_t displaced = kNone;  ///< the first in the queue, if that is now behind the request
  };
  /// Puts the hop into the queue of its resource.
  Met request(std::uint32_t slot);
  /// Moves the hop, which waits, to the holders of its resource, `state`.
  void grant(std::uint32_t slot, State& state);
  /// What is to be done in the cycle in which a hop is off its resource.
  enum class Then : std::uint8_t { nothing, wake, release };
  /// The hop, which holds, will be off its resource from `cycle`, after now, on.
  Then release_from(const Hop& hop, Cycle cycle) {
    State& state = resources_.at(hop.resource.value);
    if (state.units != 1) return state.units == 0 ? Then::nothing : Then::release;
    state.free_from = cycle;
    return state.queue_head == kNone ? Then::nothing : Then::wake;
  }
  /// Takes the hop off a resource of several units.
  void release(std::uint32_t slot);

  State& state(ResourceId resource) { return resources_[resource.value]; }
  /// True if one more worm could hold the resource.
  bool free(const State& state) const {
    return state.units == 1 ? state.free_from <= now_ : state.units == 0 || state.used < state.units;
  }
  /// First in the queue, or kNone.
  std::uint32_t head(ResourceId resource) const { return resources_.find(resource.value)->queue_head; }
  bool free(ResourceId resource) const { return free(*resources_.find(resource.value)); }
  /// First holder; further ones by Hop::next. kNone if there are none.
  std::uint32_t holders(ResourceId resource) const {
    const State& state = *resources_.find(resource.value);
    return state.units == 1 && state.free_from <= now_ ? kNone : state.holders;
  }

  /// Resources whose queue or holders changed since the last call; swapped into `touched`. The caller clears
  /// State::touched of each.
  void take_touched(Class of, std::vector<State*>& touched) {
    touched.clear();
    std::swap(touched, touched_[of]);
  }
  bool any_touched(Class of) const { return !touched_[of].empty(); }
  void touch(ResourceId resource, Class of) { touch(resources_[resource.value], of); }
  /// The same for a resource that somebody waits for.
  void touch_waited(ResourceId resource) {
    State& waited = resources_[resource.value];
    touch(waited, class_of(pool_->hop(waited.queue_head)));
  }

  static Class class_of(const Hop& hop) {
    if (hop.kind == HopKind::channel) return network;
    return hop.kind == HopKind::injection ? injection : consumption;
  }

 private:
  void touch(State& state, Class of) {
    if (std::exchange(state.touched, true)) return;
    touched_[of].push_back(&state);
  }

  WormPool* pool_;
  Cycle now_ = 0;
  PagedArray<State> resources_;
  std::array<std::vector<State*>, 3> touched_;
};

inline GrantTable::Met GrantTable::request(std::uint32_t slot) {
  Hop& hop = pool_->hop(slot);
  hop.since = now_;
  hop.state = HopState::waiting;
  WormState& worm = pool_->worm_of(hop);
  ++worm.waiting;
  worm.requested = slot;
  State& state = resources_[hop.resource.value];
  if (state.units == kNone) state.units = pool_->resources().units(hop.resource);
  Met met;
  if (state.queue_tail == kNone) {
    hop.prev = hop.next = kNone;
    state.queue_head = state.queue_tail = slot;
    if (!free(state)) {
      met.waits = true;
      if (state.units == 1) met.wake = state.free_from;  // otherwise release() touches it
      return met;
    }
  } else {
    const std::uint32_t first = state.queue_head;
    std::uint32_t after = state.queue_tail;  // only requests of this very cycle can stand behind it
    while (after != kNone && pool_->requested_before(hop, pool_->hop(after))) after = pool_->hop(after).prev;
    hop.prev = after;
    hop.next = after == kNone ? state.queue_head : pool_->hop(after).next;
    (hop.prev == kNone ? state.queue_head : pool_->hop(hop.prev).next) = slot;
    (hop.next == kNone ? state.queue_tail : pool_->hop(hop.next).prev) = slot;
    met.waits = true;
    if (after == kNone) met.displaced = first;
    if (!free(state)) return met;  // whoever was first has seen to it
  }
  touch(state, class_of(hop));
  return met;
}

inline void GrantTable::grant(std::uint32_t slot, State& state) {
  Hop& hop = pool_->hop(slot);
  (hop.prev == kNone ? state.queue_head : pool_->hop(hop.prev).next) = hop.next;
  (hop.next == kNone ? state.queue_tail : pool_->hop(hop.next).prev) = hop.prev;
  hop.prev = kNone;
  hop.next = kNone;
  if (state.units == 1) {
    state.free_from = kNever;
    state.holders = slot;
  } else if (state.units > 1) {
    hop.next = state.holders;
    if (hop.next != kNone) pool_->hop(hop.next).prev = slot;
    state.holders = slot;
    ++state.used;
  }
  hop.since = now_;
  hop.state = HopState::held;
  --pool_->worm_of(hop).waiting;
}

inline void GrantTable::release(std::uint32_t slot) {
  Hop& hop = pool_->hop(slot);
  State& state = resources_.at(hop.resource.value);
  (hop.prev == kNone ? state.holders : pool_->hop(hop.prev).next) = hop.next;
  if (hop.next != kNone) pool_->hop(hop.next).prev = hop.prev;
  --state.used;
  touch(state, class_of(hop));
}

}  // namespace wormcast

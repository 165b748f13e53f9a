// Slow paths: contended queues, multi-unit resources.
// SPDX-License-Identifier: MIT
#include "simulation/engines/grant_table.hpp"

namespace wormcast {

GrantTable::WaitResult GrantTable::wait(std::uint32_t slot) {
  Hop& hop = pool_->hop(slot);
  ResourceState& state = *hop.resource_state;
  WaitResult result;
  if (state.queue_head == kNone) {
    state.queue_head = state.queue_tail = slot;
    result.wake = state.free_from;  // of several units: never, release() touches it
    return result;
  }
  const std::uint32_t first = state.queue_head;
  std::uint32_t after = state.queue_tail;  // only requests of this very cycle can stand behind it
  while (after != kNone && pool_->requested_before(hop, pool_->hop(after))) after = pool_->hop(after).prev;
  hop.prev = after;
  hop.next = after == kNone ? first : pool_->hop(after).next;
  (hop.prev == kNone ? state.queue_head : pool_->hop(hop.prev).next) = slot;
  (hop.next == kNone ? state.queue_tail : pool_->hop(hop.next).prev) = slot;
  if (after == kNone) result.displaced = first;
  if (free(state)) touch(state);  // otherwise the first in the queue has seen to it
  return result;
}

/// Others stand in it, too.
void GrantTable::leave_queue(Hop& hop) {
  ResourceState& state = *hop.resource_state;
  (hop.prev == kNone ? state.queue_head : pool_->hop(hop.prev).next) = hop.next;
  (hop.next == kNone ? state.queue_tail : pool_->hop(hop.next).prev) = hop.prev;
  hop.prev = kNone;
  hop.next = kNone;
}

void GrantTable::grant_unit(Hop& hop, std::uint32_t slot) {
  ResourceState& state = *hop.resource_state;
  hop.next = state.holders;
  if (hop.next != kNone) pool_->hop(hop.next).prev = slot;
  state.holders = slot;
  if (++state.used == state.units) state.free_from = kNever;
}

void GrantTable::release(std::uint32_t slot) {
  const Hop& hop = pool_->hop(slot);
  ResourceState& state = *hop.resource_state;
  (hop.prev == kNone ? state.holders : pool_->hop(hop.prev).next) = hop.next;
  if (hop.next != kNone) pool_->hop(hop.next).prev = hop.prev;
  --state.used;
  state.free_from = 0;
  touch(state);
}

}  // namespace wormcast

// Queues and holders of resources.
// SPDX-License-Identifier: MIT
#include "simulation/grant_table.hpp"

#include <utility>

namespace wormcast {

void GrantTable::touch(ResourceId resource, Class of) {
  State& state = resources_[resource.value];
  if (state.touched) return;
  state.touched = true;
  touched_[of].push_back(resource);
}

void GrantTable::take_touched(Class of, std::vector<ResourceId>& touched) {
  touched.clear();
  std::swap(touched, touched_[of]);
  for (const ResourceId resource : touched) resources_[resource.value].touched = false;
}

bool GrantTable::free(ResourceId resource) const {
  const std::uint32_t units = pool_->resources().units(resource);
  return units == 0 || resources_.find(resource.value)->used < units;
}

void GrantTable::request(std::uint32_t slot, Cycle cycle) {
  Hop& hop = pool_->hop(slot);
  hop.since = cycle;
  hop.state = HopState::waiting;
  WormState& worm = pool_->worm_of(hop);
  ++worm.waiting;
  worm.requested = slot;
  State& state = resources_[hop.resource.value];
  std::uint32_t after = state.queue_tail;  // only requests of this very cycle can stand behind it
  while (after != kNone && pool_->requested_before(hop, pool_->hop(after))) after = pool_->hop(after).prev;
  hop.prev = after;
  hop.next = after == kNone ? state.queue_head : pool_->hop(after).next;
  (hop.prev == kNone ? state.queue_head : pool_->hop(hop.prev).next) = slot;
  (hop.next == kNone ? state.queue_tail : pool_->hop(hop.next).prev) = slot;
  touch(hop.resource, class_of(hop));
}

void GrantTable::grant(std::uint32_t slot, Cycle cycle) {
  Hop& hop = pool_->hop(slot);
  State& state = resources_[hop.resource.value];
  (hop.prev == kNone ? state.queue_head : pool_->hop(hop.prev).next) = hop.next;
  (hop.next == kNone ? state.queue_tail : pool_->hop(hop.next).prev) = hop.prev;
  hop.prev = kNone;
  hop.next = state.holders;
  if (hop.next != kNone) pool_->hop(hop.next).prev = slot;
  state.holders = slot;
  ++state.used;
  hop.since = cycle;
  hop.state = HopState::held;
  --pool_->worm_of(hop).waiting;
}

void GrantTable::release(std::uint32_t slot) {
  Hop& hop = pool_->hop(slot);
  State& state = resources_[hop.resource.value];
  (hop.prev == kNone ? state.holders : pool_->hop(hop.prev).next) = hop.next;
  if (hop.next != kNone) pool_->hop(hop.next).prev = hop.prev;
  --state.used;
  hop.state = HopState::released;
  touch(hop.resource, class_of(hop));
}

}  // namespace wormcast

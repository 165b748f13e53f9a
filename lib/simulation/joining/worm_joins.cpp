// Joins by request in the worm engine: headers move, and tails follow by its formula (worm_engine.cpp).
//
// A join is a branch run backwards: flit i comes to a hop from all those before it, and leaves to one. What
// follows a hop is a path to the root then, t grows along it, and a = 0 is enough. So the tail of a hop is
// known when the header K steps after it, or at the root, has crossed.
//
// Cost: O(K) a hop. cite: derived here; the flit engine is its measure.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <utility>

#include "simulation/engines/worm_motion.hpp"

namespace wormcast {

/// Hops before a hop stand in later slots.
void WormMotion::joins_added(const WormState& worm, const Progress& progress) {
  if (joins_.size() < pool_.hop_slots()) joins_.resize(pool_.hop_slots());
  joins_[worm.first] = {0, worm.first, kNone, 0};
  for (std::uint32_t slot = worm.first + 1; slot < worm.first + worm.hops; ++slot) {
    const Hop& hop = pool_.hop(slot);
    if (hop.kind == HopKind::injection) continue;
    const std::uint32_t depth = joins_[hop.parent].depth + 1;
    joins_[slot] = {0, kNone, kNone, depth};
    std::uint32_t last = worm.first;
    if (depth > progress.reach) {
      last = slot;
      for (std::uint32_t step = 0; step < progress.reach; ++step) last = pool_.hop(last).parent;
    }
    joins_[slot].next = std::exchange(joins_[last].first, slot);
  }
}

/// Tails that become known: those further from the root come first.
void WormMotion::join_header(WormState& worm, const Progress& progress, std::uint32_t slot) {
  if (pool_.hop(slot).is_channel()) header_due(slot, now() + header_cycles_);
  for (std::uint32_t at = joins_[slot].first; at != kNone; at = joins_[at].next) {
    const Cycle tail = joins_[at].tail = joined_crossing(at, progress.reach, progress.body);
    for (std::uint32_t before = pool_.hop(at).first_child; before != kNone;
         before = pool_.hop(before).next_sibling)
      release_due(worm, before,
                  pool_.hop(before).kind == HopKind::injection
                      ? tail + model().flit_cycles
                      : std::max(tail + model().credit_cycles, joins_[before].tail + model().flit_cycles));
    if (at == worm.first) consumed(at, tail);
  }
}

/// Given the part of the formula without t and δ; kNever where that depends on headers that have not crossed.
Cycle WormMotion::joined_crossing(std::uint32_t slot, std::uint64_t reach, Cycle body) const {
  Cycle crossing = 0;
  for (std::uint64_t step = 0; step <= reach && slot != kNone; ++step, body -= step_cycles_) {
    const Hop& hop = pool_.hop(slot);
    if (hop.state != HopState::held) return kNever;
    crossing = std::max(crossing, hop.since + body);
    slot = hop.parent;
  }
  return crossing;
}

/// Flits that have crossed the hop before `end`, the last of them in `last`.
std::uint64_t WormMotion::joined_before(std::uint32_t slot, Cycle end, Cycle& last) const {
  const Cycle for_slot = credit_bound_ ? slot_cycles() - buffer_cycles() : 0;
  std::uint64_t before = 0;
  for (std::uint64_t above = pool_.worm(pool_.hop(slot).worm).flits; before < above;) {
    const std::uint64_t flit = before + (above - before) / 2;
    const std::uint64_t reach = flit / model().buffer_flits;
    const Cycle crossing = joined_crossing(slot, reach, flit * model().flit_cycles + reach * for_slot);
    if (crossing < end) {
      before = flit + 1;
      last = std::max(last, crossing);
    } else {
      above = flit;
    }
  }
  return before;
}

Cycle WormMotion::last_crossing() {
  Cycle last = last_consumed_;
  for (std::uint32_t worm_slot = 0; worm_slot < pool_.worm_slots(); ++worm_slot) {
    const WormState& worm = pool_.worm(worm_slot);
    if (!worm.under_way || worm.held == 0) continue;  // else its last tail is known
    if (!worm.joins) last = std::max(last, flits_.last_crossing_of(worm));
    for (std::uint32_t slot = worm.first; worm.joins && slot < worm.first + worm.hops; ++slot)
      if (pool_.hop(slot).kind != HopKind::injection) joined_before(slot, kNever, last);
  }
  return last;
}

}  // namespace wormcast

// Worms that nothing makes wait, under the link engine, where routers copy flit by flit: one event a hop.
//
// Let all hops that follow d others be level d of a worm. As long as each level is granted as a whole, in the
// cycle in which its headers ask for it, all that leaves a node does so in the same cycle, and flit i crosses
// level d at t(d) + i·F, with t(d + 1) = t(d) + H: a wait for the other branches, for the flit before (F),
// for its coming (H) or for a slot (H + C ≤ B·F) is no longer than that. So such a worm needs nothing but its
// levels. A header that waits at level d + K + 1 or below, K = ⌊(L − 1) / B⌋, is too far away to be felt by
// the tail at level d (worm_engine.cpp: a step down takes B flits off, one to the side a flit). So the tails
// of level d are known with the grants of level d + K, which come at t(d) + K·H ≤ t(d) + (L − 1)·F, no later
// than the first of these tails; and what is known is never taken back.
//
// A level that is not granted as a whole when it is due turns the worm to flits, and so does a buffer, used
// again early, in which another worm's flits or credits are still under way; then that worm too, if its tail
// has yet to leave. Its flits are moved up to this cycle (LinkMotion::replay), and from then on one by one.
//
// Worms are computed where virtual channels do not share links, H + C ≤ B·F, headers need no time to be
// routed, and all links take H. cite: derived here from rules 7 to 9; the flit engine is its measure.
// SPDX-License-Identifier: MIT
#include "simulation/engines/link_motion.hpp"

namespace wormcast {

/// Sorts the worm's hops by level, those of a level in their order. False where it cannot be computed.
bool LinkMotion::find_levels(std::uint32_t worm_slot) {
  if (order_.size() < pool_.hop_slots()) {
    order_.resize(pool_.hop_slots());
    ends_.resize(pool_.hop_slots());
  }
  if (progress_.size() < pool_.worm_slots()) progress_.resize(pool_.worm_slots());
  const WormState& worm = pool_.worm(worm_slot);
  Progress& progress = progress_[worm_slot] = Progress{};
  bool channels = false;
  std::fill_n(ends_.begin() + worm.first, worm.hops, 0);
  std::uint32_t* const end = ends_.data() + worm.first;
  for (std::uint32_t slot = worm.first; slot < worm.first + worm.hops; ++slot) {
    channels = channels || pool_.hop(slot).is_channel();
    std::uint32_t& level = places_[slot].level;
    level = slot == worm.first ? 0 : places_[pool_.hop(slot).parent].level + 1;
    progress.levels = std::max(progress.levels, level);
    ++end[level];
  }
  progress.computed = channels || model().consumption_cycles == 0;
  progress.reach =
      static_cast<std::uint32_t>(std::min<std::uint64_t>((worm.flits - 1) / buffer_flits_, progress.levels));
  for (std::uint32_t level = 1; level <= progress.levels; ++level) end[level] += end[level - 1];
  for (std::uint32_t slot = worm.first + worm.hops; slot-- > worm.first;)
    order_[worm.first + --end[places_[slot].level]] = slot;
  for (std::uint32_t level = 0; level < progress.levels; ++level) end[level] = end[level + 1];
  end[progress.levels] = worm.hops;
  return progress.computed;
}

/// Nothing of it delays a worm whose header crosses into it now.
bool LinkMotion::as_good_as_empty(const Buffer& buffer) const {
  if (buffer.promised == 0) return true;
  if (buffer.last_hop != kNone && !buffer.computed) return false;
  return buffer.passable - flit_cycles_ + credit_cycles_ <= now() &&
         buffer.passable <= now() + model().hop_cycles;
}

void LinkMotion::take_grant(std::uint32_t slot) {
  const Hop& hop = pool_.hop(slot);
  Progress& progress = progress_[hop.worm];
  if (progress.granted++ == 0) touched_.push_back(hop.worm);
  if (early(hop) && !as_good_as_empty(buffers_[hop.resource.value])) progress.shared = true;
}

/// All grants of this cycle are known.
void LinkMotion::settle_level(std::uint32_t worm_slot) {
  const WormState& worm = pool_.worm(worm_slot);
  Progress& progress = progress_[worm_slot];
  if (progress.computed) {  // it may have been turned since
    const std::uint32_t* const end = ends_.data() + worm.first + progress.level;
    if (!progress.shared && progress.granted == end[1] - end[0]) return complete_level(worm_slot);
    turn_to_flits(worm_slot);
  }
  for_each_of_level(worm, progress.level + 1, [&](std::uint32_t slot) {
    const Hop& hop = pool_.hop(slot);
    if (hop.state != HopState::held || crossings_[slot].state != State::idle) return;
    begin(slot);
    look(slot);
  });
}

void LinkMotion::complete_level(std::uint32_t worm_slot) {
  WormState& worm = pool_.worm(worm_slot);
  Progress& progress = progress_[worm_slot];
  progress.granted = 0;
  ++progress.level;
  progress.cycle = now();
  const Cycle next = now() + model().hop_cycles;
  for_each_of_level(worm, progress.level, [&](std::uint32_t slot) {
    const Hop& hop = pool_.hop(slot);
    if (!hop.is_channel()) return;
    core_.header_due(slot, next);
    if (!early(hop)) return;
    Buffer& buffer = buffers_[hop.resource.value];
    buffer.promised = worm.flits;
    buffer.passable = next + worm.flits * flit_cycles_;
    buffer.last_hop = slot;
    buffer.computed = true;
  });
  if (progress.level == progress.levels) return know_tails(worm, progress, progress.levels);
  core_.flit_due(worm.first, next);
  if (progress.level > progress.reach) know_tails(worm, progress, progress.level - progress.reach);
}

/// Tails of the levels up to `until` are known: they release channels used again early, and arrive. What
/// drains is released when the level below it is known.
void LinkMotion::know_tails(WormState& worm, Progress& progress, std::uint32_t until) {
  const Cycle body = (worm.flits - 1) * flit_cycles_;
  while (progress.known < until) {
    const std::uint32_t level = ++progress.known;
    const Cycle tail = progress.cycle - Cycle{progress.level - level} * model().hop_cycles + body;
    for_each_of_level(worm, level, [&](std::uint32_t slot) { know_tail(slot, tail); });
    for_each_of_level(worm, level - 1, [&](std::uint32_t slot) {
      const Hop& hop = pool_.hop(slot);
      if (hop.kind == HopKind::injection || (hop.is_channel() && !early(hop)))
        core_.release_due(slot, free_after(hop, tail, tail - model().hop_cycles));
    });
  }
}

void LinkMotion::know_tail(std::uint32_t slot, Cycle tail) {
  const Hop& hop = pool_.hop(slot);
  if (hop.is_consumption()) {
    places_[slot].tail_known = true;
    core_.release_due(slot, free_after(hop, tail));
    core_.tail_due(slot, tail);
  } else if (early(hop)) {
    core_.release_due(slot, tail + flit_cycles_);
  }
}

/// What has happened to the computed worm before this cycle is written down; from now on its flits are moved.
void LinkMotion::turn_to_flits(std::uint32_t worm_slot) {
  const WormState& worm = pool_.worm(worm_slot);
  Progress& progress = progress_[worm_slot];
  progress.computed = false;
  set_groups(worm);
  replaying_ = releases_told_ = true;
  replay(worm, now());
  replaying_ = releases_told_ = false;
  const auto for_each_crossing = [&](auto visit) {
    for (std::uint32_t i = 1; i < ends_[worm.first + progress.level]; ++i) visit(order_[worm.first + i]);
  };
  for_each_crossing([&](std::uint32_t slot) {
    if (crossings_[slot].cycles.count() > 0) return;
    begin(slot);
    crossings_[slot].state = State::asleep;
    places_[slot].header_sent = true;
  });
  for_each_crossing([&](std::uint32_t slot) { wake(slot); });
}

/// A worm that is not computed comes to the buffer, where the one before may have been.
void LinkMotion::follow_computed(Buffer& buffer) {
  if (buffer.passable - flit_cycles_ >= now()) return turn_to_flits(pool_.hop(buffer.last_hop).worm);
  // The tail has left, and its worm may be no more.
  buffer.computed = false;
  buffer.freed.fill(buffer.promised, buffer.passable - flit_cycles_, flit_cycles_, buffer_flits_);
  buffer.last_hop = kNone;
}

std::uint64_t LinkMotion::crossed_in_window(std::uint32_t slot, Cycle end) {
  const Hop& hop = pool_.hop(slot);
  if (!computes_ || !progress_[hop.worm].computed) return crossings_[group_of(hop, slot)].in_window;
  const auto crossed_before = [&](Cycle cycle) {
    if (cycle <= hop.since) return std::uint64_t{0};
    return std::min(pool_.worm(hop.worm).flits, (cycle - hop.since + flit_cycles_ - 1) / flit_cycles_);
  };
  end = std::min(end, window_from_ + window_cycles_);
  return crossed_before(end) - crossed_before(std::min(end, window_from_));
}

}  // namespace wormcast

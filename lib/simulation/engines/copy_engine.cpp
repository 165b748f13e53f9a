// The copy engine: routers that copy flit by flit. A worm that nothing makes wait is computed, one event a
// hop; from the first cycle in which something does its flits are moved one by one (copy_flits.cpp).
//
// Let all hops that follow d others be level d of a worm. As long as each level is granted as a whole, in the
// cycle in which its headers ask for it, all that leaves a node does so in the same cycle, and flit i crosses
// level d at t(d) + i·F, with t(d + 1) = t(d) + H: whoever waits for the other branches, for the flit before
// (F), for its coming (H) or for a slot (H + C ≤ B·F) waits no longer than that. So such a worm needs nothing
// but its levels. A header that waits at level d + K + 1 or below, K = ⌊(L − 1) / B⌋, is too far away to be
// felt by the tail at level d (worm_engine.cpp: a step down takes B flits off, one to the side a flit). So
// the tails of level d are known with the grants of level d + K, which come at t(d) + K·H ≤ t(d) + (L − 1)·F,
// no later than the first of these tails; and what is known is never taken back.
//
// A level that is not granted as a whole when it is due turns the worm to flits, and so does a buffer, used
// again early, in which another worm's flits or credits are still under way; then that worm too, if its tail
// has yet to leave. Where each flit stands is plain: it has moved by t(d) + i·F until now.
//
// Exact for copies made flit by flit, drained and early reuse, on links of any speed, as long as virtual
// channels do not share links. Worms are computed where H + C ≤ B·F, headers need no time to be routed, and
// all links take H; elsewhere all are moved. Cost: O(1) a hop of a worm that waits for nothing, else O(1) a
// flit and hop. cite: derived here from rules 7 to 9; the flit engine is its measure.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulation/engines/copy_motion.hpp"

namespace wormcast {

CopyMotion::CopyMotion(EngineCore& core, const SimulationOptions& options)
    : Motion(core),
      early_reuse_(options.model.vc_reuse == VcReuse::early),
      computes_(uniform_ && options.model.routing_cycles == 0 &&
                Cycle{options.model.hop_cycles} + options.model.credit_cycles <=
                    Cycle{options.model.buffer_flits} * options.model.flit_cycles),
      buffer_flits_(options.model.buffer_flits),
      flit_cycles_(options.model.flit_cycles),
      credit_cycles_(options.model.credit_cycles) {
  if (options.window && !options.window->sought()) CopyMotion::begin_window(*options.window);
}

void CopyMotion::worm_added(std::uint32_t worm_slot) {
  if (flows_.size() < pool_.hop_slots()) {
    flows_.resize(pool_.hop_slots());
    order_.resize(pool_.hop_slots());
    ends_.resize(pool_.hop_slots());
  }
  if (progress_.size() < pool_.worm_slots()) progress_.resize(pool_.worm_slots());
  const WormState& worm = pool_.worm(worm_slot);
  Progress& progress = progress_[worm_slot] = Progress{};
  for (std::uint32_t slot = worm.first; slot < worm.first + worm.hops; ++slot) {
    const Hop& hop = pool_.hop(slot);
    Flow& flow = flows_[slot];
    flow.crossed = flow.left = 0;
    flow.taken = flow.branches = 0;
    flow.behind = kNone;
    flow.state = State::idle;
    flow.ahead = flow.header_sent = flow.tail_known = false;
    flow.in_window = 0;
    flow.level = 0;
    flow.came.clear();
    ends_[slot] = 0;
    progress.has_channels = progress.has_channels || hop.is_channel();
    if (slot == worm.first) continue;
    flow.level = flows_[hop.parent].level + 1;
    ++flows_[hop.parent].branches;
    progress.levels = std::max(progress.levels, flow.level);
  }
  progress.computed = computes_ && (progress.has_channels || model().consumption_cycles == 0);
  progress.reach =
      static_cast<std::uint32_t>(std::min<std::uint64_t>((worm.flits - 1) / buffer_flits_, progress.levels));
  if (!progress.computed) return;
  // Hops sorted by level, those of a level in their order.
  std::uint32_t* const end = ends_.data() + worm.first;
  for (std::uint32_t slot = worm.first; slot < worm.first + worm.hops; ++slot) ++end[flows_[slot].level];
  for (std::uint32_t level = 1; level <= progress.levels; ++level) end[level] += end[level - 1];
  for (std::uint32_t slot = worm.first + worm.hops; slot-- > worm.first;)
    order_[worm.first + --end[flows_[slot].level]] = slot;
  for (std::uint32_t level = 0; level < progress.levels; ++level) end[level] = end[level + 1];
  end[progress.levels] = worm.hops;
}

/// Nothing of it delays a worm whose header crosses into it now.
bool CopyMotion::as_good_as_empty(const Buffer& buffer) const {
  if (buffer.promised == 0) return true;
  if (buffer.last_hop != kNone && !buffer.computed) return false;
  return buffer.passable - flit_cycles_ + credit_cycles_ <= now() &&
         buffer.passable <= now() + model().hop_cycles;
}

void CopyMotion::take_grant(std::uint32_t slot) {
  const Hop& hop = pool_.hop(slot);
  Progress& progress = progress_[hop.worm];
  flows_[slot].state = State::granted;
  if (progress.granted++ == 0) touched_.push_back(hop.worm);
  if (early(hop) && !as_good_as_empty(buffer_of(hop))) progress.shared = true;
}

/// All grants of this cycle are known.
void CopyMotion::settle_level(std::uint32_t worm_slot) {
  const WormState& worm = pool_.worm(worm_slot);
  Progress& progress = progress_[worm_slot];
  if (progress.computed) {  // it may have been turned since
    const std::uint32_t* const end = ends_.data() + worm.first + progress.level;
    if (!progress.shared && progress.granted == end[1] - end[0]) return complete_level(worm_slot);
    turn_to_flits(worm_slot);
  }
  for_each_of_level(worm, progress.level + 1, [&](std::uint32_t slot) {
    if (flows_[slot].state == State::granted) activate(slot);
  });
}

void CopyMotion::complete_level(std::uint32_t worm_slot) {
  WormState& worm = pool_.worm(worm_slot);
  Progress& progress = progress_[worm_slot];
  progress.granted = 0;
  ++progress.level;
  progress.cycle = now();
  const Cycle next = now() + model().hop_cycles;
  for_each_of_level(worm, progress.level, [&](std::uint32_t slot) {
    const Hop& hop = pool_.hop(slot);
    flows_[slot].first = now();
    if (!hop.is_channel()) return;
    header_due(slot, next);
    if (!early(hop)) return;
    Buffer& buffer = buffer_of(hop);
    buffer.promised = worm.flits;
    buffer.passable = next + worm.flits * flit_cycles_;
    buffer.last_hop = slot;
    buffer.computed = true;
  });
  if (progress.level == progress.levels) return know_tails(worm, progress, progress.levels);
  flit_due(worm.first, next);
  if (progress.level > progress.reach) know_tails(worm, progress, progress.level - progress.reach);
}

/// Tails of the levels up to `until` are known: they let go of channels used again early, and arrive. What
/// drains is let go of when the level below it is known.
void CopyMotion::know_tails(WormState& worm, Progress& progress, std::uint32_t until) {
  const Cycle body = (worm.flits - 1) * flit_cycles_;
  while (progress.known < until) {
    const std::uint32_t level = ++progress.known;
    const Cycle tail = progress.cycle - Cycle{progress.level - level} * model().hop_cycles + body;
    for_each_of_level(worm, level, [&](std::uint32_t slot) { know_tail(worm, slot, tail); });
    for_each_of_level(worm, level - 1, [&](std::uint32_t slot) {
      const Hop& hop = pool_.hop(slot);
      if (hop.kind == HopKind::injection)
        release_due(worm, slot, tail + flit_cycles_);
      else if (hop.is_channel() && !early(hop))
        release_due(worm, slot, std::max(tail + credit_cycles_, tail - model().hop_cycles + flit_cycles_));
    });
  }
}

void CopyMotion::know_tail(WormState& worm, std::uint32_t slot, Cycle tail) {
  const Hop& hop = pool_.hop(slot);
  if (hop.is_consumption()) {
    flows_[slot].tail_known = true;
    release_due(worm, slot, tail + model().consumption_held());
    tail_consumed(slot, tail);
  } else if (early(hop)) {
    release_due(worm, slot, tail + flit_cycles_);
  }
}

/// Flits of a computed worm that cross before `cycle` where its header crosses at `header`.
std::uint64_t CopyMotion::crossed_before(Cycle header, std::uint64_t flits, Cycle cycle) const {
  if (cycle <= header) return 0;
  return std::min(flits, (cycle - header + flit_cycles_ - 1) / flit_cycles_);
}

/// What has happened to the computed worm before this cycle is written down; from now on its flits are moved.
void CopyMotion::turn_to_flits(std::uint32_t worm_slot) {
  const WormState& worm = pool_.worm(worm_slot);
  Progress& progress = progress_[worm_slot];
  progress.computed = false;
  const std::uint32_t begin = worm.first + 1;
  const std::uint32_t end = worm.first + ends_[worm.first + progress.level];
  for (std::uint32_t i = begin; i < end; ++i) place_flits(worm, order_[i]);
  for (std::uint32_t i = begin; i < end; ++i) place_buffer(order_[i]);
  for (std::uint32_t i = begin; i < end; ++i) wake(order_[i]);
}

void CopyMotion::place_flits(const WormState& worm, std::uint32_t slot) {
  Flow& flow = flows_[slot];
  flow.crossed = crossed_before(flow.first, worm.flits, now());
  flow.state = flow.crossed == worm.flits ? State::done : State::asleep;
  flow.header_sent = true;
  flow.base = 0;
  if (flow.crossed == 0) return;
  flow.last = flow.first + (flow.crossed - 1) * flit_cycles_;
  flow.came.fill(flow.crossed, flow.last, flit_cycles_, buffer_flits_);
  Flow& node = flows_[pool_.hop(slot).parent];
  node.left = flow.crossed;
  node.last_left = flow.last;
  if (window_cycles_ == 0) return;
  flow.in_window = crossed_before(flow.first, worm.flits, std::min(now(), window_from_ + window_cycles_)) -
                   crossed_before(flow.first, worm.flits, std::min(now(), window_from_));
}

/// The buffer at the end of the hop, where it is not another worm's by now.
void CopyMotion::place_buffer(std::uint32_t slot) {
  const Hop& hop = pool_.hop(slot);
  if (!hop.is_channel()) return;
  Buffer& buffer = buffer_of(hop);
  const Flow& flow = flows_[slot];
  if (early(hop)) {
    if (buffer.last_hop != slot || !buffer.computed) return;
    buffer.computed = false;
    if (flow.left == pool_.worm(hop.worm).flits) buffer.last_hop = kNone;
  } else if (flow.left == pool_.worm(hop.worm).flits) {
    return;
  }
  buffer.freed.fill(flow.left, flow.last_left, flit_cycles_, buffer_flits_);
}

void CopyMotion::move(const std::vector<std::uint32_t>& granted) {
  due_now_.swap(next_due_);
  for (const std::uint32_t slot : granted)
    progress_[pool_.hop(slot).worm].computed ? take_grant(slot) : activate(slot);
  for (const std::uint32_t worm : touched_) settle_level(worm);
  touched_.clear();
  for (const std::uint32_t slot : due_) {
    const Hop& hop = pool_.hop(slot);
    if (hop.kind != HopKind::injection)
      due_now_.push_back(slot);
    else if (progress_[hop.worm].computed && progress_[hop.worm].cycle != now())
      turn_to_flits(hop.worm);  // nothing of the level that is due was granted
  }
  due_.clear();
  for (std::size_t i = 0; i < due_now_.size(); ++i) cross(due_now_[i]);  // nothing more comes to be due now
  due_now_.clear();
  if (!next_due_.empty()) tick_due(now() + 1);
}

std::uint64_t CopyMotion::crossed_in_window(std::uint32_t slot, Cycle end) {
  const Flow& flow = flows_[slot];
  const Hop& hop = pool_.hop(slot);
  const Progress& progress = progress_[hop.worm];
  if (!progress.computed) return flow.in_window;
  if (flow.level > progress.level) return 0;
  const std::uint64_t flits = pool_.worm(hop.worm).flits;
  end = std::min(end, window_from_ + window_cycles_);
  return crossed_before(flow.first, flits, end) -
         crossed_before(flow.first, flits, std::min(end, window_from_));
}

std::unique_ptr<Motion> make_copy_motion(EngineCore& core, const SimulationOptions& options) {
  return std::make_unique<CopyMotion>(core, options);
}

}  // namespace wormcast

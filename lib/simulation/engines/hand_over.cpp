// From the worm engine to the link engine within a run.
//
// Where virtual channels share links the worm engine is exact as long as no link is used by two of them. It
// predicts: when the last header in a worm's reach has moved, it writes down when each channel is released.
// That holds while no flit waits for another worm's. Before the first cycle in which one might, predictions
// of later cycles are dropped, and the link engine moves all flits of the worms under way as far as
// they have come: headers have crossed in the cycles of their grants in both, and no flit has waited for
// another worm's. A prediction is never too late, since such a wait only adds to it; so an event that was
// scheduled for a waiting worm finds it waiting still, and changes nothing. cite: derived here; tests compare
// every hand-over with the flit engine.
// SPDX-License-Identifier: MIT
#include "simulation/engines/link_motion.hpp"

namespace wormcast {

bool EngineCore::uses_second_vc(const Routes& routes) {
  if (options_.hand_over && routes.plan.request.start_cycle >= *options_.hand_over) return true;
  for (const WormRoute& worm : routes.worms)
    for (const RouteHop& hop : worm.hops) {
      if (!hop.is_channel()) continue;
      std::uint8_t& user = link_vcs_[hop.target];
      const auto own = static_cast<std::uint8_t>(hop.vc + 1);
      if (user == own) continue;
      if (user != 0) return true;
      user = own;
    }
  return false;
}

/// Every cycle before `from` is simulated as before, every one from it on flit by flit.
void EngineCore::hand_over(Cycle from) {
  run_before(from);
  may_hand_over_ = false;
  if (stopped_) return;
  for (std::uint32_t slot = 0; slot < pool_.worm_slots(); ++slot)
    if (pool_.worm(slot).under_way) forget_releases(pool_.worm(slot), from);
  for (auto retiring = std::exchange(retiring_, {}); !retiring.empty(); retiring.pop())
    if (pool_.worm(retiring.first().worm).held == 0) retiring_.push(retiring.first());
  motion_ = make_link_motion(*this, options_);
  motion_->take_over(from, link_vcs_);
  flits_moved_from_ = from;
  if (!suspects_.empty()) tick_due(from);
}

void EngineCore::forget_releases(WormState& worm, Cycle from) {
  worm.until = 0;
  for (std::uint32_t slot = worm.first; slot < worm.first + worm.hops; ++slot) {
    Hop& hop = pool_.hop(slot);
    // A worm that holds what it waits for may be blocked, though its release was predicted.
    if (hop.state == HopState::waiting) suspects_.push_back(slot);
    if (hop.until == kNever) continue;
    if (hop.until < from) {
      worm.until = std::max(worm.until, hop.until);
      continue;
    }
    if (hop.resource_state->units == 1) hop.resource_state->free_from = kNever;
    if (hop.resource_state->units > 1) forgotten_.emplace(hop.until, slot);
    hop.until = kNever;
    ++worm.held;
  }
}

void LinkMotion::take_over(Cycle from, const PagedArray<std::uint8_t>& link_vcs) {
  replaying_ = true;
  for (std::uint32_t slot = 0; slot < pool_.worm_slots(); ++slot)
    if (pool_.worm(slot).under_way) {
      worm_added(slot);
      replay(pool_.worm(slot), from);
    }
  replaying_ = false;
  for (std::uint32_t slot = 0; slot < crossings_.size(); ++slot)
    if (crossings_[slot].state == State::asleep) look(slot);
  for (std::uint32_t channel = 0; channel < link_vcs.bound(); ++channel) {
    const std::uint8_t* vc = link_vcs.find(channel);
    if (vc != nullptr && *vc > 0 && pool_.has_carried(ChannelId{channel}, *vc - 1u))
      links_[channel].pointer = *vc;
  }
  if (!next_due_.empty()) core_.tick_due(now() + 1);
}

void LinkMotion::follow(const WormState& worm, Cycle end) {
  replaying_ = releases_told_ = true;
  worm_added(pool_.hop(worm.first).worm);
  replay(worm, end);
}

Cycle LinkMotion::last_crossing_of(const WormState& worm) {
  follow(worm, kNever);
  Cycle last = 0;
  for (std::uint32_t slot = worm.first; slot < worm.first + worm.hops; ++slot)
    if (is_group(worm, slot) && crossings_[slot].cycles.count() > 0)
      last = std::max(last, crossings_[slot].cycles.last());
  return last;
}

/// Moves the worm's flits in the cycles before `from`: flit by flit, since a slot that one takes was freed by
/// one before it. What another worm holds keeps its buffer.
void LinkMotion::replay(const WormState& worm, Cycle from) {
  const std::uint32_t end = worm.first + worm.hops;
  std::vector<std::pair<Buffer*, Buffer>> others;
  for (std::uint32_t slot = worm.first + 1; slot < end; ++slot) {
    const Hop& hop = pool_.hop(slot);
    Buffer& buffer = buffers_[hop.resource.value];
    const bool own = early(hop) ? buffer.computed && buffer.last_hop == slot : hop.until > from;
    if (!own)
      others.emplace_back(&buffer, Buffer{});
    else if (early(hop))
      buffer.promised = 0, buffer.last_hop = kNone, buffer.computed = false;
  }
  for (auto& [buffer, kept] : others) std::swap(*buffer, kept);
  bool moved = true;
  for (std::uint64_t flit = 0; flit < worm.flits && std::exchange(moved, false); ++flit)
    for (std::uint32_t slot = worm.first; slot < end; ++slot) {
      Crossing& group = crossings_[slot];
      if (!is_group(worm, slot) || group.cycles.count() != flit) continue;
      const Cycle cycle = flit == 0 ? header_crossing(group) : next_crossing(group);
      if (cycle >= from) continue;
      moved = true;
      if (flit == 0) begin(slot);
      replay_flit(slot, cycle);
    }
  for (auto& [buffer, kept] : others) std::swap(*buffer, kept);
  for (std::uint32_t slot = worm.first; slot < end; ++slot) {
    Crossing& group = crossings_[slot];
    if (is_group(worm, slot) && group.cycles.count() > 0)
      group.state = group.cycles.count() == worm.flits ? State::done : State::asleep;
  }
}

/// When the group's header crossed, or kNever. What was reserved as a whole it crosses without asking.
Cycle LinkMotion::header_crossing(const Crossing& group) const {
  Cycle granted = 0;
  for_each_hop(group, [&](std::uint32_t at) {
    const Hop& hop = pool_.hop(at);
    granted = std::max(granted, hop.state == HopState::held ? hop.since : kNever);
  });
  const WormState& worm = pool_.worm_of(pool_.hop(group.hop));
  if (!worm.whole_way || granted == kNever) return granted;
  if (group.before == kNone) return granted + worm.startup;
  const RecentCycles& before = crossings_[group.before].cycles;
  return before.count() == 0 ? kNever : before[0] + group.hop_cycles + model().routing_cycles;
}

void LinkMotion::replay_flit(std::uint32_t slot, Cycle cycle) {
  Crossing& group = crossings_[slot];
  group.cycles.add(cycle, kept_flits_);
  group.in_window += cycle - window_from_ < window_cycles_ ? 1 : 0;
  if (group.links)
    for_each_link(group, [&](Link& link, const Hop& hop, std::uint32_t) {
      link.free_from = std::max(link.free_from, cycle + link.flit_cycles);
      link.pointer = hop.vc + 1;
    });
  if (group.cycles.count() == group.flits) tail_crosses(group, cycle);
  if (group.alone && group.in != nullptr) leave(group, cycle);
  if (!group.alone && has_left(group, cycle)) leave(group, last_crossing_at(group.node, false));
}

}  // namespace wormcast

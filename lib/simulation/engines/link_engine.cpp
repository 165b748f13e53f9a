// The link engine: every flit of every worm by itself, but each only in the cycle in which it crosses.
//
// Let x(g, f) be the cycle in which flit f crosses group g: all outputs of a node where copies move together,
// else a single hop. It comes F cycles after flit f − 1, H cycles after flit f came into the node, and C
// cycles after flit f − B has left the end of each of g's channels. Where routers copy flit by flit it also
// comes F cycles after flit f − 1 has left the node in every branch. So when g has crossed flit f − 1, either
// all of this is known, and the group is due in the latest of these cycles; or it sleeps until the group
// before it, one behind it or one beside it crosses, which then looks again. What is due is never taken back,
// since each of these cycles is final.
//
// With early reuse the flits of all worms that use a buffer one after the other are a stream through it, and
// f − B is counted in that; a header is at the buffer's end only when the tail ahead has left.
//
// Where virtual channels share links, a group that is due asks for its links (below).
//
// Exact for every router whose worms take the virtual channels that their routes state; the flit engine is
// the same without the worms that are computed (computed_worms.cpp). Cost: O(1) a flit and hop, as much again
// for an election that is lost, and at a node of many branches for each of them. cite: derived here from
// rules 7 to 9; tests measure it by a plain reading of them.
// SPDX-License-Identifier: MIT
#include "simulation/engines/link_motion.hpp"

namespace wormcast {

void LinkMotion::worm_added(std::uint32_t worm_slot) {
  if (crossings_.size() < pool_.hop_slots()) {
    crossings_.resize(pool_.hop_slots());
    places_.resize(pool_.hop_slots());
  }
  const WormState& worm = pool_.worm(worm_slot);
  std::fill_n(places_.begin() + worm.first, worm.hops, Place{});
  if (!computes_ || !find_levels(worm_slot)) set_groups(worm);
}

void LinkMotion::set_groups(const WormState& worm) {
  for (std::uint32_t slot = worm.first; slot < worm.first + worm.hops; ++slot) {
    crossings_[slot].groups = crossings_[slot].open = crossings_[slot].taken = 0;
    crossings_[slot].left = 0;
  }
  for (std::uint32_t slot = worm.first; slot < worm.first + worm.hops; ++slot) set_group(worm, slot);
}

/// Works out what stands at the slot, if a group does.
void LinkMotion::set_group(const WormState& worm, std::uint32_t slot) {
  const Hop& hop = pool_.hop(slot);
  Crossing& group = crossings_[slot];
  group.state = State::idle;
  group.in_window = 0;
  group.hop = worm.together ? hop.first_child : slot;
  if (!is_group(worm, slot)) return;
  group.cycles.clear(Cycle{0} - spacing_);  // flit 0 waits for none before it
  group.joint = worm.together;
  group.flits = worm.flits;
  group.joins = worm.joins;
  group.node = worm.together || worm.joins ? slot : hop.parent;
  crossings_[group.node].open = ++crossings_[group.node].groups;
  const Hop& node = pool_.hop(group.node);
  group.alone = worm.together || (!worm.joins && pool_.hop(node.first_child).next_sibling == kNone);
  group.before = node.kind == HopKind::injection || worm.joins ? kNone : group_of(node, group.node);
  group.hop_cycles = hop_cycles(node);
  group.in = nullptr;
  if (!worm.joins && (early(node) || (node.is_channel() && !group.alone)))
    group.in = &buffers_[node.resource.value];
  group.out = nullptr;
  group.link = nullptr;
  group.links = false;
  group.behind = kNone;
  std::uint32_t channels = 0;
  group.plain = steady_ && !worm.joins;
  for_each_hop(group, [&](std::uint32_t at) {
    const Hop& output = pool_.hop(at);
    if (waits_for_node(output) || (windows_ != nullptr && output.is_consumption())) group.plain = false;
    if (!output.is_channel()) return;
    ++channels;
    if (output.is_network() && shared_links_) {
      group.link = &links_[output.target];
      group.link->flit_cycles = flit_cycles(output);
      group.links = true;
      group.vc = static_cast<std::uint8_t>(output.vc);
    }
    group.behind = worm.together ? at : worm.joins ? output.parent : output.first_child;
    const bool branches = !worm.together && pool_.hop(group.behind).next_sibling != kNone && !worm.joins;
    if (early(output) || branches) group.out = &buffers_[output.resource.value];
    if (branches) group.behind = kNone;
  });
  if (channels > 1 || !group.plain) group.out = nullptr;
  if (channels > 1) {
    group.behind = kNone;
    group.link = nullptr;
  }
  group.several_behind = channels > 0 && group.behind == kNone;
  group.plain = group.plain && channels <= 1 && group.out == nullptr && (group.alone || !per_flit_);
}

/// The buffer counts its worms in the order in which they are granted its channel.
void LinkMotion::stand_behind(std::uint32_t slot) {
  if (std::exchange(places_[slot].queued, true)) return;
  const Hop& hop = pool_.hop(slot);
  Buffer& buffer = buffers_[hop.resource.value];
  if (buffer.computed) follow_computed(buffer);
  if (buffer.promised == 0) buffer.freed.clear();
  places_[slot].base = buffer.promised;
  buffer.promised += pool_.worm(hop.worm).flits;
  const std::uint32_t ahead = std::exchange(buffer.last_hop, slot);
  if (ahead == kNone) return;
  places_[slot].ahead = true;
  places_[ahead].behind = slot;
  core_.set_ahead(slot, ahead);
  core_.suspect(slot);
}

/// When every buffer ahead has a slot for the next flit, from `cycle` on, or kNever while that is not known.
Cycle LinkMotion::room_from_all(const Crossing& group, Cycle cycle) const {
  const std::uint64_t flit = group.cycles.count();
  Cycle from = cycle;
  for_each_hop(group, [&](std::uint32_t at) {
    const Hop& hop = pool_.hop(at);
    if (hop.is_channel())
      from = slot_from(hop, freed_at(hop, at), places_[at].base + flit, from);
    else if (windows_ != nullptr && !windows_->takes(pool_.worm(hop.worm).id, HostId{hop.target}))
      from = kNever;
    else if (waits_for_node(hop))
      from = std::max(from, room_from(group.cycles, flit, model().consumption_cycles, buffer_flits(hop)));
  });
  // What a register took would have to be taken later: perhaps it does not.
  return registers_ > 0 && from > cycle && from != kNever ? room_from_all(group, from) : from;
}

/// When the flit at `place` of the stream through the buffer behind the hop can enter it, from `cycle` on. A
/// register before that takes one flit more where it follows without a gap, or as the last slot is given
/// back.
Cycle LinkMotion::slot_from(const Hop& hop, const RecentCycles& freed, std::uint64_t place,
                            Cycle cycle) const {
  const Cycle from = room_from(freed, place, credit_cycles_, buffer_flits(hop));
  if (registers_ == 0 || from <= cycle) return std::max(from, cycle);
  const Cycle before = room_from(freed, place - 1, credit_cycles_, buffer_flits(hop));
  const Cycle follows = buffers_.find(hop.resource.value)->entered + flit_cycles(hop);
  if (cycle <= before) return before;
  return cycle <= follows ? std::min(follows, from) : from;
}

/// The group's next flit is due when it can cross; the group is asleep while that is not known.
void LinkMotion::look(std::uint32_t slot) {
  Crossing& group = crossings_[slot];
  const Cycle cycle = next_crossing(group);
  group.state = cycle == kNever ? State::asleep : State::due;
  if (cycle != kNever) return due_in(slot, cycle);
  if (windows_ != nullptr) unopened_.push_back(slot);
}

void LinkMotion::windows_open(Cycle from) {
  for (const std::uint32_t slot : std::exchange(unopened_, {})) {
    Crossing& group = crossings_[slot];
    if (group.state != State::asleep) continue;
    const Cycle cycle = next_crossing(group);
    if (cycle == kNever) {
      unopened_.push_back(slot);
      continue;
    }
    group.state = State::due;
    core_.flit_due(slot, std::max(cycle, from));
  }
}

/// LinkMotion::next_crossing() where a flit waits for more; no sooner than `cycle`.
Cycle LinkMotion::next_crossing_after(const Crossing& group, Cycle cycle) const {
  const std::uint64_t flit = group.cycles.count();
  if (!steady_ || group.joins) [[unlikely]]
    if (cycle = rare_crossing_after(group, cycle); cycle == kNever) return kNever;
  if (per_flit_ && flit > 0) {
    const Crossing& node = crossings_[group.node];
    if (!group.alone && node.left != flit) return kNever;
    cycle = std::max(cycle, (group.alone ? group.cycles.last() : node.last_left) + flit_cycles_);
  }
  return group.out == nullptr
             ? room_from_all(group, cycle)
             : std::max(cycle, room_from(group.out->freed, group.base + flit, credit_cycles_, buffer_flits_));
}

void LinkMotion::header_crosses(const Crossing& group) {
  for_each_hop(group, [&](std::uint32_t at) {
    const Hop& hop = pool_.hop(at);
    if (!hop.is_channel() || places_[at].header_sent) return;
    Cycle due = now() + hop_cycles(hop);
    if (early(hop)) {
      places_[at].header = due;
      if (places_[at].ahead) return;  // until that has left
      due = std::max(due, buffers_[hop.resource.value].passable);
    }
    core_.header_due(at, due + model().routing_cycles);
  });
}

/// At `cycle`, which may be over.
void LinkMotion::tail_crosses(const Crossing& group, Cycle cycle) {
  if (group.links) count_on_links(group, -1);
  const std::uint32_t open = --crossings_[group.node].open;
  if (releases_told_) return;
  const auto release = [&](std::uint32_t at, Cycle from) {
    if (pool_.hop(at).until == kNever) core_.release_due(at, from);
  };
  // The last of the groups that empty a node's buffer; what entered it has crossed before.
  const Cycle left = replaying_ && open == 0 ? last_crossing_at(group.node, group.joint) : cycle;
  for_each_before(group, [&](std::uint32_t at) {
    const Hop& node = pool_.hop(at);
    if (open > 0 || early(node)) return;
    if (node.kind == HopKind::injection) {
      if (windows_ != nullptr) windows_->sent(pool_.worm(node.worm).id);
      return release(at, left + flit_cycles_);
    }
    const Cycle entered = crossings_[group_of(node, at)].cycles[group.flits - 1];
    release(at, free_after(node, left, entered));
  });
  for_each_hop(group, [&](std::uint32_t at) {
    const Hop& hop = pool_.hop(at);
    if (early(hop)) release(at, cycle + flit_cycles(hop));
    if (pool_.worm_of(hop).serial && hop.next_sibling != kNone)
      core_.request_later(hop.next_sibling, cycle + flit_cycles_);
    if (!hop.is_consumption() || places_[at].tail_known) return;
    release(at, free_after(hop, cycle));
    if (!replaying_) core_.tail_due(at, cycle);
  });
}

/// The group, one of several at its node, has crossed a flit: whether one more has left in every branch.
bool LinkMotion::has_left(const Crossing& group, Cycle cycle) {
  if (group.joins) return true;
  Crossing& node = crossings_[group.node];
  if (per_flit_) {
    if (++node.taken < node.groups) return false;
    node.taken = 0;
    ++node.left;
  } else {
    std::uint64_t left = group.cycles.count();
    for_each_group_at(group.node, false,
                      [&](std::uint32_t at) { left = std::min(left, crossings_[at].cycles.count()); });
    if (left == node.left) return false;
    node.left = left;
  }
  node.last_left = cycle;
  return true;
}

/// A flit has left the group's node in every branch.
void LinkMotion::leave(const Crossing& group, Cycle cycle) {
  const auto left = [&](std::uint32_t node, Buffer& buffer) {
    buffer.freed.add(cycle, kept_flits_);
    wake(buffer.entering);
    if (slots_count_) core_.slot_due(node, cycle + credit_cycles_);
    if (early_reuse_ && group.cycles.count() == group.flits && early(pool_.hop(node)))
      let_pass(node, buffer, cycle);
  };
  if (group.in != nullptr) left(group.node, *group.in);
  if (group.joins)
    for_each_before(group, [&](std::uint32_t at) {
      if (pool_.hop(at).is_channel()) left(at, buffers_[pool_.hop(at).resource.value]);
    });
  if (per_flit_ && !group.alone) for_each_group_at(group.node, false, [&](std::uint32_t at) { wake(at); });
}

/// Early reuse: the tail has left the buffer at the end of `node`.
void LinkMotion::let_pass(std::uint32_t node, Buffer& buffer, Cycle cycle) {
  buffer.passable = cycle + flit_cycles_;
  if (buffer.last_hop == node) buffer.last_hop = kNone;
  const std::uint32_t behind = places_[node].behind;
  if (behind == kNone) return;
  places_[behind].ahead = false;
  core_.set_ahead(behind, kNone);
  if (places_[behind].header != kNever)
    core_.header_due(behind, std::max(places_[behind].header, buffer.passable) + model().routing_cycles);
}

/// The group's next flit crosses now.
void LinkMotion::cross(std::uint32_t slot) {
  Crossing& group = crossings_[slot];
  core_.moves();
  group.cycles.add(now(), kept_flits_);
  if (registers_ > 0) [[unlikely]]
    fill_registers(group);
  group.in_window += now() - window_from_ < window_cycles_ ? 1 : 0;
  if (group.cycles.count() == 1) header_crosses(group);
  const bool tail = group.cycles.count() == group.flits;
  if (windows_ != nullptr) [[unlikely]]
    for_each_hop(group, [&](std::uint32_t at) {
      const Hop& hop = pool_.hop(at);
      if (hop.is_consumption()) windows_->took(pool_.worm(hop.worm).id, HostId{hop.target}, tail);
    });
  group.state = tail ? State::done : State::asleep;
  if (tail) tail_crosses(group, now());
  if (group.alone && group.in == nullptr) [[likely]] {
    if (!tail) look(slot);
    if (group.before != kNone) wake(group.before);
  } else {
    leave_shared(slot);
  }
  if (group.behind != kNone) return wake(group.behind);
  if (group.several_behind) wake_behind(group);
}

/// The flit has left a buffer that several groups, or several worms, empty; or the source beside others.
void LinkMotion::leave_shared(std::uint32_t slot) {
  const Crossing& group = crossings_[slot];
  if (group.alone || has_left(group, now())) leave(group, now());
  if (group.alone || !per_flit_) wake(slot);
}

void LinkMotion::wake_behind(const Crossing& group) {
  for_each_hop(group, [&](std::uint32_t at) {
    if (pool_.hop(at).is_channel())
      for_each_group_at(at, group.joint, [&](std::uint32_t behind) { wake(behind); });
  });
}

/// The group, which is due, crosses where no other one can want its link in this cycle; else it stands for
/// election, or waits until its links are free.
inline void LinkMotion::ask(std::uint32_t slot) {
  const Crossing& group = crossings_[slot];
  if (!group.links) return cross(slot);
  if (group.link == nullptr) [[unlikely]] {
    const Cycle free_from = links_free_from(group);
    return free_from > now() ? due_in(slot, free_from) : stand_for_election(slot);
  }
  Link& link = *group.link;
  if (link.free_from > now()) return due_in(slot, link.free_from);
  if (link.crossing > 1) return stand_for_election(slot);
  take_link(link, group.vc);
  cross(slot);
}

/// The group has just been granted everything.
void LinkMotion::begin(std::uint32_t slot) {
  Crossing& group = crossings_[slot];
  if (group.links) count_on_links(group, 1);
  if (group.plain) return;  // there is no buffer to be kept
  for_each_hop(group, [&](std::uint32_t at) {
    const Hop& hop = pool_.hop(at);
    if (!hop.is_channel()) return;
    Buffer& buffer = buffers_[hop.resource.value];
    if (early(hop))
      stand_behind(at);
    else
      buffer.freed.clear();  // it has drained
    buffer.entering = slot;
    group.base = places_[at].base;
  });
}

void LinkMotion::move(const std::vector<std::uint32_t>& granted) {
  due_now_.swap(next_due_);  // from here on it is the next cycle's
  for (const std::uint32_t slot : granted) {
    const Hop& hop = pool_.hop(slot);
    if (computes_ && progress_[hop.worm].computed) {
      take_grant(slot);
      continue;
    }
    const std::uint32_t group = group_of(hop, slot);
    begin(group);
    look(group);
  }
  for (const std::uint32_t worm : touched_) settle_level(worm);
  touched_.clear();
  for (const std::uint32_t slot : due_) {
    const Hop& hop = pool_.hop(slot);
    if (!computes_ || hop.kind != HopKind::injection)
      due_now_.push_back(slot);
    else if (progress_[hop.worm].computed && progress_[hop.worm].cycle != now())
      turn_to_flits(hop.worm);  // nothing of the level that is due was granted
  }
  due_.clear();
  for (std::size_t i = 0; i < due_now_.size(); ++i) ask(due_now_[i]);  // nothing more comes to be due now
  due_now_.clear();
  if (!candidates_.empty()) elect();
  if (!next_due_.empty()) core_.tick_due(now() + 1);
}

std::unique_ptr<Motion> make_flit_motion(EngineCore& core, const SimulationOptions& options) {
  return std::make_unique<LinkMotion>(core, options, false);
}

std::unique_ptr<Motion> make_link_motion(EngineCore& core, const SimulationOptions& options) {
  return std::make_unique<LinkMotion>(core, options);
}

}  // namespace wormcast

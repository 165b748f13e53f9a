// The cycle that all engines share (rule 5 of data/pages/simulator.md): releases, injection grants,
// consumption and network grants, moves, then the look for a deadlock. Cycles without events are left out.
// SPDX-License-Identifier: MIT
#include "simulation/engines/engine_core.hpp"

#include <algorithm>
#include <cstdlib>

namespace wormcast {

EngineCore::EngineCore(const Topology& topology, const SimulationOptions& options, MakeMotion make_motion)
    : StreamEngine(topology, options),
      pool_(topology, options.model, options.observer != nullptr),
      grants_(pool_),
      search_(pool_, grants_, options.model),
      motion_(make_motion(*this, options)),
      needs_slots_(grants_need_slots(options.model)),
      answers_(ReplyTracker::of(options.model)) {
  const Discipline& discipline = options.model.discipline();
  queues_hold_up_ = discipline.queues_jointly;
  if (!options.model.serves_first_come()) arbiter_.emplace(topology, pool_, options.model.output_arbitration);
  if (discipline.locks_arbiters) reservations_.emplace(topology, pool_, grants_);
  first_served_ = !arbiter_ && !needs_slots_ && !discipline.grants_ways && !discipline.grants_nodes;
  if (discipline.grants_ways) search_for_ = SearchFor::nothing;
  if (judged_by_exploring(options.model)) search_for_ = SearchFor::standstill;
  grants_watched_ = options.window || reservations_ || options.model.reuses_early();
  may_hand_over_ =
      make_motion == make_worm_motion && (options.hand_over || vcs_share_links(options.model, topology));
}

bool Motion::waits_for_node(const Hop& hop) const {
  return hop.is_consumption() && model().consumption_cycles != 0 &&
         (!uniform_ || !has_channels(pool_.worm_of(hop)));
}

bool Motion::has_channels(const WormState& worm) const {
  for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at)
    if (pool_.hop(at).is_channel()) return true;
  return false;
}

void EngineCore::wait(std::uint32_t slot) {
  const GrantTable::WaitResult result = grants_.wait(slot);
  if (result.wake != kNever) calendar_.schedule(result.wake, {Event::Kind::wake, slot});
  if (!grants_.held_by_moving(pool_.hop(slot))) suspects_.push_back(slot);
  if (result.displaced != kNone) suspects_.push_back(result.displaced);
}

/// The hop is requested in this cycle, or when its route says if that is later.
[[gnu::always_inline]] inline void EngineCore::request_now(std::uint32_t slot) {
  Hop& hop = pool_.hop(slot);
  if (hop.since > now_) [[unlikely]]
    return calendar_.schedule(hop.since, {Event::Kind::request, slot});
  first_served_ ? request_in_queue(hop, slot) : request(slot);
}

/// The header has come to the end of `node` and asks for what follows (rules 8 and 9).
[[gnu::always_inline]] inline void EngineCore::header_at(std::uint32_t node) {
  const WormState& worm = pool_.worm_of(pool_.hop(node));
  if (!worm.path || worm.whole_way) return header_in_tree(worm, node);
  request_now(node + 1);
}

inline void EngineCore::take_event(Event event) {
  ++event_count_;
  switch (event.kind) {
    case Event::Kind::header:
      header_at(event.hop);
      break;
    case Event::Kind::release:
      if (forgotten_.empty() || forgotten_.erase({now_, event.hop}) == 0) release(event.hop);
      break;
    case Event::Kind::tail:
      if (may_hand_over_) tail_consumed(event.hop, now_);  // else it was predicted and reported
      break;
    case Event::Kind::wake:
      grants_.touch(*pool_.hop(event.hop).resource_state);
      break;
    case Event::Kind::request:
      request(event.hop);
      break;
    case Event::Kind::flit:
      motion_->due_.push_back(event.hop);
      break;
    case Event::Kind::tick:
    case Event::Kind::inject:
      break;
    case Event::Kind::arrival:
      ledger_.totals().last_cycle = now_;
      break;
  }
}

/// In line, since every cycle passes here more than once.
[[gnu::always_inline]] inline void EngineCore::grant_phase(ResourceClass phase) {
  grants_.take_touched(phase, [&](const ResourceState& state) {
    for (std::uint32_t head = state.queue_head; head != kNone && grants_.free(state);
         head = state.queue_head) {
      if (!first_served_ && (head = chosen(head)) == kNone) break;
      phase == ResourceClass::injection ? grant_injection(head) : grant(head);
    }
  });
}

/// Of the queue that begins at `head`, for a free resource: the hop that gets it now, or kNone.
[[gnu::noinline]] std::uint32_t EngineCore::chosen(std::uint32_t head) {
  const Hop& first = pool_.hop(head);
  if (granted_jointly(first)) {
    joint_.push_back(head);
    return kNone;
  }
  if (first.kind == HopKind::injection) return head;
  if (reservations_) return kNone;
  if (needs_slots_ && (head = first_with_slot(head)) == kNone) return kNone;
  return arbiter_ ? arbiter_->choose(head) : head;
}

inline void EngineCore::step(Cycle cycle) {
  now_ = cycle;
  grants_.begin_cycle(cycle);
  calendar_.take(cycle, [this](Event event) { take_event(event); });
  for (const ResourceClass phase : kGrantOrder)
    if (grants_.any_touched(phase)) grant_phase(phase);
  if (!joint_.empty()) grant_jointly();
  if (reservations_) grant_reserved();
  motion_->move(granted_);
  granted_.clear();
  if (grants_.any_touched(ResourceClass::consumption)) tick_due(cycle + 1);
  if (!suspects_.empty() && !deadlock_ && search_for_ == SearchFor::held) detect();
  suspects_.clear();
}

void EngineCore::run_before(Cycle limit) {
  while (!stopped_) {
    const Cycle cycle = calendar_.next();
    if (cycle >= limit) return;
    step(cycle);
  }
}

/// Of several units the release must be counted when it comes, and an observer is told of it.
void EngineCore::release_watched(const Hop& hop, std::uint32_t slot) {
  ResourceState& state = *hop.resource_state;
  if (state.units > 1 || options_.observer != nullptr)
    calendar_.schedule(hop.until, {Event::Kind::release, slot});
  if (state.units != 1) return;
  state.free_from = hop.until;
  if (state.queue_head != kNone) calendar_.schedule(hop.until, {Event::Kind::wake, slot});
}

void EngineCore::release(std::uint32_t slot) {
  const Hop& hop = pool_.hop(slot);
  if (hop.resource_state->units > 1) grants_.release(slot);
  const WormState& worm = pool_.worm(hop.worm);
  if (options_.observer != nullptr)
    options_.observer->held({worm.id, worm.index}, hop.resource, hop.since, now_);
}

void EngineCore::request_later(std::uint32_t hop, Cycle cycle) {
  Cycle due = std::max(cycle, pool_.hop(hop).since);
  if (pool_.in_atomic_group(pool_.hop(hop)))
    for_each_with(pool_.hop(hop), [&](std::uint32_t at) { due = std::max(due, pool_.hop(at).since); });
  if (due > now_ || pool_.hop(hop).kind == HopKind::injection)  // the first may be requested in cycle 0
    calendar_.schedule(due, {Event::Kind::request, hop});
  else
    request(hop);
}

/// Of what is no path, or reserved as a whole.
[[gnu::noinline]] void EngineCore::header_in_tree(const WormState& worm, std::uint32_t node) {
  const Hop& from = pool_.hop(node);
  if (worm.joins) return part_at(from, worm);
  if (worm.whole_way) return enter_reserved(worm, node);
  if (worm.serial) return request_later(from.first_child, now_);
  for (std::uint32_t at = from.first_child; at != kNone;) {
    const std::uint32_t after = pool_.hop(at).next_sibling;
    request_later(at, now_);
    at = after;
  }
}

void EngineCore::grant_jointly() {
  for (std::size_t i = 0; i < joint_.size(); ++i) {
    const Hop& first = pool_.hop(joint_[i]);
    if (!all_free(first)) continue;
    for_each_with(first, [&](std::uint32_t at) {
      Hop& hop = pool_.hop(at);
      if (hop.kind == HopKind::injection)
        grant_injection(at);
      else if (pool_.worm_of(hop).whole_way)
        grants_.grant(hop, pool_.worm_of(hop), at);
      else
        grant(at);
      consider(*hop.resource_state);
    });
  }
  joint_.clear();
}

/// The header of the first in the queue if it can move into the output, which is free; where needs
/// differ, of the queue the first that can.
std::uint32_t EngineCore::first_with_slot(std::uint32_t head) {
  for (std::uint32_t at = head; at != kNone; at = pool_.hop(at).next) {
    const Cycle from = motion_->slot_for_header(pool_.hop(at));
    if (from <= now_) return at;
    if (from != kNever) calendar_.schedule(from, {Event::Kind::wake, at});
    if (!model().discipline().slots_differ()) break;
  }
  return kNone;
}

/// What was reserved in the cycle before is granted, if all of it still has slots; and headers reserve.
void EngineCore::grant_reserved() {
  const auto slots = [this](std::uint32_t node) {
    bool all = true;
    for (std::uint32_t at = pool_.hop(node).first_child; at != kNone; at = pool_.hop(at).next_sibling)
      all = all && motion_->slot_for_header(pool_.hop(at)) <= now_;
    return all;
  };
  const auto granted = [this](std::uint32_t node) {
    for (std::uint32_t at = pool_.hop(node).first_child; at != kNone; at = pool_.hop(at).next_sibling)
      grant(at);
  };
  if (reservations_->step(slots, granted, [this](std::uint32_t node) { return motion_->tail_is_next(node); }))
    tick_due(now_ + 1);
}

/// The hop, of `worm`, has its resource; how long it waited.
inline Cycle EngineCore::hold(Hop& hop, WormState& worm, std::uint32_t slot) {
  const Cycle waited = now_ - hop.since;
  grants_.grant(hop, worm, slot);
  ledger_.totals().last_cycle = now_;
  if (worm.waiting > 0 || worm.behind > 0) suspects_.push_back(slot);
  return waited;
}

void EngineCore::grant_injection(std::uint32_t slot) {
  Hop& hop = pool_.hop(slot);
  WormState& worm = pool_.worm_of(hop);
  const Cycle waited = hold(hop, worm, slot);
  ledger_.queued(worm.multicast, waited);
  worm.queued += waited;
  leave_source(slot, worm);
}

/// The worm has the injection channel at `slot` from this cycle on.
void EngineCore::leave_source(std::uint32_t slot, const WormState& worm) {
  const Cycle startup = worm.joins ? startup_of_part(slot) : worm.startup;
  if (worm.joins) parts_.erase(slot);
  if (startup == 0)
    header_at(slot);
  else
    header_due(slot, now_ + startup);
}

[[gnu::always_inline]] inline void EngineCore::grant(std::uint32_t slot) {
  Hop& hop = pool_.hop(slot);
  WormState& worm = pool_.worm_of(hop);
  Cycle waited = hold(hop, worm, slot);
  if (grants_watched_) {
    if (reservations_) --waited;  // the cycle of the reservation
    if (options_.window) leaves(slot);
    if (model().reuses_early() && hop.is_network()) motion_->held_early(slot);
  }
  if (waited > 0) {
    ledger_.blocked(worm.multicast, waited);
    if (options_.channel_loads && hop.is_network())
      count_load({hop.target, hop.vc, {worm.id, worm.index}}, now_ - waited, now_,
                 &ChannelLoad::blocked_cycles);
  }
  if (worm.path) {
    if (hop.next_sibling != kNone) return request_now(hop.next_sibling);
  } else if (!worm.joins && --pool_.hop(hop.parent).ungranted > 0 && worm.together) {
    return;
  }
  granted_.push_back(slot);
}

/// A prediction that may still slip is reported when due. What is due in this cycle cannot slip, and a run
/// that ends with it takes no further event.
void EngineCore::tail_due(std::uint32_t slot, Cycle cycle) {
  if (may_hand_over_ && cycle > now_)
    calendar_.schedule(cycle, {Event::Kind::tail, slot});
  else
    tail_consumed(slot, cycle);
}

void EngineCore::tail_consumed(std::uint32_t slot, Cycle cycle) {
  const Hop& hop = pool_.hop(slot);
  WormState& worm = pool_.worm(hop.worm);
  const HostId host{hop.target};
  Cycle arrival = cycle;
  if (topology_->hosts_have_links()) {  // it is released before: elsewhere that is what comes last
    arrival += topology_->own(LinkValue::hop_cycles, host, true, model().hop_cycles);
    calendar_.schedule(arrival, {Event::Kind::arrival, slot});
  }
  if (options_.observer != nullptr) options_.observer->arrived({worm.id, worm.index}, host, arrival);
  // A follower that starts leaves the list: its slot may be another worm's when this one arrives again.
  for (std::uint32_t* link = &worm.followers; *link != kNone;) {
    WormState& follower = pool_.worm(*link);
    if (follower.source == host) {
      follower.queued = worm.queued;
      request_later(follower.first, arrival + model().flit_cycles);
      *link = follower.next_follower;
    } else {
      link = &follower.next_follower;
    }
  }
  if (worm.joins) combined(hop.worm, arrival + model().flit_cycles);
  arrived(worm.multicast, {host, hop.kind == HopKind::deliver, arrival, worm.queued});
}

void EngineCore::stand_still(bool deadlock) {
  retire_before(kNever);
  if (deadlock_) return;
  if (!deadlock) {
    stopped_ = unfinished_worms_ > 0;
    if (stopped_) end_ = now_ + 1;
    return;
  }
  Deadlock& found = deadlock_.emplace();
  found.cycle = std::max(moved_, motion_->last_crossing());
  for (std::uint32_t slot = 0; slot < pool_.worm_slots(); ++slot)
    if (const WormState& worm = pool_.worm(slot); worm.under_way)
      found.blocked.push_back({worm.id, worm.index});
  std::sort(found.blocked.begin(), found.blocked.end());
}

/// All that wait, and those of them that others of them wait for, when nothing moves any more.
Deadlock EngineCore::standstill() {
  const Cycle moved = std::max(moved_, motion_->last_crossing());
  return search_.report_standstill(moved, [this](std::uint32_t slot, const auto& visit) {
    if (pool_.hop(slot).kind == HopKind::injection) return;
    const std::uint32_t before = motion_->last_in_buffer(pool_.hop(slot));
    if (before != kNone) visit(before);
    const std::uint32_t lock = reservations_ ? reservations_->lock_at(pool_.hop(slot).parent) : kNone;
    if (lock != kNone) visit(lock);
  });
}

void EngineCore::find_standstill() {
  if (deadlock_ || search_for_ != SearchFor::standstill) return;
  deadlock_ = standstill();
  if (deadlock_->blocked.empty()) return deadlock_.reset();
  stopped_ = stopped_ || options_.stop_on_deadlock;
}

void EngineCore::detect() {
  if (!search_.exists(suspects_)) return;
  end_with(search_.report(now_));
  if (deadlock_->blocked.empty()) std::abort();  // what is dead among some is dead among all: a bug
}

}  // namespace wormcast

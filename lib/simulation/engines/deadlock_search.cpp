// The exact deadlock condition: the greatest set of requests that keep each other from being granted.
//
// A request is dead if every unit of its resource is held by worms whose tails cannot leave it while
// dead requests stay ungranted. Start with all requests of the worms in question as dead and drop
// those that are not, until nothing changes: what remains is the greatest such set. How far a worm's
// tail can come follows from counting flits: with none crossing a dead hop, at most B flits more can
// cross a channel than can leave its buffer in every branch; every hop carries at most what the one
// before it does. So worms that still drain into free slots are told from those that are stuck.
//
// With atomic allocation a request also waits for those ahead of it in the queue; with early reuse a
// header also waits for the tail ahead of it in its buffer, and has only the slots left by it: what crosses
// then depends on what crosses of other worms, so both are worked out together, until neither changes.
//
// As long as no request is dead, one can become so only through a hop that begins to wait, or that is
// granted to a worm which waits elsewhere. So a cycle's check follows only what these worms wait for,
// and stops at worms that wait for nothing. Where each waits for a single holder that is one walk. Cost: the
// hops of the worms so reached, times the rounds until nothing changes (mostly one or two, since worms are
// settled in reverse order of discovery). cite: Warnakulasuriya, Pinkston: Characterization of deadlocks in
// interconnection networks (knots);
//       the condition with partly drained worms is this project's own.
// SPDX-License-Identifier: MIT
#include "simulation/engines/deadlock_search.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace wormcast {

void DeadlockSearch::set_ahead(std::uint32_t hop, std::uint32_t ahead_hop) {
  if (hop >= ahead_.size()) ahead_.resize(pool_->hop_slots(), kNone);
  WormState& worm = pool_->worm_of(pool_->hop(hop));
  if (ahead_[hop] != kNone) --worm.behind;
  if (ahead_hop != kNone) ++worm.behind;
  ahead_[hop] = ahead_hop;
}

void DeadlockSearch::begin() {
  ++epoch_;
  members_.clear();
  dead_.resize(pool_->hop_slots(), 0);
  crossing_.resize(pool_->hop_slots(), 0);
}

void DeadlockSearch::add(std::uint32_t worm_slot) {
  WormState& worm = pool_->worm(worm_slot);
  if (worm.mark == epoch_ || !has_waits(worm)) return;
  worm.mark = epoch_;
  members_.push_back(worm_slot);
}

/// Calls `visit` with every hop that must be released before the one at `slot` can be granted or passed.
template <class Visit>
void DeadlockSearch::for_each_awaited(std::uint32_t slot, Visit visit) const {
  const Hop& hop = pool_->hop(slot);
  if (hop.state == HopState::waiting) {
    for (std::uint32_t at = grants_->holders(*hop.resource_state); at != kNone; at = pool_->hop(at).next)
      visit(grants_->keeper(at));
    if (queues_hold_up_)
      for (std::uint32_t at = hop.prev; at != kNone; at = pool_->hop(at).prev) visit(at);
    if (before_header_) before_header_(slot, visit);
  } else if (hop.state == HopState::idle && before_header_) {
    visit(copied_before(slot));
  } else if (ahead(slot) != kNone) {
    visit(ahead(slot));
  }
}

/// Adds all that members wait for, directly or not, and takes all their requests for dead.
void DeadlockSearch::close() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const WormState& worm = pool_->worm(members_[i]);
    for (std::uint32_t slot = worm.first; slot < worm.first + worm.hops; ++slot) {
      if (pool_->hop(slot).state != HopState::waiting && ahead(slot) == kNone) continue;
      dead_[slot] = epoch_;
      for_each_awaited(slot, [&](std::uint32_t awaited) { add(pool_->hop(awaited).worm); });
    }
  }
}

/// Flits of worms in front of `hop` that will stay in its buffer.
std::uint64_t DeadlockSearch::flits_ahead(std::uint32_t slot) const {
  std::uint64_t flits = 0;
  for (std::uint32_t at = ahead(slot); at != kNone; at = ahead(at)) {
    const Hop& hop = pool_->hop(at);
    if (!member(hop)) return flits;
    std::uint64_t leaving = pool_->worm(hop.worm).flits;
    for (std::uint32_t child = hop.first_child; child != kNone; child = pool_->hop(child).next_sibling)
      leaving = std::min(leaving, crossing_[child]);
    flits += pool_->worm(hop.worm).flits - leaving;
  }
  return flits;
}

/// Fills crossing_ for the worm from its dead requests: leaves first, then from the source.
void DeadlockSearch::measure(const WormState& worm) {
  const std::uint32_t last = worm.first + worm.hops - 1;
  for (std::uint32_t slot = worm.first; slot <= last; ++slot) crossing_[slot] = worm.flits;
  // Until a parent is reached itself, its entry is what can leave its buffer in every branch.
  std::vector<std::uint64_t>& leaving = crossing_;
  for (std::uint32_t slot = last; slot > worm.first; --slot) {
    const Hop& hop = pool_->hop(slot);
    const bool granted = hop.state == HopState::held;
    std::uint64_t own = worm.flits;
    if (dead(slot) && !granted) {
      own = 0;
    } else if (hop.is_channel()) {
      const bool behind = dead(slot);
      const std::uint64_t taken = ahead(slot) == kNone ? 0 : flits_ahead(slot);
      const std::uint64_t slots = pool_->own(LinkValue::buffer_flits, hop, model_.buffer_flits);
      const std::uint64_t room = taken < slots ? slots - taken : 0;
      own = std::min(worm.flits, room + (behind ? 0 : leaving[slot]));
      if (behind)
        for (std::uint32_t child = hop.first_child; child != kNone; child = pool_->hop(child).next_sibling)
          crossing_[child] = 0;
    }
    crossing_[slot] = own;
    leaving[hop.parent] = std::min(leaving[hop.parent], own);
  }
  // What one copy cannot cross, none of the copies beside it does; flit by flit, only one flit more.
  if (worm.together || worm.per_flit) {
    for (std::uint32_t node = worm.first; node <= last; ++node) {
      std::uint64_t together = worm.flits;
      for (std::uint32_t at = pool_->hop(node).first_child; at != kNone; at = pool_->hop(at).next_sibling)
        together = std::min(together, crossing_[at]);
      for (std::uint32_t at = pool_->hop(node).first_child; at != kNone; at = pool_->hop(at).next_sibling)
        crossing_[at] = worm.per_flit ? std::min(crossing_[at], together + 1) : together;
    }
  }
  crossing_[worm.first] = worm.flits;
  for (std::uint32_t slot = worm.first + 1; slot <= last; ++slot)
    crossing_[slot] = std::min(crossing_[slot], crossing_[pool_->hop(slot).parent]);
}

/// True if the tail can never leave the buffer (for an injection: the source) at the hop's end.
bool DeadlockSearch::tail_stays(const Hop& hop) const {
  const std::uint64_t flits = pool_->worm(hop.worm).flits;
  for (std::uint32_t child = hop.first_child; child != kNone; child = pool_->hop(child).next_sibling)
    if (crossing_[child] < flits) return true;
  return false;
}

/// True if the hop never releases what it holds. An answer that never gets its injection channel never
/// releases what it answers.
bool DeadlockSearch::holder_stuck(const Hop& hop, std::uint32_t slot) const {
  if (!member(hop)) return false;
  if (hop.kind == HopKind::injection && dead(slot)) return true;
  if (hop.is_consumption() || (hop.is_network() && model_.reuses_early()))
    return crossing_[slot] < pool_->worm(hop.worm).flits;
  return tail_stays(hop);
}

/// True if the request at `slot`, taken by itself, will be granted (or the tail ahead will pass).
bool DeadlockSearch::request_lives(std::uint32_t slot) const {
  const Hop& hop = pool_->hop(slot);
  if (hop.state != HopState::waiting) {
    const Hop& before = pool_->hop(ahead(slot));
    return !member(before) || !tail_stays(before);
  }
  if (queues_hold_up_)
    for (std::uint32_t at = hop.prev; at != kNone; at = pool_->hop(at).prev)
      if (dead(at)) return false;
  if (grants_->free(*hop.resource_state)) return true;
  for (std::uint32_t at = grants_->holders(*hop.resource_state); at != kNone; at = pool_->hop(at).next) {
    const std::uint32_t keeper = grants_->keeper(at);
    if (!holder_stuck(pool_->hop(keeper), keeper)) return true;
  }
  return false;
}

/// Lets the worm's requests live that do; true if that changed anything.
bool DeadlockSearch::settle_worm(std::uint32_t worm_slot) {
  const WormState& worm = pool_->worm(worm_slot);
  bool changed = false;
  for (std::uint32_t slot = worm.first; slot < worm.first + worm.hops; ++slot) {
    if (!dead(slot)) continue;
    const Hop& hop = pool_->hop(slot);
    bool lives = request_lives(slot);
    if (lives && hop.state == HopState::waiting && pool_->in_atomic_group(hop))
      for (std::uint32_t at = pool_->hop(hop.parent).first_child; at != kNone && lives;
           at = pool_->hop(at).next_sibling)
        lives = pool_->hop(at).state != HopState::waiting || request_lives(at);
    if (!lives) continue;
    dead_[slot] = 0;
    changed = true;
  }
  if (!changed && worm.behind == 0) return false;
  const auto first = crossing_.begin() + worm.first;
  before_.assign(first, first + worm.hops);
  measure(worm);
  return changed || !std::equal(before_.begin(), before_.end(), first);
}

void DeadlockSearch::settle() {
  // With early reuse what crosses depends on other members, too: from nothing on, it only grows.
  for (const std::uint32_t slot : members_) {
    const WormState& worm = pool_->worm(slot);
    std::fill_n(crossing_.begin() + worm.first, worm.hops, 0);
  }
  for (const std::uint32_t worm : members_) measure(pool_->worm(worm));
  bool changed = true;
  while (changed) {
    changed = false;
    for (std::size_t i = members_.size(); i-- > 0;) changed = settle_worm(members_[i]) || changed;
  }
}

/// True if the worm waits for one thing at most, whose only holder does the same, and so on to a worm
/// that waits for nothing: then none of them is dead. What needs a closer look gives false.
bool DeadlockSearch::plainly_moves(std::uint32_t worm_slot) const {
  if (queues_hold_up_) return false;
  std::uint32_t passed = kNone;  // every cycle comes back to the last power of two before it
  for (std::uint64_t step = 1; worm_slot != passed; ++step) {
    if ((step & (step - 1)) == 0) passed = worm_slot;
    const WormState& worm = pool_->worm(worm_slot);
    if (!has_waits(worm)) return true;
    if (worm.waiting != 1 || worm.behind > 0) return false;
    const Hop& hop = pool_->hop(worm.requested);
    if (hop.state != HopState::waiting) return false;
    const std::uint32_t holder = grants_->holders(*hop.resource_state);
    if (holder == kNone || pool_->hop(holder).next != kNone) return false;
    worm_slot = pool_->hop(grants_->keeper(holder)).worm;
  }
  return false;
}

bool DeadlockSearch::exists(const std::vector<std::uint32_t>& suspects) {
  const auto moves = [this](std::uint32_t hop) { return plainly_moves(pool_->hop(hop).worm); };
  const auto first = std::find_if_not(suspects.begin(), suspects.end(), moves);
  if (first == suspects.end()) return false;
  begin();
  for (auto hop = first; hop != suspects.end(); ++hop)
    if (hop == first || !moves(*hop)) add(pool_->hop(*hop).worm);
  if (members_.empty()) return false;
  close();
  settle();
  for (const std::uint32_t slot : members_) {
    const WormState& worm = pool_->worm(slot);
    for (std::uint32_t hop = worm.first; hop < worm.first + worm.hops; ++hop)
      if (dead(hop)) return true;
  }
  return false;
}

/// Serial copies: the output to which the worm is copied while the one at `slot` has yet to ask, or kNone.
std::uint32_t DeadlockSearch::copied_before(std::uint32_t slot) const {
  const Hop& hop = pool_->hop(slot);
  if (hop.state != HopState::idle || hop.parent == kNone || !pool_->worm(hop.worm).serial) return kNone;
  std::uint32_t at = pool_->hop(hop.parent).first_child;
  if (at == slot) return kNone;
  while (pool_->hop(at).next_sibling != slot) at = pool_->hop(at).next_sibling;
  return pool_->hop(at).state == HopState::held && pool_->hop(at).until == kNever ? at : kNone;
}

Deadlock DeadlockSearch::report(Cycle cycle) {
  begin();
  for (std::uint32_t worm = 0; worm < pool_->worm_slots(); ++worm)
    if (pool_->worm(worm).under_way) add(worm);
  close();
  settle();
  return describe(cycle);
}

Deadlock DeadlockSearch::report_standstill(Cycle cycle, Before before) {
  begin();
  before_header_ = std::move(before);
  for (std::uint32_t slot = 0; slot < pool_->worm_slots(); ++slot) {
    const WormState& worm = pool_->worm(slot);
    if (!worm.under_way || worm.held == 0) continue;
    bool waits = false;
    for (std::uint32_t hop = worm.first; hop < worm.first + worm.hops; ++hop) {
      if (pool_->hop(hop).state != HopState::waiting && copied_before(hop) == kNone && ahead(hop) == kNone)
        continue;
      dead_[hop] = epoch_;
      waits = true;
    }
    if (waits) members_.push_back(slot);
  }
  Deadlock deadlock = describe(cycle);
  before_header_ = nullptr;
  return deadlock;
}

/// The members with dead requests.
Deadlock DeadlockSearch::describe(Cycle cycle) const {
  std::vector<DeadWorm> worms;
  for (const std::uint32_t slot : members_) {
    const WormState& worm = pool_->worm(slot);
    DeadWorm found{{{worm.id, worm.index}, {}, {}}, {}};
    for (std::uint32_t hop = worm.first; hop < worm.first + worm.hops; ++hop) {
      const Hop& held = pool_->hop(hop);
      const auto lent = grants_->handovers().find(hop);
      const bool gone = lent != grants_->handovers().end() && lent->second.cycle <= cycle;
      if (held.state == HopState::held && held.until > cycle && !gone)
        found.stuck.holds.push_back(held.resource);
      if (!dead(hop)) continue;
      found.stuck.waits.push_back(held.resource);
      for_each_awaited(hop, [&](std::uint32_t at) {
        const WormState& awaited = pool_->worm_of(pool_->hop(at));
        found.waits_for.push_back({awaited.id, awaited.index});
      });
    }
    if (found.stuck.waits.empty()) continue;
    for (const auto& [hop, lent] : grants_->handovers())
      if (lent.to == worm.first && lent.cycle <= cycle && lent.until > cycle)
        found.stuck.holds.push_back(pool_->hop(hop).resource);
    worms.push_back(std::move(found));
  }
  return deadlock_of(cycle, std::move(worms));
}

/// Cost: O(waits · log worms).
Deadlock deadlock_of(Cycle cycle, std::vector<DeadWorm> dead) {
  const auto name = [](const DeadWorm& worm) { return worm.stuck.name; };
  std::sort(dead.begin(), dead.end(),
            [&](const DeadWorm& a, const DeadWorm& b) { return name(a) < name(b); });
  Deadlock deadlock;
  deadlock.cycle = cycle;
  for (const DeadWorm& worm : dead) deadlock.blocked.push_back(name(worm));
  std::vector<std::size_t> awaited(dead.size());  // by how many waits of those that are left
  const auto for_each_awaited = [&](const DeadWorm& worm, auto visit) {
    for (const WormName& other : worm.waits_for) {
      const auto found = std::lower_bound(deadlock.blocked.begin(), deadlock.blocked.end(), other);
      if (found != deadlock.blocked.end() && *found == other)
        visit(static_cast<std::size_t>(found - deadlock.blocked.begin()));
    }
  };
  for (const DeadWorm& worm : dead) for_each_awaited(worm, [&](std::size_t other) { ++awaited[other]; });
  std::vector<std::size_t> leaving;
  for (std::size_t i = 0; i < dead.size(); ++i)
    if (awaited[i] == 0) leaving.push_back(i);
  std::vector<bool> left(dead.size());
  while (!leaving.empty()) {
    const std::size_t worm = leaving.back();
    leaving.pop_back();
    left[worm] = true;
    for_each_awaited(dead[worm], [&](std::size_t other) {
      if (--awaited[other] == 0) leaving.push_back(other);
    });
  }
  for (std::size_t i = 0; i < dead.size(); ++i) {
    if (left[i]) continue;
    StuckWorm& stuck = dead[i].stuck;
    for (auto* list : {&stuck.holds, &stuck.waits}) sort_unique(*list);
    deadlock.core.push_back(std::move(stuck));
  }
  return deadlock;
}

}  // namespace wormcast

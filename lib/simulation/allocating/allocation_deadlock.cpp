// Deadlocks of allocating routers: the worms that can never move again, in the first cycle with any.
//
// A request is dead if every virtual channel that it may take is held by a worm that can never release it
// while the dead requests stay without. What a worm can still release follows from the room before it: behind
// a dead request its flits fill the FIFO there, and then those before; its tail leaves a FIFO if there is
// room for all of it. A worm that stands behind another's tail in a FIFO is as dead as that one. The set is
// the greatest: it begins with all requests that find nothing free, and loses those for which one will
// become free, until none does.
//
// A set can come to be only when a header finds nothing free for the first time, or is put behind another
// worm. Only then is looked, and first by following what waits for what: where every worm waits for one
// thing, a way to one that moves says that nothing is dead. Cost: that way; or, where there is none, all that
// is in the network. cite: Warnakulasuriya, Pinkston 2000 (knots)
// SPDX-License-Identifier: MIT
#include "simulation/allocating/allocating_engine.hpp"

#include <algorithm>

#include "simulation/engines/deadlock_search.hpp"

namespace wormcast {

AllocationDeadlockSearch::AllocationDeadlockSearch(const LinkTable& links, const SlotPool<TransitWorm>& worms,
                                                   const SlotPool<Visit>& visits,
                                                   const SlotPool<Branch>& branches, const RouterModel& model)
    : links_(links), worms_(worms), visits_(visits), branches_(branches), early_(model.reuses_early()) {}

/// What of the worm waits: requests, and headers behind other tails.
std::size_t AllocationDeadlockSearch::waits_of(const TransitWorm& worm) const {
  std::size_t count = worm.asks.size();
  for (const std::uint32_t visit : worm.headers) count += is_behind(visit) ? 1 : 0;
  return count;
}

bool AllocationDeadlockSearch::is_behind(std::uint32_t visit) const {
  return links_.vc(visits_[visit].link_vc).first != visit;
}

/// Calls visit(virtual channel) for each that the request may take.
template <class Visit>
void AllocationDeadlockSearch::each_way(const Branch& branch, Visit visit) const {
  for (const OutputCandidate& way : branch.ways)
    for (std::uint32_t vc = way.vc_begin; vc < way.vc_end; ++vc) visit(LinkTable::vc_number(way.link, vc));
}

/// False if following what waits for what, from these worms, leads to one that moves.
bool AllocationDeadlockSearch::may_exist(const std::vector<std::uint32_t>& suspects, Cycle now) {
  seen_.resize(worms_.size(), 0);
  for (const std::uint32_t suspect : suspects) {
    ++epoch_;
    bool moves = false;
    stack_.assign(1, suspect);
    seen_[suspect] = epoch_;
    while (!stack_.empty() && !moves) {
      const TransitWorm& worm = worms_[stack_.back()];
      stack_.pop_back();
      const std::size_t waits = waits_of(worm);
      if (waits > 1) continue;  // it moves only when all of that do
      if (waits == 0) {
        moves = true;
        break;
      }
      const auto follow = [&](std::uint32_t next) {
        if (std::exchange(seen_[next], epoch_) != epoch_) stack_.push_back(next);
      };
      if (worm.asks.empty()) {
        for (const std::uint32_t visit : worm.headers)
          if (is_behind(visit)) follow(visits_[links_.vc(visits_[visit].link_vc).first].worm);
        continue;
      }
      const Branch& branch = branches_[worm.asks.front()];
      moves = branch.since > now;
      each_way(branch, [&](std::uint32_t number) {
        const std::uint32_t holder = links_.vc(number).holder;
        if (holder == kNone)
          moves = true;
        else
          follow(branches_[holder].worm);
      });
    }
    if (!moves) return true;
  }
  return false;
}

/// All worms' requests that find nothing free, or `all`, and all that stands in FIFOs, the furthest first.
void AllocationDeadlockSearch::collect(Cycle now, bool all) {
  dead_.clear();
  order_.clear();
  is_dead_.assign(branches_.size(), false);
  left_.assign(visits_.size(), 0);
  crossed_.assign(branches_.size(), 0);
  for (std::uint32_t slot = 0; slot < worms_.size(); ++slot) {
    if (!worms_[slot].under_way) continue;
    for (const std::uint32_t ask : worms_[slot].asks) {
      bool free = branches_[ask].since > now;
      each_way(branches_[ask],
               [&](std::uint32_t number) { free = free || links_.vc(number).holder == kNone; });
      if (free && !all) continue;
      dead_.push_back(ask);
      is_dead_[ask] = true;
    }
  }
  links_.each_vc([&](std::uint32_t number) {
    for (std::uint32_t at = links_.vc(number).first; at != kNone; at = visits_[at].next) {
      order_.push_back(at);
      left_[at] = visits_[at].left;
    }
  });
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(visits_[b].depth, a) < std::pair(visits_[a].depth, b);
  });
}

/// Slots that the visit's worm can fill, those of the flits it has there included.
std::uint64_t AllocationDeadlockSearch::room(std::uint32_t visit) const {
  std::uint64_t taken = 0;
  for (std::uint32_t at = links_.vc(visits_[visit].link_vc).first; at != visit; at = visits_[at].next)
    taken += worms_[visits_[at].worm].flits - left_[at];
  const std::uint64_t slots = links_.link(LinkTable::link_of(visits_[visit].link_vc)).buffer_flits;
  return taken < slots ? slots - taken : 0;
}

/// How many flits will ever have left the FIFO, whatever still comes into it.
std::uint64_t AllocationDeadlockSearch::will_leave(std::uint32_t slot) {
  const Visit& visit = visits_[slot];
  const std::uint64_t flits = worms_[visit.worm].flits;
  for (std::uint32_t at = links_.vc(visit.link_vc).first; at != slot; at = visits_[at].next)
    if (left_[at] < worms_[visits_[at].worm].flits) return 0;
  std::uint64_t least = flits;
  for (std::uint32_t at = visit.branch; at != kNone; at = branches_[at].next) {
    const Branch& branch = branches_[at];
    std::uint64_t& crossed = crossed_[at];
    crossed = flits;
    if (branch.sent == flits) continue;
    if (branch.link_vc == kNone)
      crossed = is_dead_[at] ? 0 : flits;
    else if (branch.child != kNone && left_[branch.child] < flits)
      crossed = std::min(flits, left_[branch.child] + room(branch.child));
    least = std::min(least, crossed);
  }
  for (std::uint32_t at = visit.branch; at != kNone; at = branches_[at].next)
    if (branches_[at].sent < flits) crossed_[at] = std::min(crossed_[at], least + 1);
  return least;
}

/// What leaves which FIFO and crosses which link while the dead requests stay without: least fixed point.
void AllocationDeadlockSearch::drain() {
  for (const std::uint32_t slot : order_) left_[slot] = visits_[slot].left;
  for (bool changes = true; changes;) {
    changes = false;
    for (const std::uint32_t slot : order_) {
      const std::uint64_t leaves = std::max(will_leave(slot), left_[slot]);
      changes = changes || leaves != left_[slot];
      left_[slot] = leaves;
    }
  }
  // What a branch does not send does not arrive.
  for (std::size_t i = order_.size(); i-- > 0;) {
    const Visit& visit = visits_[order_[i]];
    const std::uint64_t flits = worms_[visit.worm].flits;
    if (visit.from == kNone) continue;
    const Branch& from = branches_[visit.from];
    // A branch whose tail has gone may be another's by now.
    if (from.child != order_[i] || from.visit == kNone || from.sent == flits) continue;
    const std::uint64_t arrive = crossed_[visit.from];
    left_[order_[i]] = std::min(left_[order_[i]], arrive);
    for (std::uint32_t at = visit.branch; at != kNone; at = branches_[at].next)
      crossed_[at] = std::min(crossed_[at], arrive);
  }
}

/// True if the holder of the virtual channel will release it.
bool AllocationDeadlockSearch::becomes_free(std::uint32_t number) const {
  const std::uint32_t holder = links_.vc(number).holder;
  if (holder == kNone) return true;
  const Branch& branch = branches_[holder];
  const std::uint64_t flits = worms_[branch.worm].flits;
  if (early_ || branch.child == kNone) return branch.sent == flits || crossed_[holder] == flits;
  return left_[branch.child] == flits;
}

/// True if the worm stands behind one whose tail never leaves the FIFO.
bool AllocationDeadlockSearch::is_stuck_behind(std::uint32_t visit) const {
  const std::uint32_t first = links_.vc(visits_[visit].link_vc).first;
  return first != visit && left_[first] < worms_[visits_[first].worm].flits;
}

std::optional<Deadlock> AllocationDeadlockSearch::find(Cycle now, const Resources& ids, bool all) {
  collect(now, all);
  for (bool changes = !all; changes;) {
    drain();
    const std::size_t before = dead_.size();
    std::erase_if(dead_, [&](std::uint32_t ask) {
      bool free = false;
      each_way(branches_[ask], [&](std::uint32_t number) { free = free || becomes_free(number); });
      if (free) is_dead_[ask] = false;
      return free;
    });
    changes = dead_.size() != before;
  }
  const bool any_behind =
      std::any_of(order_.begin(), order_.end(), [&](std::uint32_t visit) { return is_stuck_behind(visit); });
  if (dead_.empty() && !any_behind && !all) return std::nullopt;
  return report(now, ids, all);
}

/// What each dead worm holds and waits for.
Deadlock AllocationDeadlockSearch::report(Cycle now, const Resources& ids, bool all) const {
  std::map<std::uint32_t, DeadWorm> dead;  // by slot
  const auto name = [&](std::uint32_t slot) { return WormName{worms_[slot].id, worms_[slot].index}; };
  for (const std::uint32_t ask : dead_) {
    DeadWorm& worm = dead[branches_[ask].worm];
    each_way(branches_[ask], [&](std::uint32_t number) {
      worm.stuck.waits.push_back(links_.resource(number, ids));
      const LinkVc& vc = links_.vc(number);
      if (vc.holder != kNone)
        worm.waits_for.push_back(name(branches_[vc.holder].worm));
      else if (vc.first != kNone)
        worm.waits_for.push_back(name(visits_[vc.first].worm));
    });
  }
  for (const std::uint32_t slot : order_) {
    const Visit& visit = visits_[slot];
    const TransitWorm& fills = worms_[visit.worm];
    if (all && visit.branch != kNone && visit.arrived < fills.flits &&
        fills.next_copy(branches_[visit.branch].hop) != kNone) {
      dead[visit.worm].stuck.waits.push_back(links_.resource(visit.link_vc, ids));
      dead[visit.worm].waits_for.push_back(name(visit.worm));
    }
    if (!is_stuck_behind(slot)) continue;
    DeadWorm& worm = dead[visits_[slot].worm];
    worm.stuck.waits.push_back(links_.resource(visits_[slot].link_vc, ids));
    for (std::uint32_t at = links_.vc(visits_[slot].link_vc).first; at != slot; at = visits_[at].next)
      worm.waits_for.push_back(name(visits_[at].worm));
  }
  links_.each_vc([&](std::uint32_t number) {
    const std::uint32_t holder = links_.vc(number).holder;
    if (holder == kNone || becomes_free(number)) return;
    const auto worm = dead.find(branches_[holder].worm);
    if (worm != dead.end()) worm->second.stuck.holds.push_back(links_.resource(number, ids));
  });
  std::vector<DeadWorm> worms;
  for (auto& [slot, worm] : dead) {
    worm.stuck.name = name(slot);
    worms.push_back(std::move(worm));
  }
  return deadlock_of(now, std::move(worms));
}

}  // namespace wormcast

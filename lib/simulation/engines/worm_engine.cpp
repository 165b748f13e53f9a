// The worm engine: headers move, tails follow by a formula. One event a hop instead of one a flit.
//
// Let x(h, i) be the cycle in which flit i starts to cross hop h. Flit i needs F cycles after flit
// i − 1 on the same hop, H after it crossed the hop before, and C after flit i − B crossed a hop that
// follows h (in every branch), when it left the slot. So x(h, L − 1) is a longest path: from the
// header of some hop j, t(j), by steps of cost F (one flit on), H (one hop down) and C (one hop up and
// B flits on). From j that lies a steps up and δ steps down from h, with z more pairs of C and H:
//     t(j) + a·H + δ·C + z·(H + C) + (L − 1 − B(δ + z))·F,   δ + z ≤ K = ⌊(L − 1) / B⌋,
// where z is best taken as K − δ if H + C > B·F, else as 0. The way never leads through the source, which has
// no buffer. Where copies move together, "hop" means all outputs of a node. Headers cross in the cycle
// of their grant, since a drained buffer has a free slot: t(j) is known then, and a tail as soon as
// the headers within reach are, which is at least a cycle before anything depends on it.
//
// On a path a = 0 is enough (t(j) ≥ t(ancestor) + a·H), and tails become known in order. In a tree let S(h)
// be the maximum with a = 0 and T(h) that of all; then T(h) = max(S(h), T(parent) + H): going up further
// than to the common ancestor is one of the pairs that z counts. So T(h) is known when T(parent) is, and
// every header up to K steps below h. Cost: O(1) a hop of a path with slow credits, and with fast ones where
// its header does not wait, and of a tree at most K hops deep; O(K) otherwise.
// Shared links and early reuse break the formula: a flit then waits for other worms' flits.
// A header that also needs time to be routed is only later: it goes one hop down within t, not by a step.
// cite: the report's equation (1), extended by buffers, credits and trees; derived here.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <utility>

#include "simulation/engines/worm_motion.hpp"

namespace wormcast {

void WormMotion::worm_added(std::uint32_t worm_slot) {
  const WormState& worm = pool_.worm(worm_slot);
  if (progress_.size() < pool_.worm_slots()) progress_.resize(pool_.worm_slots());
  Progress& progress = progress_[worm_slot];
  const std::uint64_t reach = (worm.flits - 1) / model().buffer_flits;
  progress.reach = static_cast<std::uint32_t>(std::min<std::uint64_t>(reach, worm.hops));
  progress.body = (worm.flits - 1) * model().flit_cycles;
  if (!has_channels(worm)) {
    if (model().consumption_cycles > buffer_cycles())
      progress.body += reach * (model().consumption_cycles - buffer_cycles());
  } else if (credit_bound_) {
    progress.body += reach * (slot_cycles() - buffer_cycles());
  }
  if (worm.path) {
    if (tails_.size() < pool_.hop_slots()) tails_.resize(pool_.hop_slots());
    progress.ahead = 0;
    progress.node = worm.first;
  } else if (worm.joins) {
    joins_added(worm, progress);
  } else {
    tree_added(worm, progress);
  }
}

void WormMotion::move(const std::vector<std::uint32_t>& granted) {
  for (const std::uint32_t slot : granted) {
    const Hop& hop = pool_.hop(slot);
    WormState& worm = pool_.worm(hop.worm);
    if (worm.path)
      path_header(worm, progress_[hop.worm], hop, slot);
    else if (worm.joins)
      join_header(worm, progress_[hop.worm], slot);
    else
      tree_group_granted(hop.worm, slot);
  }
}

/// A worm that is not all inside or all outside the window is followed flit by flit.
std::uint64_t WormMotion::crossed_in_window(std::uint32_t slot, Cycle end) {
  const Hop& hop = pool_.hop(slot);
  const WormState& worm = pool_.worm_of(hop);
  end = std::min(end, window_->end());
  if (hop.since >= end || hop.until <= window_->warmup_cycles) return 0;
  if (hop.since >= window_->warmup_cycles && hop.until <= end) return worm.flits;
  Cycle last = 0;
  if (worm.joins) return joined_before(slot, end, last) - joined_before(slot, window_->warmup_cycles, last);
  const WormName name{worm.id, worm.index};
  if (name != cut_ || end != cut_end_) flits_.follow(worm, end);
  cut_ = name;
  cut_end_ = end;
  return flits_.crossed_in_window(slot, end);
}

void WormMotion::tree_group_granted(std::uint32_t worm_slot, std::uint32_t hop) {
  const WormState& worm = pool_.worm(worm_slot);
  const Cycle due = now() + header_cycles_;
  if (!worm.together) {
    if (pool_.hop(hop).is_channel()) core_.header_due(hop, due);
    return tree_header(worm_slot, hop);
  }
  const std::uint32_t node = pool_.hop(hop).parent;
  for (std::uint32_t at = pool_.hop(node).first_child; at != kNone; at = pool_.hop(at).next_sibling)
    if (pool_.hop(at).is_channel()) core_.header_due(at, due);
  tree_header(worm_slot, node);
}

void WormMotion::consumed(std::uint32_t hop, Cycle tail) {
  last_consumed_ = std::max(last_consumed_, tail);
  core_.release_due(hop, free_after(pool_.hop(hop), tail));
  core_.tail_due(hop, tail);
}

// Paths. The hops of a group stand behind the channel at whose end they are: first the consumption channel,
// where there is one, then the channel that leads on. So the slots say what belongs together.

/// `hop` is the last of its group.
inline void WormMotion::path_header(WormState& worm, Progress& progress, const Hop& hop, std::uint32_t slot) {
  const bool last = slot + 1 == worm.first + worm.hops;
  if (!last) {
    core_.header_due(slot, now() + header_cycles_);
    __builtin_prefetch((&hop)[1].resource_state, 1);  // by then the cache has it
  }
  if (!credit_bound_) raise_tails(progress, hop, slot);
  ++progress.ahead;
  const std::uint32_t unknown = last ? 0 : progress.reach;
  while (progress.ahead > unknown) path_tail_known(worm, progress);
}

/// The tails of a group and of those before it that are not known yet are no earlier than its header lets
/// them be. Where that changes nothing, nothing changes before: each of those has the one behind in reach.
inline void WormMotion::raise_tails(const Progress& progress, const Hop& hop, std::uint32_t slot) {
  Cycle* const tails = tails_.data();
  Cycle tail = now() + progress.body;
  tails[slot] = tail;
  for (std::uint32_t at = hop.parent; at > progress.node; at = pool_.hop(at).parent) {
    tail -= step_cycles_;
    if (tails[at] >= tail) return;
    tails[at] = tail;
  }
}

/// The first group's tail that was not known is: the header of the last within its reach has just crossed.
inline void WormMotion::path_tail_known(WormState& worm, Progress& progress) {
  const std::uint32_t node = progress.node;
  Hop& hop = pool_.hop(node);
  const Hop& next = (&hop)[1];
  Cycle* const tails = tails_.data();
  const bool consumes = next.is_consumption();
  const std::uint32_t group = consumes && next.next_sibling != kNone ? node + 2 : node + 1;
  // t(j) − δ·H never decreases along the path: with slow credits the furthest header decides.
  if (credit_bound_) tails[group] = now() + progress.body - (progress.ahead - 1) * step_cycles_;
  const Cycle tail = tails[group];
  core_.release_due(worm, hop, node, free_after(hop, tail, tails[node]));
  progress.node = group;
  --progress.ahead;
  if (consumes) consumed(node + 1, tail);
}

// Trees.

void WormMotion::tree_added(const WormState& worm, Progress& progress) {
  if (groups_.size() < pool_.hop_slots()) groups_.resize(pool_.hop_slots());
  if (depths_.size() < worm.hops) depths_.resize(worm.hops);
  const std::uint32_t end = worm.first + worm.hops;
  const auto is_group = [&](std::uint32_t slot) {
    return worm.together ? pool_.hop(slot).first_child != kNone : slot != worm.first;
  };
  std::uint32_t deepest = 0;
  for (std::uint32_t slot = worm.first; slot < end; ++slot) {  // those above come before
    groups_[slot] = {};
    if (!is_group(slot)) continue;
    const std::uint32_t parent = pool_.hop(slot).parent;
    const std::uint32_t above = worm.together || parent != worm.first ? parent : kNone;
    const std::uint32_t depth = above == kNone ? 0 : depths_[above - worm.first] + 1;
    groups_[slot].above = above;
    ++groups_[worm.together ? slot : parent].open;
    depths_[slot - worm.first] = depth;
    deepest = std::max(deepest, depth);
  }
  progress.shallow = deepest <= progress.reach;
  const std::uint32_t reach = progress.shallow ? std::min(progress.reach, 1U) : progress.reach;
  for (std::uint32_t slot = worm.first; slot < end; ++slot)
    if (is_group(slot)) for_each_above(slot, reach, [](TreeGroup& group, std::uint32_t) { ++group.missing; });
}

/// Visits the group and those up to `reach` steps above it.
template <class Visit>
void WormMotion::for_each_above(std::uint32_t group, std::uint32_t reach, Visit visit) {
  for (std::uint32_t step = 0; step <= reach && group != kNone; ++step) {
    TreeGroup& at = groups_[group];
    visit(at, group);
    group = at.above;
  }
}

void WormMotion::tree_header(std::uint32_t worm_slot, std::uint32_t group) {
  const Progress& progress = progress_[worm_slot];
  Cycle tail = now() + progress.body;
  // From the top: a tail is known only after those before it.
  std::uint32_t start = kNone;
  if (progress.shallow)
    start = shallow_header(group, tail);
  else
    for_each_above(group, progress.reach, [&](TreeGroup& at, std::uint32_t slot) {
      at.tail = std::max(at.tail, tail);
      tail -= step_cycles_;
      if (--at.missing == 0 && !at.known && (at.above == kNone || groups_[at.above].known)) start = slot;
    });
  if (start != kNone) settle_tails(pool_.worm(worm_slot), start);
}

/// The header that crosses at last lets the groups above know, each once nothing below it is missing: what
/// reaches the one before is then the greatest of all below. Gives the topmost group if that misses nothing.
std::uint32_t WormMotion::shallow_header(std::uint32_t group, Cycle tail) {
  while (true) {
    TreeGroup& at = groups_[group];
    at.tail = std::max(at.tail, tail);
    if (--at.missing > 0) return kNone;
    if (at.above == kNone) return group;
    tail = at.tail - step_cycles_;
    group = at.above;
  }
}

/// The group's tail is known, and perhaps those below; as many as a tree is deep, so without recursion.
void WormMotion::settle_tails(const WormState& worm, std::uint32_t group) {
  settling_.push_back(group);
  while (!settling_.empty()) {
    const std::uint32_t above = settling_.back();
    settling_.pop_back();
    tree_tail_known(worm, above);
    if (pool_.hop(above).is_consumption()) continue;
    for (std::uint32_t at = pool_.hop(above).first_child; at != kNone; at = pool_.hop(at).next_sibling) {
      const bool is_group = !worm.together || pool_.hop(at).is_channel();
      if (is_group && groups_[at].missing == 0 && !groups_[at].known) settling_.push_back(at);
    }
  }
}

void WormMotion::tree_tail_known(const WormState& worm, std::uint32_t slot) {
  TreeGroup& group = groups_[slot];
  if (group.above != kNone) group.tail = std::max(group.tail, groups_[group.above].tail + model().hop_cycles);
  group.known = true;
  left_node(worm, worm.together ? slot : pool_.hop(slot).parent, group.tail);
  if (!worm.together && pool_.hop(slot).is_consumption()) consumed(slot, group.tail);
  if (!worm.together) return;
  for (std::uint32_t at = pool_.hop(slot).first_child; at != kNone; at = pool_.hop(at).next_sibling)
    if (pool_.hop(at).is_consumption()) consumed(at, group.tail);
}

/// A tail leaves the end of `node` at `tail`; the last one to do so frees it.
void WormMotion::left_node(const WormState& worm, std::uint32_t node, Cycle tail) {
  TreeGroup& group = groups_[node];
  group.last_left = std::max(group.last_left, tail);
  if (--group.open > 0) return;
  if (node == worm.first) return core_.release_due(node, group.last_left + model().flit_cycles);
  const Cycle entered = groups_[worm.together ? pool_.hop(node).parent : node].tail;
  core_.release_due(node, free_after(pool_.hop(node), group.last_left, entered));
}

std::unique_ptr<Motion> make_worm_motion(EngineCore& core, const SimulationOptions& options) {
  return std::make_unique<WormMotion>(core, options);
}

// Joins by request. A join is a branch run backwards: flit i comes to a hop from all those before it, and
// leaves to one. What follows a hop is a path to the root then, t grows along it, and a = 0 is enough. So the
// tail of a hop is known when the header K steps after it, or at the root, has crossed. Cost: O(K) a hop.

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
  if (pool_.hop(slot).is_channel()) core_.header_due(slot, now() + header_cycles_);
  for (std::uint32_t at = joins_[slot].first; at != kNone; at = joins_[at].next) {
    const Cycle tail = joins_[at].tail = joined_crossing(at, progress.reach, progress.body);
    for (std::uint32_t before = pool_.hop(at).first_child; before != kNone;
         before = pool_.hop(before).next_sibling)
      core_.release_due(before, free_after(pool_.hop(before), tail, joins_[before].tail));
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

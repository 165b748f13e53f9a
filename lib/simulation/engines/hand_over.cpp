// From the worm engine to the link engine within a run.
//
// The worm engine foresees: when the last header in a worm's reach has moved, it writes down when each
// channel is let go of. That holds while no flit waits for another worm's. Before the first cycle in which
// one might, what has been foreseen is taken back, and what has happened by then is worked out for every flit
// (Crossings): where it stands, and when the last B crossed. The link engine goes on from there. Headers need
// no more than that: they have moved in the cycles of their grants in both. What is foreseen is never too
// late, since a wait for other worms' flits only adds to it; so an event that was scheduled for a waiting
// worm finds it waiting still, and changes nothing. cite: derived here; tests compare every hand-over with
// the flit engine.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "simulation/engines/engine_core.hpp"

namespace wormcast {

/// Every cycle before `from` is simulated as before, every one from it on flit by flit.
void EngineCore::hand_over(Cycle from) {
  run_before(from);
  if (stopped_) return;
  Crossings past(pool_, options_.model);
  std::vector<std::uint64_t> crossed;
  for (std::uint32_t slot = 0; slot < pool_.worm_slots(); ++slot) {
    WormState& worm = pool_.worm(slot);
    if (!worm.under_way) continue;
    past.count(worm, from, crossed);
    forget_releases(worm, crossed);
    // Whoever holds what a hop waits for may come to wait himself, where he could be seen to let go of it.
    for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at)
      if (pool_.hop(at).state == HopState::waiting) suspects_.push_back(at);
  }
  calendar_.erase_if([&](Event event) {
    return event.kind == Event::Kind::tail ||
           (event.kind == Event::Kind::release && pool_.hop(event.hop).until == kNever);
  });
  std::vector<Retirement> retiring;
  for (; !retiring_.empty(); retiring_.pop()) retiring.push_back(retiring_.first());
  for (const Retirement& retirement : retiring)
    if (pool_.worm(retirement.worm).held == 0) retiring_.push(retirement);
  motion_ = take_over_by_links(*this, *topology_, options_, past, from);
  flits_moved_from_ = from;
  if (!suspects_.empty()) tick_due(from);
}

/// Takes back what was foreseen of the worm: releases of hops that flits have yet to leave. crossed[i]: flits
/// that have crossed its i-th hop.
void EngineCore::forget_releases(WormState& worm, const std::vector<std::uint64_t>& crossed) {
  Cycle until = 0;
  for (std::uint32_t i = 0; i < worm.hops; ++i) {
    const std::uint32_t slot = worm.first + i;
    Hop& hop = pool_.hop(slot);
    if (hop.until == kNever) continue;
    std::uint64_t left = hop.is_consumption() ? crossed[i] : worm.flits;
    for (std::uint32_t at = hop.first_child; at != kNone; at = pool_.hop(at).next_sibling)
      left = std::min(left, crossed[at - worm.first]);
    if (left < worm.flits)
      forget_release(worm, slot);
    else
      until = std::max(until, hop.until);
  }
  worm.until = until;
}

void EngineCore::forget_release(WormState& worm, std::uint32_t slot) {
  Hop& hop = pool_.hop(slot);
  ResourceState& state = *hop.resource_state;
  if (closed_loads_) state.load.take_back(worm.flits, hop.until - hop.since);
  if (state.units == 1) state.free_from = kNever;
  hop.until = kNever;
  ++worm.held;
}

}  // namespace wormcast

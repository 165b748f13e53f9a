// Path reservation: a worm asks for everything on its way in one cycle, injection and consumption channels
// too, and is granted all of it in the first cycle in which it stands first in every queue and all is free.
// From then on its header is never blocked; channels are released as its tail leaves them.
//
// All requests of a worm are made in one cycle, so that every queue has the worms in the same order (rule 6
// of data/pages/simulator.md). Of those that wait, the first in that order is first in all its queues, and
// what it waits for is held by worms that wait for nothing. So nothing can deadlock, and a worm waits only
// for those before it in that order. The price: a worm that is not granted keeps those behind it from
// channels that are free. Cost: O(hops) for each time that a worm comes to the front of a queue or what it
// waits for there is released. cite: this project; circuit switching that reserves a path all at once, and so
// needs neither probes nor backtracking.
// SPDX-License-Identifier: MIT
#include "simulation/engines/engine_core.hpp"

namespace wormcast {

void EngineCore::request_whole(const WormState& worm) {
  for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at) request_in_queue(pool_.hop(at), at);
}

/// True if the worm is first in all its queues and all there is free. Unlimited injection has no queue.
bool EngineCore::whole_free(const WormState& worm) const {
  for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at) {
    const Hop& hop = pool_.hop(at);
    if (hop.state != HopState::waiting) return false;
    const ResourceState& state = *hop.resource_state;
    if (state.units != 0 && (state.queue_head != at || !grants_.free(state))) return false;
  }
  return true;
}

void EngineCore::consider_whole(const ResourceState& state) {
  if (state.queue_head != kNone && grants_.free(state)) whole_.push_back(pool_.hop(state.queue_head).worm);
}

/// A worm that can have everything on its way gets it. Where a
/// resource has several units, another worm may follow at once.
void EngineCore::grant_whole() {
  whole_.clear();
  for (const ResourceClass phase : kGrantOrder)
    grants_.take_touched(phase, [this](const ResourceState& state) { consider_whole(state); });
  for (std::size_t i = 0; i < whole_.size(); ++i) {
    WormState& worm = pool_.worm(whole_[i]);
    if (!whole_free(worm)) continue;
    const Cycle waited = now_ - pool_.hop(worm.first).since;
    ledger_.totals().last_cycle = now_;
    ledger_.queued(worm.multicast, waited);
    worm.queued += waited;
    for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at) {
      Hop& hop = pool_.hop(at);
      grants_.grant(hop, pool_.worm_of(hop), at);
      consider_whole(*hop.resource_state);
    }
    if (worm.startup == 0)
      enter_reserved(worm, worm.first);
    else
      header_due(worm.first, now_ + worm.startup);
  }
}

/// The header goes on at once: what follows `node` is held.
void EngineCore::enter_reserved(const WormState& worm, std::uint32_t node) {
  std::uint32_t last = kNone;  // of a group, the channel that leads on where there is one
  for (std::uint32_t at = pool_.hop(node).first_child; at != kNone; at = pool_.hop(at).next_sibling) {
    if (!worm.joint) granted_.push_back(at);
    if (options_.window) leaves(at);
    if (last == kNone || pool_.hop(at).is_channel()) last = at;
  }
  if (worm.joint) granted_.push_back(last);
}

}  // namespace wormcast

// Requests that are granted together or not at all: of the outputs of a node (atomic allocation), or of all
// that is on a worm's way, injection and consumption channels too (path reservation). They are made in one
// cycle, each in the queue of its resource, and granted in the first cycle in which each stands first and all
// is free.
//
// With path reservation a header is never blocked from then on; channels are released as its tail leaves
// them. Every queue has the worms in the same order (rule 6 of data/pages/simulator.md). Of those that wait,
// the first in that order is first in all its queues, and what it waits for is held by worms that wait for
// nothing. So nothing can deadlock, and a worm waits only for those before it in that order. The price: a
// worm that is not granted keeps those behind it from channels that are free. Cost: O(requests) for each time
// that one of them comes to the front of a queue or what it waits for there is released. cite: this project;
// circuit switching that reserves a path all at once, and so needs neither probes nor backtracking.
// SPDX-License-Identifier: MIT
#include "simulation/engines/engine_core.hpp"

namespace wormcast {

/// True if all that is requested with the hop is first in its queue and free. Unlimited injection has no
/// queue.
bool EngineCore::all_free(const Hop& with) {
  bool all = true;
  for_each_with(with, [&](std::uint32_t at) {
    const Hop& hop = pool_.hop(at);
    const ResourceState& state = *hop.resource_state;
    const bool free = state.units == 0 || (state.queue_head == at && grants_.free(state));
    all = all && hop.state == HopState::waiting && free;
  });
  return all;
}

/// Where a queue of a resource with several units moves on, a joint request may follow at once, another in
/// the next cycle.
void EngineCore::consider(ResourceState& state) {
  if (state.queue_head == kNone || !grants_.free(state)) return;
  if (granted_jointly(pool_.hop(state.queue_head)))
    joint_.push_back(state.queue_head);
  else
    grants_.touch(state);
}

/// The header goes on at once: what follows `node` is held.
void EngineCore::enter_reserved(const WormState& worm, std::uint32_t node) {
  std::uint32_t last = kNone;  // of a group, the channel that leads on where there is one
  for (std::uint32_t at = pool_.hop(node).first_child; at != kNone; at = pool_.hop(at).next_sibling) {
    if (!worm.together) granted_.push_back(at);
    if (options_.window) leaves(at);
    if (last == kNone || pool_.hop(at).is_channel()) last = at;
  }
  if (worm.together) granted_.push_back(last);
}

}  // namespace wormcast

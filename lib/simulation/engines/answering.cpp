// Nodes that are busy until they have answered (ConsumptionRelease::answered).
//
// The consumption channel that took a multicast is not let go of when that would do so by itself, but goes
// over to the node's answer, which lets go of it as of an injection channel: when its tail leaves the source.
// What waits for the channel waits for the answer (GrantTable::keeper). Engines that work out when tails
// come report both ahead of time, and so all of this is known ahead, too. Cost: O(log) a destination that
// answers.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "simulation/engines/engine_core.hpp"

namespace wormcast {

/// Notes what the multicast, whose worms have just been taken (slots_), awaits, or what it answers.
void EngineCore::take_answer(const Request& request, const std::vector<WormRoute>& worms) {
  const std::optional<Answered> answered = answers_->add(request, worms);
  if (is_answered(request))
    for (const HostId host : request.destinations)
      if (host != request.source) awaited_[{request.id, host.value}] = {};
  if (!answered) return;
  const std::pair key(answered->multicast, request.source.value);
  const std::uint32_t first = pool_.worm(slots_[answered->starter]).first;
  Awaited& awaited = awaited_.at(key);
  awaited.answer = first;
  answering_.emplace(first, key);
  if (awaited.port != kNone) grants_.lend(awaited.port, first, awaited.cycle);
}

/// True if the worm's consumption channel, which it would let go of at `cycle`, waits for an answer.
bool EngineCore::awaits_answer(const WormState& worm, std::uint32_t slot, Cycle cycle) {
  const auto found = awaited_.find({worm.id, pool_.hop(slot).target});
  if (found == awaited_.end() || found->second.port != kNone) return false;
  Awaited& awaited = found->second;
  awaited.port = slot;
  awaited.cycle = cycle;
  if (awaited.answer != kNone) grants_.lend(slot, awaited.answer, cycle);
  return true;
}

/// The worm's tail leaves its source at `cycle`: an answer then lets go of what it answers.
void EngineCore::answer_leaves(const WormState& worm, Cycle cycle) {
  const auto found = answering_.find(worm.first);
  if (found == answering_.end()) return;
  const auto awaited = awaited_.find(found->second);
  const auto [port, own, answer] = awaited->second;
  answering_.erase(found);
  const Cycle free = std::max(own, cycle);
  grants_.give_back_lent(port, free);
  release_due(pool_.worm_of(pool_.hop(port)), port, free);  // while it is still awaited
  awaited_.erase(awaited);
}

}  // namespace wormcast

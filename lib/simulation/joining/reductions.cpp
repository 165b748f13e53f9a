// Reductions in the engine that all motions share: a join by request, as ideal routers do it.
//
// The parts of a reduction are one worm that runs the tree of its plan backwards. Where parts meet, the
// header goes on when all of them have come; what follows is requested, granted and held as by any worm, and
// a flit crosses when it stands at the ends of all hops before. So nothing is told apart by what a header
// says, and nothing comes between. A worm that is after another brings parts to a node that combines them
// with its own and sends on. Cost: as of the tree.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulation/engines/engine_core.hpp"
#include "topology/error.hpp"

namespace wormcast {

/// Its worms have just been taken (slots_).
void EngineCore::take_reduction(const Request& request, const std::vector<WormRoute>& worms) {
  joins_ = true;
  const std::uint32_t multicast = pool_.worm(slots_.front()).multicast;
  std::vector<std::uint32_t>& injections = parts_of_[multicast];
  for (const std::uint32_t slot : slots_) {
    const WormState& worm = pool_.worm(slot);
    for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at)
      if (pool_.hop(at).kind == HopKind::injection) {
        injections.push_back(at);
        parts_[at] = {};
      }
  }
  for (std::size_t w = 0; w < worms.size(); ++w) {
    if (worms[w].after < 0) continue;
    const WormState& onward = pool_.worm(slots_[static_cast<std::size_t>(worms[w].after)]);
    for (std::uint32_t at = onward.first; at < onward.first + onward.hops; ++at) {
      const Hop& hop = pool_.hop(at);
      if (hop.kind != HopKind::injection || HostId{hop.target} != worms[w].source) continue;
      ++parts_[at].open;
      parts_[at].combines = true;
      combined_by_[slots_[w]] = at;
    }
  }
  // A node that only combines has no part of its own.
  std::erase_if(injections, [&](std::uint32_t at) {
    const bool own = std::binary_search(request.destinations.begin(), request.destinations.end(),
                                        HostId{pool_.hop(at).target});
    if (!own) part_ready(at, 0);
    return !own;
  });
  start_parts(multicast);
}

/// Those that wait for no other multicast are ready when they say.
void EngineCore::start_parts(std::uint32_t multicast) {
  const MulticastState& state = ledger_.at(multicast);
  const auto injections = parts_of_.find(multicast);
  if (injections == parts_of_.end()) return;
  std::erase_if(injections->second, [&](std::uint32_t at) {
    const HostId source{pool_.hop(at).target};
    const PartState& part = state.parts[place_of(source, state.delivery.plan.request.destinations)];
    if (part.open > 0) return false;
    part_ready(at, part.ready);
    return true;
  });
  if (injections->second.empty()) parts_of_.erase(injections);
}

/// Something that the part waited for is at its node: its own message, or what others bring.
void EngineCore::part_ready(std::uint32_t injection, Cycle cycle) {
  Part& part = parts_.at(injection);
  part.ready = std::max(part.ready, cycle);
  if (--part.open > 0) return;
  const Cycle ready = part.ready;
  if (!part.combines) parts_.erase(injection);
  request_later(injection, std::max(ready, now_));
}

/// The header of a part, or of joined ones, has come to the end of the hop.
void EngineCore::part_at(const Hop& from, const WormState& worm) {
  Hop& next = pool_.hop(from.parent);
  if (next.kind == HopKind::deliver) ledger_.part_came(worm.multicast, now_);
  if (--next.ungranted == 0) request_later(from.parent, now_);
}

/// What the worm brings to a node that sends it on is there.
void EngineCore::combined(std::uint32_t worm, Cycle cycle) {
  const auto onward = combined_by_.find(worm);
  if (onward == combined_by_.end()) return;
  part_ready(onward->second, cycle);
  combined_by_.erase(onward);
}

Cycle EngineCore::startup_of_part(std::uint32_t injection) const {
  const auto part = parts_.find(injection);
  const bool combines = part != parts_.end() && part->second.combines;
  return (combines ? model().relay_startup_cycles : model().startup_cycles) + model().overhead_cycles;
}

}  // namespace wormcast

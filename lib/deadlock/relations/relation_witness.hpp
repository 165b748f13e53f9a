// Standstills as witnesses: worms with hops and start cycles that anybody can replay.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "deadlock/relations/blocked_worms.hpp"
#include "deadlock/relations/relation_graph.hpp"
#include "deadlock/verdict.hpp"

namespace wormcast {

/// The hosts at which a worm stops, from the first one to the one that it is on its way to; `joined`: how
/// many of them belong to the worm it began as, the rest to the reply that goes on from there.
struct WormStops {
  std::uint32_t sort = 0;
  std::vector<HostId> hosts;
  std::size_t joined = 0;
};
/// True if no lane stands twice among those that the worm took: its hops can be fixed.
bool takes_each_once(const RelationGraph& graph, const RelationWorm& worm);
/// Why hops that witnesses fix cannot say these worms; nullptr where they can.
const char* not_fixable(const std::vector<WitnessWorm>& witness);
WormStops stops_of(const RelationGraph& graph, const RelationWorm& worm);

/// Worms of so many `flits` each in the order of their starts, each with the whole way to where it was going:
/// as it went, then any shortest one. They start one after the other, and ask for what they never get when
/// all of them stand.
std::vector<WitnessWorm> time_blocked_worms(const RelationGraph& graph, const RouterModel& model,
                                            const std::vector<std::uint64_t>& flits,
                                            const std::vector<RelationWorm>& worms);

}  // namespace wormcast

// Start cycles and delays that bring a set of worms into its deadlock.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "deadlock/search/search.hpp"
#include "deadlock/verdict.hpp"

namespace wormcast {

/// The blocked worms (in an order in which they can be started, or with the order of their requests)
/// with cycles under which routers of this model, empty before, end in that deadlock.
std::vector<WitnessWorm> time_witness(const std::vector<BlockedWorm>& set,
                                      const std::vector<ExploredRequest>& requests, const RouteStore& store,
                                      const std::vector<Footprint>& footprints, const Topology& topology,
                                      const RouterModel& model);

/// The witness as multicasts of one worm each, in the order of their starts: a segment that replays
/// it. Each carries `"x_worm":[multicast, worm]`, its name in the stream that was checked; its id is
/// that multicast's, or a new one where two worms come from the same.
std::vector<Routes> witness_routes(const std::vector<WitnessWorm>& witness);

}  // namespace wormcast

// Verdicts on segments with reductions.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "checks/checked_verdict.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/routes.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Messages by their ids, as Summary has them.
using MessageSets = std::set<std::vector<std::uint64_t>>;
/// What a run of the simulator shows.
struct SimulatedJoins {
  bool stands_still = false;
  std::vector<WitnessWorm> witness;  ///< if it does
  MessageSets mixed, interleaved;
};
/// Runs messages with these starts, of a reduction those of its parts.
using SimulateJoins =
    std::function<SimulatedJoins(const std::vector<Routes>&, const std::vector<std::vector<Cycle>>&)>;

/// Of a segment with reductions: all but the witness. `counted`: its messages, worms, planner and model.
CheckedVerdict check_joined_verdict(const Topology& topology, const Verdict& verdict, const Verdict& counted,
                                    const std::vector<Routes>& messages, std::uint64_t state_limit,
                                    const SimulateJoins& simulate);
/// Whether a run with the witness's starts deadlocks, as it says.
CheckedVerdict check_joined_witness(const Verdict& verdict, const std::vector<Routes>& messages,
                                    const SimulateJoins& simulate);

}  // namespace wormcast

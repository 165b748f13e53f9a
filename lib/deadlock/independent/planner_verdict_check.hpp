// Checks a verdict on all multicasts of a planner, from the planner, the topology and the verdict alone.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "deadlock/independent/verdict_check.hpp"
#include "deadlock/verdict.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// safe: no leg, stop or split lets a worm hold what does not come before what it waits for. Others: every
/// dependency of the cycle is one of these; deadlock: the multicasts of the witness are planned again, and
/// their worms can come to stand so. Throws InputError for planners and options that do not exist.
CheckedVerdict check_planner_verdict(const Topology& topology, const Verdict& verdict,
                                     std::uint64_t state_limit);

}  // namespace wormcast

// Verdicts on all multicasts of a planner.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "checks/checked_verdict.hpp"
#include "deadlock/verdict.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// safe: no leg, stop or split lets a worm hold what does not come before what it waits for. Others: every
/// dependency of the cycle is one of these; deadlock: the multicasts of the witness are planned again, and
/// their worms can come to stand so. `allocating`: the model stands for routers that allocate virtual
/// channels. Throws InputError for planners and options that do not exist.
CheckedVerdict check_planner_verdict(const Topology& topology, const Verdict& verdict,
                                     std::uint64_t state_limit, bool allocating = false);

}  // namespace wormcast

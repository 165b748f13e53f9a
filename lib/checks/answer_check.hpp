// The one call before an answer leaves.
// SPDX-License-Identifier: MIT
#pragma once

#include "deadlock/verdict.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Throws std::logic_error if the evidence of the verdict on these worms does not prove it: that is a fault
/// of the program, and no wrong answer may leave it. An AnswerCheck.
void check_answer(const Topology& topology, const Verdict& verdict, const JudgedWorms& worms);

}  // namespace wormcast

// The verdict on a program: routes and what the nodes do, together.
// SPDX-License-Identifier: MIT
#pragma once

#include "deadlock/verdict.hpp"
#include "programs/program.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// safe: an order of all steps proves it. deadlock: a run after which nothing can go on. safe-unreachable: no
/// order of grants leads to one. unknown: more than options.limits.states states. Throws InputError for
/// routers of which programs are not judged.
Verdict judge_program(const Topology& topology, const BoundProgram& program, const CheckOptions& options);

}  // namespace wormcast

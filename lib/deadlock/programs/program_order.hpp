// A proof that a program cannot deadlock, without a look at its states.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "deadlock/verdict.hpp"
#include "programs/program.hpp"
#include "router/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Nothing where this proof does not apply, which says nothing of the program.
std::optional<BySteps> order_of_program(const Topology& topology, const RouterModel& model,
                                        const BoundProgram& program);

}  // namespace wormcast

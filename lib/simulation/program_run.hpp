// Simulations of programs: processes that send packets into the network and take what comes.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "programs/program.hpp"
#include "simulation/engine.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Runs the program cycle by cycle, until nothing goes on, or up to cycle `limit` (0: there is none). `take`
/// hears of each packet delivered: its id is its number in the order of sends, and its extras have
/// `"x_flow"`. Throws InputError for routers whose programs are not simulated.
Summary simulate_program(const Topology& topology, const SimulationOptions& options,
                         const BoundProgram& program, Cycle limit,
                         const std::function<void(const Delivery&)>& take);

}  // namespace wormcast

// Exhaustive exploration where several worms can stand in one FIFO (early reuse of virtual channels).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "deadlock/independent/exploration/exploration.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// True if a blocked worm of these may leave its tail in a FIFO, for others to come behind it.
bool shares_buffers(const RouterModel& model, const Topology& topology,
                    const std::vector<ExploredWorm>& worms);

/// As explore().
Exploration explore_shared_buffers(const Topology& topology, const RouterModel& model,
                                   const std::vector<ExploredWorm>& worms, std::uint64_t limit);

}  // namespace wormcast

// The engine that the others are compared with: a plain reading of how flits move, with nothing worked out.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "simulation/engine.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// For routers that the flit engine simulates.
std::unique_ptr<Engine> make_reference_engine(const Topology& topology, const SimulationOptions& options);

}  // namespace wormcast

// The check of an order of the steps of a program that proves it safe.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "programs/program.hpp"
#include "router/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Why the order proves nothing; empty where it does.
std::string fault_of_process_order(const Topology& topology, const RouterModel& model,
                                   const BoundProgram& program, const std::vector<ProcessSteps>& order);

}  // namespace wormcast

// The library for a program of its own: a network, plans, routes, a simulation, a verdict, and records of
// them.
//
// Only this header and those that it includes are installed; programs include "wormcast.hpp".
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "multicast/planner.hpp"
#include "multicast/routes.hpp"
#include "router/router_model.hpp"
#include "simulation/engine.hpp"
#include "topology/error.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// What check-deadlock answers.
struct RoutesVerdict {
  std::string answer;  ///< "safe", "safe-unreachable", "deadlock", "loop" or "unknown"
  std::string record;  ///< with the evidence
};
/// Whether worms of these routes can block each other, in whatever order and whenever they start. Throws
/// InputError where they cannot be checked together.
RoutesVerdict verdict_on(const Topology& topology, std::span<const Routes> routes,
                         const RouterModel& model = {});

/// A record, with the end of its line. A stream of them begins with the topology and closes with
/// end_record().
std::string record_of(const Topology& topology);
std::string record_of(const Request& request);
std::string record_of(const Plan& plan);
std::string record_of(const Routes& routes);
std::string record_of(const Delivery& delivery);
std::string end_record();

}  // namespace wormcast

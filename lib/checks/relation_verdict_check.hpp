// Verdicts on worms whose routers choose.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "checks/checked_verdict.hpp"
#include "deadlock/verdict.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "router/router_model.hpp"
#include "routing/routing_function.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// `unicast`: of the unicasts among them, or null. Uses no code of deadlock/relations.
CheckedVerdict check_relation_verdict(const BoundPlanner& planner, const RoutingFunction* unicast,
                                      const Verdict& verdict);

/// The same of worms of a segment.
CheckedVerdict check_segment_verdict(const Topology& topology, const Verdict& verdict,
                                     const SegmentWorms& worms);

/// Why the witness is no deadlock that can come about; "" if it is. `allowed`: in the order of the witness.
std::string refuse_relation_witness(const Topology& topology, const RouterModel& model,
                                    const std::vector<WitnessWorm>& witness,
                                    const std::vector<AllowedWorm>& allowed);

}  // namespace wormcast

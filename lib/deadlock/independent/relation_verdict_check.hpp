// Checks a verdict on a planner whose worms routers route, or whose nodes answer what they take.
// SPDX-License-Identifier: MIT
#pragma once

#include "deadlock/independent/segment_worms.hpp"
#include "deadlock/independent/verdict_check.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/planner.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {

/// `unicast`: of the unicasts among them, or null. Shares no code with deadlock/relations.
CheckedVerdict check_relation_verdict(const BoundPlanner& planner, const RoutingFunction* unicast,
                                      const Verdict& verdict);

/// The same of worms of a segment.
CheckedVerdict check_segment_verdict(const Topology& topology, const Verdict& verdict,
                                     const SegmentWorms& worms);

}  // namespace wormcast

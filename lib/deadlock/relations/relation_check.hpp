// Verdicts on planners whose worms routers route, or whose nodes answer what they take.
// SPDX-License-Identifier: MIT
#pragma once

#include "deadlock/check_options.hpp"
#include "deadlock/independent/segment_worms.hpp"
#include "deadlock/relation_scope.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/planner.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {

/// Why stops that share consumption channels are not searched.
inline constexpr const char* shared_stops_not_searched =
    "headers go on while their worms may still wait for consumption channels that they share: such stops are "
    "not searched for a deadlock";

/// Every source and destination set, any number at once, whatever routers choose among what the routing
/// functions offer. Of the verdict scope, planner and unicast routing are filled in by the caller. Throws
/// InputError for what relations cannot be judged under, and where a routing function leads nowhere.
Verdict check_all_relations(const BoundPlanner& planner, const RoutingFunction* unicast,
                            const CheckOptions& options, const RelationScope& scope);

/// The worms concurrently active, each once, in any order and at any time, whatever routers choose. Throws
/// InputError for models under which they are not judged.
Verdict check_segment_relations(const Topology& topology, const SegmentWorms& worms,
                                const CheckOptions& options);

}  // namespace wormcast

// The exact decision where nodes ask for several outputs at once and queue for all of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "deadlock/graph/dependency_cycles.hpp"
#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/graph/route_store.hpp"
#include "deadlock/graph/worm_footprint.hpp"
#include "deadlock/search/search.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Worms of one component that are explored at most.
inline constexpr std::uint64_t most_queueing_worms = 8;

/// Looks for a deadlock in which some worm waits for a free resource behind others in its queue, or proves
/// that there is none. `order` is that of the graph closed over its queues.
DeadlockSearchResult search_queues(const RouteStore& store, const std::vector<Footprint>& footprints,
                                   const DependencyGraph& graph, const DependencyOrder& order,
                                   const Topology& topology, const RouterModel& model,
                                   const SearchLimits& limits);

}  // namespace wormcast

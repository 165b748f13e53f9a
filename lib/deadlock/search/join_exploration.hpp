// Every run of messages among which are reductions: by when sources begin, where routers join flit by flit;
// by the order of grants, where they join by request.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "multicast/routes.hpp"
#include "router/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// By message: when it starts, or each part of a reduction does.
using JoinStarts = std::vector<std::vector<Cycle>>;

struct JoinExploration {
  bool exhausted = false;  ///< every run was followed to its end
  std::optional<JoinStarts> deadlock;
  /// As Summary has them, of what was looked at, each with the starts that led to it first.
  std::map<std::vector<std::uint64_t>, JoinStarts> mixed, interleaved;
  std::uint64_t states = 0;
};

/// Follows all runs of the messages, up to so many states, or to the first that deadlocks.
JoinExploration explore_joins(const Topology& topology, const RouterModel& model,
                              const std::vector<Routes>& messages, std::uint64_t state_limit,
                              const std::function<void(std::uint64_t)>& tell);

/// All orders of grants on routers that join by request, which free a channel when it is drained.
JoinExploration explore_requested_joins(const Topology& topology, const RouterModel& model,
                                        const std::vector<Routes>& messages, std::uint64_t state_limit,
                                        const std::function<void(std::uint64_t)>& tell);

}  // namespace wormcast

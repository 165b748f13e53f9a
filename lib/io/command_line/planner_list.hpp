// The planners as plan-multicast --list shows them: all of them, or which apply to given networks.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/text/output.hpp"

namespace wormcast::io {

/// Every planner with summary, topologies, cost, citation, needs, routing functions and options.
void list_planners(Output& output);
/// For the network of each segment of these streams: every planner with the routing function that it would be
/// joined by (`routing`, empty: its first that fits), or why it does not apply. Throws InputError as
/// RecordStream does, and for a routing function that does not exist.
void list_applicable_planners(const std::vector<std::string>& inputs, std::string_view routing,
                              Output& output);

}  // namespace wormcast::io

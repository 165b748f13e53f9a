// What to change so that a failing set can be proved free of deadlock.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "deadlock/checker.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/routes.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Every change of a fixed list, from the smallest to the largest, after which the routes are proved free
/// of deadlock by a check of their own.
std::vector<Suggestion> suggest(const Topology& topology, const CheckOptions& options,
                                const std::vector<Routes>& routes);

}  // namespace wormcast

// Few multicasts of a failing set that still deadlock, each of them needed.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "deadlock/checker/checker.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/routes.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// `verdict`, a deadlock of these routes, with the witness of a smallest or minimal set in place of its
/// own, and `shrunk` filled in. `subset_limit`: subsets looked at to show that no smaller one deadlocks.
Verdict shrink(const Topology& topology, const CheckOptions& options, const std::vector<Routes>& routes,
               Verdict verdict, std::uint64_t subset_limit);

}  // namespace wormcast

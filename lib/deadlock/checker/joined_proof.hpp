// What is proved of sets with reductions, and what to change in those of which nothing is.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "deadlock/checker/suggest.hpp"
#include "deadlock/graph/join_graph.hpp"
#include "deadlock/joined_worms.hpp"

namespace wormcast {

/// An order that has been checked, or a cycle; where an order proves nothing, whichever there is.
JoinOrder prove_joins(const JoinedWorms& worms);

/// As suggest(), of messages among which are reductions: after each of the changes an order proves them safe.
std::vector<Suggestion> suggest_joined(const Topology& topology, const CheckOptions& options,
                                       const std::vector<Routes>& messages,
                                       const std::function<void(const SuggestionTrial&)>& tell);

}  // namespace wormcast

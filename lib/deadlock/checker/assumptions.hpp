// What a proof leans on: rules of the routers, or lengths, without which it would not hold.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "deadlock/checker/checker.hpp"
#include "deadlock/relation_scope.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// A rule of the routers that a proof may lean on, and what is checked without it.
struct Assumption {
  std::string name;        ///< as an option: "consumption-channels per-input"
  CheckOptions without;    ///< the weaker router: one consumption channel for each node, …
  RelationScope relation;  ///< of all multicasts: the same, or unicasts on the multicasts' virtual channels
};

/// What is said of the worms beside the routers.
struct AssumptionScope {
  bool answers = false;  ///< nodes answer multicasts, whether or not they are busy until they have
  RelationScope relation;
};

/// All that a proof under these options could lean on, the likeliest to be wrong of a router first.
std::vector<Assumption> possible_assumptions(const Topology& topology, const CheckOptions& options,
                                             const AssumptionScope& scope);

/// Names of those without which the routes are no longer proved free of deadlock, each by a check of its own.
/// Where the same routes are refused without it, nothing is said of it.
std::vector<std::string> assumptions_of(const Topology& topology, const CheckOptions& options,
                                        const AssumptionScope& scope, const std::vector<Routes>& all);
/// The routes of a stream, each as a multicast of its own: relays count as started at any time.
std::vector<Routes> one_by_one(const RouteStore& store);

}  // namespace wormcast

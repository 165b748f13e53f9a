// What a proof leans on: rules of the routers, or lengths, without which it would not hold.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "deadlock/checker.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// A rule of the routers that a proof may lean on, and what is checked without it.
struct Assumption {
  std::string name;      ///< as an option: "consumption-channels per-input"
  CheckOptions without;  ///< the weaker router: one consumption channel for each node, …
};

/// All that a proof under these options could lean on, the likeliest to be wrong of a router first.
std::vector<Assumption> possible_assumptions(const Topology& topology, const CheckOptions& options);

/// Names of those without which the stored routes are no longer proved free of deadlock, each by a check of
/// its own. Relays count as started at any time.
std::vector<std::string> assumptions_of(const Topology& topology, const CheckOptions& options,
                                        const RouteStore& store);

}  // namespace wormcast

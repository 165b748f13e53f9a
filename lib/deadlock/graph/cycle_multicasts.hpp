// Multicasts that may deadlock along a dependency cycle of a planner's legs.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "deadlock/graph/dependency_graph.hpp"
#include "topology/resources.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Source, destinations, ascending, and the class of the worm where the way is drawn and this is the one to
/// look at.
using MulticastSet =
    std::set<std::tuple<std::uint32_t, std::vector<std::uint32_t>, std::optional<std::uint32_t>>>;

/// Multicasts that turn as the cycle does: candidates for a search, which decides.
MulticastSet multicasts_along(const Topology& topology, const Resources& resources,
                              const std::vector<Dependency>& cycle);

/// From the nearest hosts around each dependency to pairs of the nearest behind it.
MulticastSet multicasts_around(const Topology& topology, const Resources& resources,
                               const std::vector<Dependency>& cycle);

/// All multicasts with one or two destinations.
MulticastSet small_multicasts(const Topology& topology);

}  // namespace wormcast

// Multicasts that may deadlock along a dependency cycle of a planner's legs.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "deadlock/dependency.hpp"
#include "deadlock/multicast_set.hpp"
#include "topology/random.hpp"
#include "topology/resources.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Multicasts that turn as the cycle does: candidates for a search, which decides.
MulticastSet multicasts_along(const Topology& topology, const Resources& resources,
                              const std::vector<Dependency>& cycle);

/// From the nearest hosts around each dependency to pairs of the nearest behind it.
MulticastSet multicasts_around(const Topology& topology, const Resources& resources,
                               const std::vector<Dependency>& cycle);

/// All multicasts with one or two destinations among the `most` hosts nearest to the cycle.
MulticastSet small_multicasts(const Topology& topology, const Resources& resources,
                              const std::vector<Dependency>& cycle, std::size_t most);

/// `count` multicasts, from any of the `most` hosts nearest to the cycle to one to `widest` others, all
/// drawn.
MulticastSet drawn_multicasts(const Topology& topology, const Resources& resources,
                              const std::vector<Dependency>& cycle, std::size_t most, std::size_t count,
                              std::size_t widest, Random& random);

}  // namespace wormcast

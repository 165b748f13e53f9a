// Least-traffic paths for any acyclic relation of what may follow what: an assignment, with its duals.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "multicast/assignment_duals.hpp"
#include "multicast/star_cost.hpp"
#include "multicast/star_legs.hpp"

namespace wormcast {

struct MatchedPaths {
  Star star;
  AssignmentDuals duals;  ///< their bound is the star's traffic
};

/// The paths of least traffic; nothing if no paths visit every destination.
std::optional<MatchedPaths> least_traffic_paths(const StarLegs& legs);

}  // namespace wormcast

// The report's own method for least traffic: a minimum-weight perfect matching.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "multicast/building_blocks/star_half.hpp"
#include "multicast/stars/star_search.hpp"

namespace wormcast {

struct CertifiedStar {
  Star star;
  AssignmentDuals duals;  ///< their bound is the star's traffic
};

/// The star of least traffic by the assignment method on the report's bipartite graph, with the proof;
/// nothing if no paths visit every destination. O((k + P)³).
std::optional<CertifiedStar> least_traffic_paths(const StarLegs& legs);

}  // namespace wormcast

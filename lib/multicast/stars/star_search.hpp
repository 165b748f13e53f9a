// Stars of least longest path on any labelled graph, for any number of ports.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "multicast/building_blocks/star_cost.hpp"
#include "multicast/building_blocks/star_half.hpp"
#include "multicast/stars/assignment_duals.hpp"

namespace wormcast {

/// The best star found and what is proven about it.
struct SearchResult {
  CostedStar best;
  StarCost bound;     ///< no star has a shorter longest path or, where that is open, less traffic
  bool exact = true;  ///< false if the state limit was reached
};

/// The star whose longest path is least, of least traffic among those. `state_limit` bounds the states
/// generated, and a limit of their own the bytes that they take; beyond them the best star known is returned
/// with the bound proven so far. Where that is of the free rule, the strict rule's stars, searched in the
/// same way, are among those known.
SearchResult least_longest_search(StarHalf& half, std::uint64_t state_limit);

/// The same for any legs, given a star of least traffic, its duals and a lower bound on the longest path.
SearchResult least_longest_search(const StarLegs& legs, const AssignmentDuals& duals, const Star& cheapest,
                                  std::int64_t longest_bound, std::uint64_t state_limit);

/// The star of least traffic among those with longest path <= limit; `fallback` is one of them, and
/// is returned (not exact) if a limit is reached.
SearchResult least_traffic_search(StarHalf& half, std::int64_t limit, const CostedStar& fallback,
                                  std::uint64_t state_limit);

/// A star of the strict half as one of the free half of the same destinations, which has all of its ports.
Star freed(const StarHalf& free, const StarHalf& strict, Star star);

}  // namespace wormcast

// Stars of least longest path on any labelled graph, for any number of ports.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "multicast/building_blocks/star_half.hpp"
#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "multicast/stars/snake/snake_stars.hpp"

namespace wormcast {

/// A price for visiting each destination and a rent for each predecessor (ports first, then
/// destinations) such that price[j] − rent[b] <= cost(b, j) and rent >= 0. Every star costs at least
/// Σ price − Σ rent.
struct AssignmentDuals {
  std::vector<std::int64_t> price;
  std::vector<std::int64_t> rent;

  std::int64_t bound() const;
};

/// Duals whose bound equals the cost of `star`, which must be of least traffic.
AssignmentDuals duals_of(const StarLegs& legs, const Star& star);

/// The same for a half on the two-dimensional snake, from the distances in its run graph; O(k).
AssignmentDuals duals_of_plane(const StarHalf& half, const PlaneHalf& plane);

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

/// A star of the same destinations whose (longest path, traffic) is not above that of `star`: none of the
/// changes looked at makes it smaller, or their number reached a limit. The same for the same input.
CostedStar exchanged(const StarLegs& legs, const Star& star);
/// The same by changes that cost no traffic: neither criterion is above that of `star`.
CostedStar shortened(const StarLegs& legs, const Star& star);

// What is proven of a star whose search stopped at its limit.

/// Collects what the halves of a multicast have and what is proven, criterion by criterion, and states the
/// bounds that they are above: the criteria that stayed open.
class StarBounds {
 public:
  void longest(const SearchResult& half) {
    best_.longest = std::max(best_.longest, half.best.cost.longest);
    proven_.longest = std::max(proven_.longest, proven(half).longest);
  }
  void traffic(const SearchResult& half) {
    best_.traffic += half.best.cost.traffic;
    proven_.traffic += proven(half).traffic;
  }
  /// Nothing where all was proven.
  void state(PlanFacts& facts) const {
    if (proven_.longest < best_.longest) facts.emplace_back("star_longest_bound_hops", proven_.longest);
    if (proven_.traffic < best_.traffic) facts.emplace_back("star_traffic_bound_channels", proven_.traffic);
  }

 private:
  static const StarCost& proven(const SearchResult& half) { return half.exact ? half.best.cost : half.bound; }

  StarCost best_;
  StarCost proven_;
};

/// What planners of optimal label-ordered stars have as Planner::front. Throws InputError for stars with
/// other rules (--edge-disjoint, --worms-a-port any) and where a search for a point stops at its limit.
std::vector<FrontPoint> front_of_stars(const PlanningContext& context, const Request& request);

/// Every star that no other one beats in both longest path and traffic, shortest path first. Throws
/// InputError for planners that have no front, and as front_of_stars.
std::vector<FrontPoint> front_of(const BoundPlanner& bound, const Request& request);

}  // namespace wormcast

// What verification knows of stars, and its own exhaustive search over them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace wormcast {

/// The stars that a plan is held against, from their definition: destinations in an order in which a path
/// can visit them, paths there can be, and hops.
class StarProblem {
 public:
  using Hops = std::int64_t;
  static constexpr Hops far = std::numeric_limits<Hops>::max() / 4;  ///< of a leg that is not allowed

  StarProblem() = default;
  StarProblem(const StarProblem&) = default;
  StarProblem& operator=(const StarProblem&) = default;
  StarProblem(StarProblem&&) = default;
  StarProblem& operator=(StarProblem&&) = default;
  virtual ~StarProblem() = default;

  virtual std::size_t size() const = 0;
  virtual std::size_t paths() const = 0;
  /// Paths of one kind can be exchanged, and have neighbouring numbers.
  virtual std::size_t kind(std::size_t path) const { return path; }
  /// Hops of `path` to destination j as its first, of any path from destination i to j > i.
  virtual Hops first(std::size_t path, std::size_t j) const = 0;
  virtual Hops leg(std::size_t i, std::size_t j) const = 0;
  /// Where destination j is, in words.
  virtual std::string name(std::size_t j) const = 0;
};

/// Dual values that have been checked: no rent is negative, and prices[j] − rent(b) <= hops(b, j).
struct StarDuals {
  std::vector<StarProblem::Hops> path_rents;
  std::vector<StarProblem::Hops> prices;
  std::vector<StarProblem::Hops> rents;
};

/// Thrown by a search that would take too many states.
struct SearchTooLarge {};

/// The least traffic of stars whose paths have at most `limit` hops each and `most` together; nothing if
/// there is none.
std::optional<StarProblem::Hops> least_traffic_of_stars(const StarProblem& problem, const StarDuals& duals,
                                                        StarProblem::Hops limit, StarProblem::Hops most);

/// No star has a shorter longest path: hops of the shortest way to the destination that is the furthest.
StarProblem::Hops furthest_way(const StarProblem& problem);

}  // namespace wormcast

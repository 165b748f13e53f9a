// What the parts of verification share: stars as problems, and an exhaustive search over them of its own.
// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "multicast/verification/verify.hpp"
#include "routing/routing_function.hpp"
#include "topology/refuse.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Throws Violation; the message is that of fmt::format().
template <class... Parts>
[[noreturn]] void fail(std::string field, fmt::format_string<Parts...> message, Parts&&... parts) {
  throw Violation{std::move(field), fmt::format(message, std::forward<Parts>(parts)...)};
}

/// The stars that a plan is held against, from their definition: destinations in an order in which a path
/// can visit them, paths there can be, and hops.
class StarProblem {
 public:
  using Hops = std::int64_t;
  static constexpr Hops far = std::numeric_limits<Hops>::max() / 4;  ///< of a leg that is not allowed

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

/// The plan as its planner made it: most are not told that the root of a reduction sends a part, which is
/// then joined to the last worm. Nothing where that is the plan itself.
std::optional<Plan> without_part_of_root(const Plan& whole);

/// Thrown by a search that would take too many states.
struct SearchTooLarge {};

/// The least traffic of stars whose paths have at most `limit` hops each and `most` together; nothing if
/// there is none.
std::optional<StarProblem::Hops> least_traffic_of_stars(const StarProblem& problem, const StarDuals& duals,
                                                        StarProblem::Hops limit, StarProblem::Hops most);

/// No star has a shorter longest path: hops of the shortest way to the destination that is the furthest.
StarProblem::Hops furthest_way(const StarProblem& problem);

/// Stars whose part of the certificate is valid.
struct ProvenStars {
  std::unique_ptr<const StarProblem> stars;
  StarDuals duals;            ///< one rent for each path
  StarProblem::Hops traffic;  ///< no star has fewer channels in this part
};

/// The halves of a plan that have destinations, or its up*/down* star. Throws Violation where the certificate
/// is not valid, or where fewer worms a port would do.
std::vector<ProvenStars> proven_stars(const Plan& plan, const RoutingFunction& routing);

/// True if any number of worms may leave by a port.
bool without_port_limits(const Plan& plan);

/// Throws Violation unless every worm of a column-path plan visits one column, away from the source's row,
/// and a column has one upwards and one downwards at most.
void check_columns(const Plan& plan, const Topology& mesh);

/// Nominal steps of a plan of unicasts: what waits for the same arrival is sent one after the other, in plan
/// order, a step each.
class StepCount {
 public:
  /// The next worm, with the (virtual channel, channel) pairs that it takes.
  void add(const Worm& worm, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& channels);
  std::uint64_t steps() const;
  /// Channels that two or more worms of one step use, summed over the steps.
  std::uint64_t shared_links();

 private:
  std::vector<std::uint32_t> last_{0};  ///< step of the last send after each arrival, the source's own first
  std::vector<std::pair<std::uint32_t, std::uint32_t>> used_;  ///< (step, channel)
};

/// Throws Violation where a tree of unicasts takes more steps than a binomial one: ⌈log₂(k + 1)⌉.
void check_steps(const Plan& plan, std::uint64_t steps);

/// Points get longer and cheaper one after the other, each with its worms, and none is beaten by the plan
/// itself. Throws Violation.
void check_front_order(const Plan& plan);

/// True if the front of a plan whose certificate is valid lacks no point; false where that is not settled:
/// no certificate, or too many states. Throws Violation if a better star exists.
bool front_is_complete(const Plan& plan, const RoutingFunction& routing);

/// Checks the certificate of an optimal star whose worms and measures have been checked; throws Violation.
/// A plan of least traffic must have exactly what its certificate proves least. The longest path of an
/// otms or otms-up-down plan must equal a bound that follows from the certificate, or else be confirmed
/// by a search for a shorter one.
void check_certificate(const Plan& plan, const RoutingFunction& routing);

}  // namespace wormcast

// What planners promise of the shape of their worms, held against plans.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Throws Violation where the plan's routing function is none of the planner's own.
void check_routing(const Planner& planner, const Plan& plan);
/// Throws Violation for an option or value that plans of the planner cannot state: what depends on one would
/// be checked as if it were another.
void check_options(const Planner& planner, const Plan& plan);
/// True if the plan is one by the strict rule, the default of planners that know one.
bool is_strict(const Planner& planner, const Plan& plan);

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

}  // namespace wormcast

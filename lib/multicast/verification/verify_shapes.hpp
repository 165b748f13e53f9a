// What verification knows of planners: the shape that each promises of its worms.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "multicast/plan.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// An option that plans of a planner can state, with every value that it can have.
struct PlannedOption {
  std::string_view name;
  std::span<const std::string_view> values;
};

/// What a planner promises of the shape of its worms.
struct Promise {
  std::string_view planner;
  bool single_stops;          ///< every worm is a unicast
  bool from_source;           ///< every worm starts at the multicast's source
  bool chains;                ///< no worm branches
  bool different_ports;       ///< no two worms leave the source by the same channel
  std::string_view routings;  ///< the functions that can join its stops, with bars between them
  std::span<const PlannedOption> options = {};
};

/// What the planner promises, or null.
const Promise* promise_of(std::string_view planner);

/// Throws Violation where the plan's routing function is none of the planner's own.
void check_routing(const Promise& promise, const Plan& plan);

/// Throws Violation for an option or value that plans of the planner cannot state: what depends on one would
/// be checked as if it were another.
void check_options(const Promise& promise, const Plan& plan);
/// True if the plan is one by the strict rule, the default of planners that know one.
bool is_strict(const Promise& promise, const Plan& plan);

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

/// Throws Violation where a binomial tree of unicasts takes more steps than it need: ⌈log₂(k + 1)⌉.
void check_steps(const Plan& plan, std::uint64_t steps);

}  // namespace wormcast

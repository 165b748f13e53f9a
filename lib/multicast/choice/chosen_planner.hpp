// A planner as the user chose it, on one network.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "multicast/planner.hpp"
#include "multicast/planner_choice.hpp"

namespace wormcast {

/// Multicasts whose workload states the width of a flit get headers in the planner's own encoding, unless
/// the user says how they are counted. `choice` and `topology` must outlive it.
class ChosenPlanner {
 public:
  /// `routing` may be empty for the planner's default. Throws InputError as BoundPlanner does.
  ChosenPlanner(const PlannerChoice& choice, const Topology& topology, std::string_view routing);

  const PlannerChoice& choice() const { return *choice_; }
  const BoundPlanner& as_said() const { return as_said_; }
  /// Throws InputError for a width that the encoding does not take.
  const BoundPlanner& planner_for(const Request& request);

 private:
  const BoundPlanner& with_headers(const std::string& flit_bits);

  const PlannerChoice* choice_;
  const Topology* topology_;
  std::string routing_;
  BoundPlanner as_said_;
  std::map<std::string, BoundPlanner> with_headers_;  ///< by the width of a flit
};

}  // namespace wormcast

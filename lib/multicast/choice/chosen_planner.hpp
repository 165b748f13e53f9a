// A planner as the user chose it, on one network.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "multicast/planner.hpp"
#include "multicast/planner_choice.hpp"

namespace wormcast {

/// Multicasts whose workload states the width of a flit get headers in the planner's own encoding, unless
/// the user says how they are counted. Reductions are planned by the routing function whose routes are those
/// of the default run backwards. `choice` and `topology` must outlive it.
class ChosenPlanner {
 public:
  /// `routing` may be empty for the planner's default. Throws InputError as BoundPlanner does.
  ChosenPlanner(const PlannerChoice& choice, const Topology& topology, std::string_view routing);

  const PlannerChoice& choice() const { return *choice_; }
  const BoundPlanner& as_said() const { return as_said_; }
  /// Throws InputError for a width that the encoding does not take.
  const BoundPlanner& planner_for(const Request& request);

 private:
  const BoundPlanner& bound(const std::string& flit_bits, const std::string& routing);

  const PlannerChoice* choice_;
  const Topology* topology_;
  std::string routing_;
  BoundPlanner as_said_;
  std::string backwards_;  ///< the routing function for reductions; as in routing_
  std::map<std::pair<std::string, std::string>, BoundPlanner>
      others_;  ///< by the width of a flit and routing
};

}  // namespace wormcast

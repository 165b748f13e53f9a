// A planner as it is named on a command line.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "multicast/planner.hpp"

namespace wormcast {

struct PlannerChoice {
  const Planner* planner = nullptr;
  PlanOptions options;  ///< for it alone
};

/// "otms:first-hop=free:tie=none". Throws InputError at `field` for a planner that does not exist, or what
/// is no option=value; whether the planner has the option shows when it is bound.
PlannerChoice parse_planner_choice(std::string_view word, const std::string& field);

}  // namespace wormcast

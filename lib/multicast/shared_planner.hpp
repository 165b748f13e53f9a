// What planned all multicasts of a segment, for records about the whole of it.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "multicast/plan.hpp"
#include "multicast/planner_choice.hpp"

namespace wormcast {

/// Planner, options and routing function that several plans have in common.
class SharedPlanner {
 public:
  void add(const Plan& plan) {
    if (last_.any && last_.is_of(plan)) return;  // as mostly
    last_.any = false;
    last_.add(plan);
    all_.add(plan);
    const auto is_beside = [](const auto& option) { return option.first == beside_option; };
    if (std::none_of(plan.options.begin(), plan.options.end(), is_beside)) multicasts_.add(plan);
  }
  /// A plan with these three alone; without a planner where none or more than one came.
  const Plan& common() const { return all_.common; }
  /// The same, of unicasts that are planned apart from the multicasts only where no others came.
  const Plan& scheme() const { return multicasts_.any ? multicasts_.common : all_.common; }

 private:
  struct Common {
    Plan common;
    bool any = false;

    void add(const Plan& plan) {
      if (!any) {
        common.planner = plan.planner;
        common.options = plan.options;
        common.routing = plan.routing;
      } else if (!is_of(plan)) {
        common = Plan{};
      }
      any = true;
    }
    bool is_of(const Plan& plan) const {
      return common.planner == plan.planner && common.routing == plan.routing &&
             common.options == plan.options;
    }
  };

  Common last_;  ///< of the plan added last alone
  Common all_;
  Common multicasts_;
};

}  // namespace wormcast

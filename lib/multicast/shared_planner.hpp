// What planned all multicasts of a segment, for records about the whole of it.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/plan.hpp"

namespace wormcast {

/// Planner, options and routing function that several plans have in common.
class SharedPlanner {
 public:
  void add(const Plan& plan) {
    if (!any_) {
      common_.planner = plan.planner;
      common_.options = plan.options;
      common_.routing = plan.routing;
    } else if (common_.planner != plan.planner || common_.options != plan.options ||
               common_.routing != plan.routing) {
      common_ = Plan{};
    }
    any_ = true;
  }
  /// A plan with these three alone; without a planner where none or more than one came.
  const Plan& common() const { return common_; }

 private:
  Plan common_;
  bool any_ = false;
};

}  // namespace wormcast

// An independent check of plans: it includes no planner and shares no code with them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "multicast/check.hpp"
#include "multicast/plan.hpp"
#include "routing/routing_function.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// The first thing found wrong with a plan.
struct Violation {
  std::string field;  ///< place in the record
  std::string message;
};

/// Checks the plans of one network, which must outlive it.
class PlanVerifier {
 public:
  explicit PlanVerifier(const Topology& topology) : topology_(&topology), check_(topology) {}

  /// Nothing if the plan is in order: RouteCheck takes it; no worm uses a (channel, VC) twice; label-routed
  /// worms are label-monotone; the shape that its planner promises (WormShape, strict first hops, disjoint
  /// paths), its options and routing function; the measures and facts it states; the optimality that its
  /// certificate claims; and its front: the worms of every point, that none beats another or is missing.
  std::optional<Violation> check(const Plan& plan);
  /// Of the fronts found in order so far, those of which it is not settled whether a point is missing.
  std::uint64_t unsettled_fronts() const { return unsettled_fronts_; }

 private:
  void check_structure(const Plan& plan);
  void check_front(const Plan& plan, const RoutingFunction& function);
  const RoutingFunction& routing(const std::string& name);

  const Topology* topology_;
  RouteCheck check_;
  std::string bound_name_;
  std::unique_ptr<const RoutingFunction> bound_;
  std::uint64_t unsettled_fronts_ = 0;
};

}  // namespace wormcast

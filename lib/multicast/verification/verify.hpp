// An independent check of plans: it includes no planner and shares no code with them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "multicast/header.hpp"
#include "multicast/plan.hpp"
#include "routing/routing_function.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// The first thing found wrong with a plan.
struct Violation {
  std::string field;  ///< place in the record
  std::string message;
};

/// True if plans of that planner are also checked for the shape of its worms.
bool shape_is_checked(std::string_view planner);

/// Checks the plans of one network, which must outlive it.
class PlanVerifier {
 public:
  explicit PlanVerifier(const Topology& topology) : topology_(&topology), header_sizes_(topology) {}

  /// Nothing if the plan is in order: every destination delivered once; stops, parents, sources and
  /// `after` fit; no worm uses a (channel, VC) twice; label-routed worms are label-monotone; the shape
  /// that its planner promises (chains, single stops, different ports, strict first hops, disjoint
  /// paths); the measures and header flits it states; the optimality that its certificate claims; and its
  /// front: the worms of every point, that no point beats another, and that none is missing.
  std::optional<Violation> check(const Plan& plan);
  /// Of the fronts found in order so far, those of which it is not settled whether a point is missing.
  std::uint64_t unsettled_fronts() const { return unsettled_fronts_; }

 private:
  void check_front(const Plan& plan, const RoutingFunction& function);
  const RoutingFunction& routing(const std::string& name);

  const Topology* topology_;
  HeaderSizes header_sizes_;
  std::string bound_name_;
  std::unique_ptr<const RoutingFunction> bound_;
  std::uint64_t unsettled_fronts_ = 0;
};

}  // namespace wormcast

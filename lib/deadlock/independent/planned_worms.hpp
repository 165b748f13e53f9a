// The worms that a planner and a witness's multicasts say there are.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "deadlock/independent/relation_reading.hpp"
#include "deadlock/independent/relation_witness_check.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/planner.hpp"

namespace wormcast {

/// All traffic of a verdict on a planner's multicasts, and the worms in it.
class PlannedWorms {
 public:
  /// `unicast` may be null. Throws InputError for virtual channels that there are not, and for a rule on
  /// unicasts without unicasts.
  PlannedWorms(const BoundPlanner& planner, const RoutingFunction* unicast, const RelationScope& scope,
               const RouterModel& model);

  /// By sort; `branches`: some worm is more than a chain of legs, which are all that is read.
  std::vector<ReadSort> sorts(bool& branches) const;
  std::optional<std::pair<std::size_t, std::size_t>> reply() const;
  const RoutingFunction& routing(std::uint32_t sort) const;
  bool routers_choose(std::uint32_t sort) const;
  std::uint32_t vc_offset(std::uint32_t sort) const { return sort == unicast_sort ? scope_.unicast_vc : 0; }

  /// The worms of the multicast, planned; none where the planner refuses it.
  std::vector<Worm> plan(const PlannedMulticast& multicast) const;
  /// What worm `index` of the multicast may do; throws InputError where there is no such worm.
  AllowedWorm allowed(const PlannedMulticast& multicast, std::uint32_t index) const;

 private:
  const BoundPlanner& planner_;
  const RoutingFunction* unicast_;
  RelationScope scope_;
  RouterModel model_;
};

}  // namespace wormcast

// The worms of a segment that routers route on their way to the stops of their plans.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deadlock/independent/relation_reading.hpp"
#include "deadlock/independent/relation_witness_check.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/routes.hpp"
#include "routing/routing_function.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Takes routes without hops, one multicast at a time; each worm is a sort of traffic of its own.
class SegmentWorms {
 public:
  struct Item {
    WormRef name;
    Worm worm;
    const RoutingFunction* routing = nullptr;
    std::uint64_t flits = 0;
    bool awaits = false;  ///< it starts when others have arrived
  };

  /// `every`: flits of every worm, as in CheckOptions.
  SegmentWorms(const Topology& topology, const RouterModel& model, std::optional<std::uint64_t> every)
      : topology_(topology), model_(model), every_(every) {}

  /// Throws InputError for more worms than can be judged, and for stops at routers.
  void add(const Routes& routes);
  bool empty() const { return items_.empty(); }
  std::uint64_t multicasts() const { return multicasts_; }
  const std::vector<Item>& items() const { return items_; }
  const Plan& planned_by() const { return planner_.common(); }
  std::vector<RelationTraffic> sorts() const;
  /// Throws InputError where there is no such worm.
  AllowedWorm allowed(const WormRef& name) const;

 private:
  const Topology& topology_;
  RouterModel model_;
  std::optional<std::uint64_t> every_;
  std::map<std::string, std::unique_ptr<const RoutingFunction>> routings_;
  std::vector<Item> items_;
  SharedPlanner planner_;
  std::uint64_t multicasts_ = 0;
};

}  // namespace wormcast

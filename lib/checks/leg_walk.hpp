// What a planner's worms can hold while they wait, leg by leg: the second reading of legs.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <utility>

#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "router/router_model.hpp"
#include "topology/ids.hpp"

namespace wormcast {

/// Hears what worms can hold while they wait, resource by resource.
struct LegVisitor {
  std::function<void(ResourceId held, ResourceId wanted)> wait = [](ResourceId, ResourceId) {};
  /// One request asks for both.
  std::function<void(ResourceId one, ResourceId other)> together = [](ResourceId, ResourceId) {};
  std::function<void(ResourceId)> take = [](ResourceId) {};
};

struct WalkedLegs {
  std::uint64_t legs = 0;
  /// Where answers are waited for, by the host's router: consumption channels that were taken, what is held
  /// beside those that only one input asks for, and what hosts ask for first.
  std::set<std::pair<NodeId, ResourceId>> consumed{}, beside{}, sent{};
};

/// The second reading of legs: what a planner's worms can hold while they wait, leg by leg, as `give` says
/// them. Walks every leg from its source to its destination. Of how legs are read it shares nothing with
/// LegGraph, which cuts walks short and keeps a graph; this keeps the first and last channels at stops, and
/// what splits ask for. `flits`: of every worm, header included. `vc_offset` is added to virtual channels.
WalkedLegs walk_legs(const PlanningContext& context, void (*give)(const PlanningContext&, LegSink&),
                     const RouterModel& model, std::uint64_t flits, const LegVisitor& visitor,
                     std::uint32_t vc_offset = 0, LegSink::Detail detail = LegSink::Detail::every_dependency);

}  // namespace wormcast

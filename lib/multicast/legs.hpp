// What a planner can make of any multicast at all, as legs: enough for proofs about all multicasts.
//
// A worm is a sequence of legs, each from one stop to the next. Whatever multicasts there are, a planner
// produces legs of a few kinds, and which leg can follow which at a stop depends only on their kinds
// (label order: up legs follow up legs). So the dependencies of all plans are those within legs and,
// at each node, from the last channel of a leg that arrives to the first of one that may go on:
// N² legs stand for 2^N destination sets. Trees and arms along rings are given as whole worms, of
// which a plan takes any part.
// cite: ALGORITHMS G.4.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "topology/ids.hpp"

namespace wormcast {

/// One leg. A leg goes on in the worm of another that arrives where it starts and `arrives` as it
/// `goes_on`.
struct Leg {
  /// Kinds: any numbers a planner chooses, below 4; nothing: a leg that starts or ends its worm only.
  std::optional<std::uint32_t> goes_on;
  std::optional<std::uint32_t> arrives;
  HostId from;
  HostId to;
  std::optional<PortId> first_port;
  std::uint32_t vc_class = 0;
};

/// Takes what a planner can produce. More than it can produce is allowed (a proof still holds), less
/// is not.
class LegSink {
 public:
  virtual ~LegSink() = default;
  /// Legs to one destination come one after the other.
  virtual void leg(const Leg& leg) = 0;
  /// A worm of which plans take any part: any of its deliveries, and the way to them.
  virtual void part_of(const Worm& worm) = 0;
};

/// Unicasts between all pairs: planners whose worms have one stop.
void unicast_legs(const PlanningContext& context, LegSink& sink);
/// Worms in label order, upwards or downwards, that leave as the routing function says.
void label_legs(const PlanningContext& context, LegSink& sink);
/// The same, or by any first port that leads to a label on the way.
void label_legs_by_any_port(const PlanningContext& context, LegSink& sink);
/// The worms of every source's plan for all nodes.
void legs_of_broadcasts(const Planner& planner, const PlanningContext& context, LegSink& sink);

}  // namespace wormcast

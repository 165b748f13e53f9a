// The worms that a planner and a witness's multicasts say there are.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "deadlock/independent/relation_reading.hpp"
#include "deadlock/independent/relation_witness_check.hpp"
#include "deadlock/relation_scope.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/planner.hpp"
#include "multicast/routes.hpp"
#include "routing/routing_function.hpp"
#include "topology/router_model.hpp"

namespace wormcast {

/// All traffic of a verdict on a planner's multicasts, and the worms in it.
class PlannedWorms {
 public:
  /// `unicast` may be null. Throws InputError for virtual channels that there are not, and for a rule on
  /// unicasts without unicasts.
  PlannedWorms(const BoundPlanner& planner, const RoutingFunction* unicast, const RelationScope& scope);

  /// By sort; `branches`: some worm is more than a chain of legs, which are all that is read.
  std::vector<RelationTraffic> sorts(bool& branches) const;
  std::optional<std::pair<std::size_t, std::size_t>> reply() const;
  const RoutingFunction& routing(std::uint32_t sort) const;
  /// Of all of them.
  bool routers_choose() const;
  std::uint32_t vc_offset(std::uint32_t sort) const { return sort == unicast_sort ? scope_.unicast_vc : 0; }

  /// The worms of the multicast, planned; none where the planner refuses it.
  std::vector<Worm> plan(const PlannedMulticast& multicast) const;
  /// What worm `index` of the multicast may do; throws InputError where there is no such worm.
  AllowedWorm allowed(const PlannedMulticast& multicast, std::uint32_t index) const;

 private:
  const BoundPlanner& planner_;
  const RoutingFunction* unicast_;
  RelationScope scope_;
};

/// Whether multicasts go by routes of their own beside unicasts whose routers choose.
bool fixed_beside_choices(const BoundPlanner& planner, const RoutingFunction* unicast,
                          const RelationScope& scope);
/// True where a planner's verdict is one on a routing relation: routers choose, or `scope` says something.
bool judged_as_relation(const BoundPlanner& planner, const RoutingFunction* unicast,
                        const RelationScope& scope);
/// True where the dependencies of legs say all: routers choose nothing. Throws as refuse_other_answers().
bool judged_by_legs(const BoundPlanner& planner, const RoutingFunction* unicast, const RouterModel& model,
                    const RelationScope& scope);
/// True where worms that branch go by routes of their own beside unicasts whose routers choose: each sort is
/// judged by itself, and all dependencies together.
bool branches_beside_choices(const BoundPlanner& planner, const RoutingFunction* unicast,
                             const RouterModel& model, const RelationScope& scope);
/// Throws InputError for routers under which relations are not judged.
void refuse_model_of_relations(const RouterModel& model);
/// Where nodes are busy until they have answered (ConsumptionRelease::answered): throws InputError unless
/// unicasts answer multicasts, and routers choose nothing.
void refuse_other_answers(const BoundPlanner& planner, const RoutingFunction* unicast,
                          const RouterModel& model, const RelationScope& relation);
/// The routes with the virtual channels of their channels moved up by `offset`.
Routes on_virtual_channels(Routes routes, std::uint32_t offset);

/// Throws InputError at `field` if `flits` is a length and the planner's headers have lengths of their own.
void refuse_length_beside_headers(const BoundPlanner& planner, std::optional<std::uint64_t> flits,
                                  const std::string& field);
/// The scope of such a verdict: "all multicasts of ocms:first-hop=free by label with unicasts".
std::string scope_of_planner(const Plan& planned_by, bool with_unicasts);
/// One unicast as a multicast of one worm of that class.
Routes unicast_routes(const RoutingFunction& routing, HostId source, HostId destination,
                      std::uint32_t vc_class);
/// Which ways were drawn for them.
std::vector<std::uint32_t> classes_of(const std::vector<Worm>& worms);

/// The routes of one multicast each, with ids that count from 0; sets that the planner refuses (`unicast`:
/// more than one destination), and ways that its routing function does not go, are passed over.
std::vector<Routes> plan_all(const BoundPlanner& planner, const MulticastSet& requests);

/// Why random plans cannot be right if worms of `flits` take what they hold and wait for in the order of
/// `numbering`, by code that knows no legs; "" if they can. Half of the multicasts are random, half of
/// destinations near their source. The same sample each time.
std::string refuse_by_plans(const BoundPlanner& planner, const RouterModel& model, std::uint64_t flits,
                            const std::vector<ResourceId>& numbering);

// Planners that say all turns of their worms: whether these are all that an adaptive function lets worms
// take.

/// True if the planner gives its legs as turns (LegSink::start, turn), and every hop that its adaptive
/// function offers, from any source and after any stops, is one of them; so too of `unicast` (nullptr: none),
/// if that is adaptive. One that is not has one virtual channel. What is then shown of channels by the turns
/// holds of all their virtual channels, whichever routers choose.
bool turns_cover_choices(const BoundPlanner& planner, const RoutingFunction* unicast);
/// Whether the planner's worms are judged by their turns, as routers copy that route worms.
bool judged_by_turns(const BoundPlanner& planner, const RoutingFunction* unicast, const RouterModel& model,
                     const RelationScope& relation);

}  // namespace wormcast

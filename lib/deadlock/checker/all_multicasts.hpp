// Verdicts on a planner and a routing function as such: every multicast they can produce.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "deadlock/checker/checker.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/planner.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {

/// Every source and destination set on the planner's topology, any number at once, of any length;
/// `unicast`: together with unicasts between all pairs by that routing function (null: without).
/// Throws InputError where the planner does not say what it can produce, and for a length beside headers
/// whose length depends on the multicast.
/// Where routers choose, or `relation` says something, it is check_all_relations() that answers.
Verdict check_all_multicasts(const BoundPlanner& planner, const RoutingFunction* unicast,
                             const CheckOptions& options, const RelationScope& relation = {});

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

}  // namespace wormcast

// What headers can be offered while their worms hold what: the second reading of routing relations.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "deadlock/verdict.hpp"
#include "router/router_model.hpp"
#include "routing/routing_function.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// What a header is offered at a router on its way to another: what routers choose among, or the next hop.
/// `port`: the one that its plan forces.
std::vector<RoutingCandidate> offered(const RoutingFunction& routing, bool routers_choose, NodeId at,
                                      RoutingState state, NodeId to, std::optional<PortId> port);

/// The second reading of routing relations: what headers can be offered while their worms hold what. Follows
/// headers from router to router with one number for each place. Uses no code of deadlock/relations.
struct RelationReading {
  const Topology& topology;
  const RouterModel& model;
  std::vector<RelationTraffic> sorts;
  std::optional<ProtocolRule> replies;

  /// Why the numbering does not prove that no worms block each other; "" if it does. `every`: each VC
  /// offered must come after what is held (an acyclic dependency graph); otherwise one of them (an escape).
  std::string refuse_numbering(const std::vector<ResourceId>& numbering, bool every) const;
  /// Why these are no dependencies that close a cycle; "" if they are.
  std::string refuse_cycle(const std::vector<Dependency>& cycle) const;
};

}  // namespace wormcast

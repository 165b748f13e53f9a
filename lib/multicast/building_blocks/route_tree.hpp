// The routes from a source to its destinations as a tree, and the worms that follow them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "multicast/request.hpp"

namespace wormcast {

/// The union of the routes by a function whose routes from one source part for good: every part of a route
/// is the route between its ends, but for virtual channels.
class RouteTree {
 public:
  /// Worms of `vc_class`.
  RouteTree(const RoutingFunction& routing, HostId source, std::uint32_t vc_class);

  /// Adds the route to `host`.
  void add(HostId host);
  /// A worm that goes all ways, which stops where it is consumed or splits.
  std::vector<Stop> stops() const;
  /// Path worms for the hosts, of which no router has two and that of the source none: each for those on the
  /// way to its last one, that may go on from there, and that no other one is for. `all`: every one that any
  /// of the hosts can have.
  std::vector<Worm> paths(bool all) const;

 private:
  struct Node {
    NodeId router;
    ChannelId channel{};  ///< by which it is entered
    std::int32_t parent = -1;
    std::int32_t child = -1;    ///< that of the least channel
    std::int32_t sibling = -1;  ///< the next by channel
    std::int32_t end = -1;      ///< of the first route that ends here
  };
  struct End {
    HostId host;
    std::int32_t next = -1;  ///< at the same router
  };

  std::int32_t follow(std::int32_t at, const RoutingStep& step);

  const RoutingFunction* routing_;
  HostId source_;
  std::uint32_t vc_class_;
  std::vector<Node> nodes_;  ///< the source's router first
  std::vector<End> ends_;
};

/// What worms of several stops take of a function's classes: on tori a dateline of their own.
std::uint32_t class_of_stops(const PlanningContext& context);

}  // namespace wormcast

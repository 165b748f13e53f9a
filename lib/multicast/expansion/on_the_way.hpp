// Worms that are routed on the way: which plans may be, and that routers cannot choose a dead end.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "multicast/plan.hpp"
#include "multicast/routes.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {

/// Turns plans that are joined by one adaptive routing function, which must outlive it, into routes
/// without hops.
class OnTheWay {
 public:
  explicit OnTheWay(const RoutingFunction& routing) : routing_(&routing) {}

  /// Fills in the worms of `routes`, whose plan check_plan() has taken, and takes the measures out of it:
  /// what worms take is known when they have arrived. Throws InputError, with the place in the record, for a
  /// worm that branches, a class or first port that the function refuses, a stated measure that the shortest
  /// ways do not have, and a stop that a worm may fail to reach, by whatever its routers choose before.
  void expand(Routes& routes);

 private:
  struct Place {
    NodeId node;
    RoutingState state;
  };

  void check_worm(const Worm& worm, std::size_t index);
  void check_leg(const Worm& worm, std::size_t index, std::size_t stop);
  void begin_leg(const Worm& worm, std::size_t index, NodeId to);
  void reach(Place place);
  NodeId node_of(const Stop& stop) const;

  const RoutingFunction* routing_;
  std::vector<Place> reached_;        ///< in the leg in hand, in the order in which they were found
  std::vector<std::uint64_t> marks_;  ///< (node, state) of them, sorted
  std::vector<Place> arrivals_;       ///< at the stop before
  std::vector<RoutingCandidate> candidates_;
};

}  // namespace wormcast

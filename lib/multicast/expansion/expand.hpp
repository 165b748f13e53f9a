// From a plan to routes: the exact channels and virtual channels of every worm.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "multicast/expansion/on_the_way.hpp"
#include "multicast/header.hpp"
#include "multicast/measures.hpp"
#include "multicast/plan.hpp"
#include "multicast/routes.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {

/// Expands plans that are joined by one routing function, which must outlive it. Keeps one bit for
/// each (channel, virtual channel) and nothing between plans.
class Expander {
 public:
  explicit Expander(const RoutingFunction& routing);

  /// The routes of `plan`, its measures filled in; without hops and measures where the routing function is
  /// adaptive (OnTheWay). Throws InputError, with the place in the record,
  /// for what check_plan() refuses, a worm that would use one (channel, VC) twice, or a stated
  /// measure that differs from the one computed.
  Routes expand(Plan plan);
  /// The same for `routes.plan`, of which check_plan() and HeaderSizes::check() have taken everything; what
  /// else `routes` holds goes, but its buffers.
  void expand_checked(Routes& routes);

 private:
  struct Place {
    NodeId node;
    RoutingState state;
    std::int32_t hop = -1;  ///< last channel hop before it, −1 = none
  };

  void expand_worm(const Plan& plan, std::size_t index, WormRoute& route);
  void walk_leg(const Worm& worm, std::size_t stop, WormRoute& route);
  void take(const Worm& worm, std::size_t stop, const RoutingStep& step, Place& here, WormRoute& route,
            std::size_t hop);
  [[noreturn]] void refuse_second(const Worm& worm, std::size_t stop, const RoutingStep& step,
                                  NodeId at) const;

  const RoutingFunction* routing_;
  OnTheWay on_the_way_;
  HeaderSizes header_sizes_;
  std::size_t channel_bound_;
  std::vector<std::uint64_t> used_by_;  ///< by (VC, channel): the number of the worm that used it last
  std::uint64_t worms_walked_ = 0;      ///< the number of the present worm
  std::vector<Place> places_;           ///< of the present worm's stops
  std::vector<RoutingStep> steps_;      ///< scratch: of a leg
  std::uint64_t channels_ = 0;          ///< of the present worm
  std::vector<std::uint64_t> depths_;   ///< hops to each stop
  MeasureSum sum_;
  std::size_t worm_index_ = 0;
};

}  // namespace wormcast

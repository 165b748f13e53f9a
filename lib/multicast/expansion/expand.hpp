// From a plan to routes: the exact channels and virtual channels of every worm.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

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

  /// The routes of `plan`, its measures filled in. Without hops and measures where the routing function is
  /// adaptive: what worms take is known when they have arrived. Throws InputError, with the place in the
  /// record, for what check_plan() refuses, a worm that would use one (channel, VC) twice, or a stated
  /// measure that differs from the one computed; where the function is adaptive, for a worm that branches, a
  /// class or first port that it refuses, a stated measure that the shortest ways do not have, and a stop
  /// that a worm may fail to reach, by whatever its routers choose before.
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
  void expand_on_the_way(Routes& routes);
  void search(const Worm& worm, std::size_t index);
  void search_leg(const Worm& worm, std::size_t index, std::size_t stop);
  void begin_search(const Worm& worm, std::size_t index, NodeId to);
  void reach(const Place& place);

  const RoutingFunction* routing_;
  HeaderSizes header_sizes_;
  std::size_t channel_bound_;
  std::vector<std::uint64_t> used_by_;  ///< by (VC, channel): the number of the worm that used it last
  std::uint64_t worms_walked_ = 0;      ///< the number of the present worm
  std::vector<Place> places_;           ///< of the present worm's stops
  std::uint64_t channels_ = 0;          ///< of the present worm
  std::vector<std::uint64_t> depths_;   ///< hops to each stop
  MeasureSum sum_;
  std::size_t worm_index_ = 0;
  // Of a search for all places that a worm routed on the way can come to.
  std::vector<Place> reached_;        ///< in the leg in hand, in the order in which they were found
  std::vector<std::uint64_t> marks_;  ///< (node, state) of them, sorted
  std::vector<Place> arrivals_;       ///< at the stop before
  std::vector<RoutingCandidate> candidates_;
};

// Ways that are drawn for each worm when it is planned: Valiant's intermediate routers and the like.
//
// A routing function is pure, so what goes by chance stands in the plan: the class of each worm. Readers of
// the plan expand it to the same routes, in any order and in parts.

/// The seed that `text` says. Throws InputError ("--routing-seed") unless it is an integer from 0 to 2^53−1.
std::uint64_t routing_seed(std::string_view text);

/// Draws the class of every worm of multicast `id`, uniform among the choices of `routing` from its source to
/// its first stop. The draws depend on seed, multicast, place of the worm and choices alone.
void draw_classes(const RoutingFunction& routing, std::uint64_t seed, std::uint64_t id,
                  std::vector<Worm>& worms);

}  // namespace wormcast

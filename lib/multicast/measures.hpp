// The three measures of a plan: traffic, longest path, longest chain.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "multicast/plan.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {

/// Hops count router-to-router channels only.
struct PlanMeasures {
  std::uint64_t traffic_channels = 0;    ///< over all worms, with multiplicity
  std::uint64_t longest_path_hops = 0;   ///< longest source–leaf path of one worm
  std::uint64_t longest_chain_hops = 0;  ///< the same, counted from the multicast's source along `after`

  friend bool operator==(const PlanMeasures&, const PlanMeasures&) = default;
};

/// Adds up a plan worm by worm, in plan order.
class MeasureSum {
 public:
  /// `depths[i]` = hops from the worm's source to stop i; `channels` = all its hops.
  void add(const Worm& worm, const std::vector<std::uint64_t>& depths, std::uint64_t channels);
  /// A path worm of a plan in which no worm waits for another.
  void add_path(std::uint64_t hops);
  const PlanMeasures& total() const { return total_; }
  void clear();

 private:
  struct Arrival {
    std::uint32_t host;
    std::uint64_t hops;
  };
  PlanMeasures total_;
  std::vector<std::vector<Arrival>> arrivals_;  ///< of each worm added, where it is consumed
  std::size_t worms_ = 0;
};

/// The measures of `worms` without listing their channels. The worms must fit the network (expand
/// checks that of foreign plans).
PlanMeasures measure(const std::vector<Worm>& worms, const RoutingFunction& routing);

}  // namespace wormcast

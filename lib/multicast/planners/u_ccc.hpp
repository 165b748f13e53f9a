// Orders of the nodes of a multicast on cube-connected cycles: the dimension order, masked orders, and
// orders repaired by swaps until no two unicasts of a step share a physical link.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "multicast/plan.hpp"
#include "routing/routing_function.hpp"
#include "topology/ids.hpp"

namespace wormcast {

/// The nodes of `request` sorted by (w xor mask, i) for node (i, w), rotated so that the source leads:
/// with mask 0 the paper's R-chain.
std::vector<HostId> ccc_chain(const Topology& topology, const Request& request, std::uint32_t mask);

/// Counts the physical links that unicasts of one step of recursive halving share.
class StepSharing {
 public:
  /// For chains of `nodes` nodes.
  StepSharing(const RoutingFunction& routing, std::size_t nodes);

  /// Σ over steps and links of (unicasts on the link − 1); gives up at `limit` or more.
  std::uint64_t count(std::span<const HostId> chain, std::uint64_t limit);
  /// Swaps nodes of `chain` (never the first) until no link is shared or `swaps` swaps are made.
  /// Returns whether no link is shared. The same chain always takes the same swaps.
  bool repair(std::vector<HostId>& chain, std::uint64_t swaps);

 private:
  /// A unicast of the recursion, by positions in the chain.
  struct Unicast {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t step;  ///< from 0
  };

  template <class Visit>
  void links(std::span<const HostId> chain, const Unicast& unicast, Visit visit) const;
  void add(std::span<const HostId> chain, const Unicast& unicast);
  void remove(std::span<const HostId> chain, const Unicast& unicast);
  bool shares(std::span<const HostId> chain, const Unicast& unicast) const;
  void swap_positions(std::vector<HostId>& chain, std::uint32_t a, std::uint32_t b);
  void swap_well(std::vector<HostId>& chain, std::uint32_t position, std::uint64_t draw);

  const RoutingFunction* routing_;
  std::vector<Unicast> unicasts_;
  std::vector<std::vector<std::uint32_t>> touching_;  ///< unicasts that start or end at each position
  std::vector<std::uint32_t> users_;                  ///< unicasts on each (step, channel)
  std::uint64_t excess_ = 0;                          ///< Σ (users − 1) where positive
};

/// An order for recursive halving in which no two unicasts of a step share a physical link: that of the first
/// such mask; else that of the best one, repaired by swaps; else, if that does not succeed either, the
/// dimension order.
std::vector<HostId> clean_ccc_order(const RoutingFunction& routing, const Request& request);

}  // namespace wormcast

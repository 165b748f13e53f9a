// Dimension-order routing on tori, and the message classes by which worms choose their VC rule.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "routing/routing_function.hpp"

namespace wormcast {

/// Classes of worms under `dimension-order` on a torus.
enum class TorusClass : std::uint32_t {
  /// Unicasts: VC0 while the wrap link of the ring is still ahead, VC1 from its far end on and where
  /// there is none on the way (Dally and Seitz). What unicast trees need to be free of contention.
  wrap_ahead = 0,
  /// Worms of several stops: VC0 until the wrap link has been crossed, VC1 after it.
  wrap_crossed = 1
};

/// Classes of worms under `torus-ring`.
enum class RingClass : std::uint32_t {
  dateline = 0,        ///< VC0 until the wrap link has been crossed, VC1 after it
  first = 1,           ///< always VC0
  second = 2,          ///< always VC1
  second_dateline = 3  ///< a dateline of its own: VC2 until the wrap link has been crossed, VC3 after it
};

/// Corrects one dimension after the other, each by the shorter way round, + where both are as long.
class TorusDimensionOrder final : public RoutingFunction {
 public:
  /// Under `ring` a worm keeps the direction of its first port, or of its first hop, in that ring.
  TorusDimensionOrder(const Topology& topology, bool ring)
      : RoutingFunction(topology), ring_(ring), dateline_(ring || topology.spec().virtual_channels != 1) {}

  /// Under `ring` as many as the topology has, up to four: what a worm needs depends on its class. Else two
  /// for a dateline, or the only one of the topology.
  std::uint32_t virtual_channels() const override;
  std::uint32_t classes() const override { return ring_ ? 4 : 2; }
  RoutingState first(NodeId source, NodeId destination, std::uint32_t vc_class) const override;
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override;
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override;
  std::uint32_t distance(NodeId from, NodeId to) const override { return topology().distance(from, to); }
  bool history_free() const override { return !ring_; }

 private:
  RoutingStep take(NodeId at, PortId port, RoutingState state, NodeId destination) const;

  bool ring_;
  bool dateline_;
};

}  // namespace wormcast

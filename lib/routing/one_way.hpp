// Dimension order on tori whose channels run one way.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "routing/routing_function.hpp"

namespace wormcast {

/// Corrects one dimension after the other, the first or the last one first.
class OneWayOrder final : public RoutingFunction {
 public:
  OneWayOrder(const Topology& topology, bool last_first)
      : RoutingFunction(topology), last_first_(last_first) {}

  std::uint32_t virtual_channels() const override { return 2; }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override;
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override;
  std::uint32_t distance(NodeId from, NodeId to) const override { return topology().distance(from, to); }
  bool last_first() const { return last_first_; }

 private:
  RoutingStep take(NodeId at, std::uint32_t dimension, RoutingState state) const;

  bool last_first_;
};

/// Whether routes of that function run in the last dimension first.
bool last_dimension_first(const RoutingFunction& routing);

}  // namespace wormcast

// Dimension order in two networks: worms of class 1 have the second virtual channel of every channel.
//
// The two never wait for each other's channels. Planners split destinations so that each network has no
// cycle of turns: RPM sends upwards in one and downwards in the other.
// Cost: as dimension-order. cite: Wang, Jin, Kim, Kim 2009 (virtual networks).
// SPDX-License-Identifier: MIT
#include "routing/routing_function.hpp"

namespace wormcast {
namespace {

class TwoNetwork final : public RoutingFunction {
 public:
  explicit TwoNetwork(const Topology& network)
      : RoutingFunction(network), base_(find_routing_function("dimension-order")->bind(network)) {}

  std::uint32_t virtual_channels() const override { return 2; }
  std::uint32_t classes() const override { return 2; }
  RoutingState first(NodeId, NodeId, std::uint32_t vc_class) const override {
    check_class(vc_class);
    return RoutingState{vc_class};
  }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    RoutingStep step = base_->next(at, state, destination);
    step.vc = state.bits;
    return step;
  }
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override {
    RoutingStep step = base_->forced(source, port, state, destination);
    step.vc = state.bits;
    return step;
  }
  std::uint32_t distance(NodeId from, NodeId to) const override { return topology().distance(from, to); }

 private:
  std::unique_ptr<const RoutingFunction> base_;
};

}  // namespace

extern const RoutingEntry routing_two_network = {
    .name = "two-network",
    .summary = "dimension order; worms of class 1 have virtual channels of their own",
    .topologies = "mesh",
    .cite = "Wang, Jin, Kim, Kim 2009",
    .unsupported = [](const Topology& t) { return needs(t.line_grid(), "a mesh"); },
    .bind = bound<TwoNetwork>,
    .unicasts = false,
};

}  // namespace wormcast

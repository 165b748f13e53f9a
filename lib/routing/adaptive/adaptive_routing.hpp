// What the adaptive routing functions share.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "routing/routing_function.hpp"

namespace wormcast {

/// A routing function whose candidates() say everything. The one way that next() gives goes by the first of
/// them, and a plan may force any port that one of them leaves by.
class AdaptiveRouting : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;

  bool adaptive() const final { return true; }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override;
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override;

 protected:
  /// `candidates` become every hop that `each` calls its argument with, on all virtual channels.
  template <class Each>
  void on_every_vc(RoutingState state, std::vector<RoutingCandidate>& candidates, Each each) const {
    candidates.clear();
    each([&](ChannelId channel, NodeId to) {
      candidates.push_back({channel, 0, channel_vcs(channel), to, state, 0});
    });
  }
};

}  // namespace wormcast

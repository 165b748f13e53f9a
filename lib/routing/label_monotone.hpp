// What the label-monotone routing functions share: where they apply, and which forced ports they allow.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "routing/routing_function.hpp"

namespace wormcast {

/// A routing function whose routes have labels that only grow or only fall. Then the channels of
/// growing label and those of falling label form two acyclic networks, also through intermediate
/// destinations visited in label order. Each hop depends on where the worm is and where it goes alone, and is
/// the best of its kind among those not past the destination: so it is the best not past any node on the way.
class LabelMonotone : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;
  bool label_monotone() const final { return true; }
  bool coherent() const final { return true; }
  /// Refuses a port whose far end lies on the other side of the source or past the destination.
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override;
};

/// True if a hop from label `from` to label `to` stays on the way to label `target`.
constexpr bool on_the_way(Label from, Label to, Label target) {
  return from < target ? from < to && to <= target : target <= to && to < from;
}

/// The reason why label routing does not apply, if it does not.
std::optional<std::string> unlabelled(const Topology& topology);
/// True on a mesh of at most two dimensions that carries the closed-form snake.
bool is_plane_snake(const Topology& topology);

}  // namespace wormcast

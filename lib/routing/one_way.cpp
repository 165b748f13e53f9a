// Dimension order on tori whose channels run one way, with two virtual channels and a dateline in each ring.
//
// There is one way round each ring, so the order of the dimensions is all that a routing function can
// choose. A worm uses VC0 until it has crossed the wrap link of the ring it is in, VC1 from there to where it
// leaves the ring, and VC0 again in the next one. In a ring the order VC0 from after the wrap link to it,
// then VC1, is that of every worm, since none goes round a ring twice; rings of an earlier dimension come
// before those of a later one. So the channel dependency graph of unicasts is acyclic; worms that turn
// back to an earlier dimension (rectangle) can close it.
// `one-way` is how Tenstorrent's chips go: forward the first dimension first (right, then down), backward the
// last one (up, then left). `one-way-swapped` takes the other order. Their virtual channels have a bit that
// changes at a dateline, too; that every ring starts with VC0 is this project's. Cost: O(dimensions) a hop.
// cite: Dally, Seitz 1987; Tenstorrent, tt-isa-documentation (RoutingPaths).
// SPDX-License-Identifier: MIT
#include <cassert>

#include "routing/routing_function.hpp"

namespace wormcast {
namespace {

constexpr std::uint32_t wrap_crossed_bit = 1;  // of the ring whose dimension the bits above say

/// Corrects one dimension after the other, the first or the last one first.
class OneWayOrder final : public RoutingFunction {
 public:
  /// In the networks that run this way the last dimension comes first.
  OneWayOrder(const Topology& topology, Ways last_first)
      : RoutingFunction(topology), last_first_(topology.ways() == last_first) {}

  /// Two for a dateline, or the only one of the topology, on which worms can deadlock.
  std::uint32_t virtual_channels() const override { return topology().spec().virtual_channels == 1 ? 1 : 2; }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const Grid& grid = *topology().grid();
    for (std::uint32_t i = 0;; ++i) {
      assert(i < grid.dimensions());
      const std::uint32_t d = last_first_ ? grid.dimensions() - 1 - i : i;
      if (grid.coordinate(at, d) != grid.coordinate(destination, d)) return take(at, d, state);
    }
  }
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override {
    RoutingFunction::forced(source, port, state, destination);  // refuses ports without a link
    return take(source, port.value / 2, state);
  }
  std::uint32_t distance(NodeId from, NodeId to) const override { return topology().distance(from, to); }
  bool last_dimension_first() const override { return last_first_; }

 private:
  RoutingStep take(NodeId at, std::uint32_t dimension, RoutingState state) const {
    const Grid& grid = *topology().grid();
    const bool up = topology().ways() == Ways::up;
    const PortId port{2 * dimension + (up ? 0U : 1U)};
    const bool crossed = state.bits >> 1 == dimension && (state.bits & wrap_crossed_bit) != 0;
    const bool wraps = grid.coordinate(at, dimension) == (up ? grid.dims()[dimension] - 1 : 0);
    return {topology().channel(at, port), crossed && virtual_channels() == 2 ? 1U : 0U,
            *topology().neighbour(at, port),
            RoutingState{dimension << 1 | (crossed || wraps ? wrap_crossed_bit : 0)}};
  }

  bool last_first_;
};

std::optional<std::string> not_one_way(const Topology& topology) {
  return needs(topology.one_way_grid() && topology.intact(),
               "a torus whose channels run one way and of which all live");
}

}  // namespace

extern const RoutingEntry routing_one_way = {
    .name = "one-way",
    .summary = "forward the first dimension first (XY), backward the last one (YX), as Tenstorrent's chips",
    .topologies = "torus-forward, torus-backward",
    .cite = "Dally, Seitz 1987; Tenstorrent tt-isa-documentation",
    .unsupported = not_one_way,
    .bind = bound<OneWayOrder, Ways::down>,
};

extern const RoutingEntry routing_one_way_swapped = {
    .name = "one-way-swapped",
    .summary = "the other order: forward the last dimension first (YX), backward the first one (XY)",
    .topologies = "torus-forward, torus-backward",
    .cite = "Dally, Seitz 1987",
    .unsupported = not_one_way,
    .bind = bound<OneWayOrder, Ways::up>,
};

}  // namespace wormcast

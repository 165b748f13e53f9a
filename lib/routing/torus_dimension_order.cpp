// Dimension order on tori: each ring by the shorter way, with two virtual channels and a dateline.
//
// A ring of channels is itself a dependency cycle; two virtual channels cut it at the wrap link, the
// dateline. Two rules do so, and they agree on one order of the channels of a ring, VC0 with the
// wrap link last, then VC1, so worms of both may mix: `wrap ahead` looks at the way to the next stop
// (a unicast that never wraps uses VC1 only), `wrap crossed` at the way behind (a worm of several
// stops may not know yet that it will wrap). Dimensions are used in order, hence the channel
// dependency graph of unicasts, and of worms that turn at most once out of each dimension, is acyclic.
//
// torus-ring is for worms that visit stops around one ring in a given direction, be it the longer
// way: the direction of the first port holds until the worm leaves the ring. The worm's class says
// which virtual channels it takes: by the dateline, one of the two throughout (safe only if such worms
// cannot close the ring), or by a dateline on two more virtual channels for a second kind of messages.
// Where the topology has one virtual channel, dimension order takes it throughout, and can deadlock.
//
// Cost: O(dimensions) a hop. cite: Dally, Seitz 1987.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>

#include "routing/grid_walk.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

enum class VcRule : std::uint32_t { ahead, crossed, first, second, second_crossed };
enum class Direction : std::uint32_t { none, positive, negative };

/// What the header carries, packed into RoutingState::bits.
struct RingState {
  VcRule rule = VcRule::ahead;
  Direction direction = Direction::none;
  bool crossed = false;         ///< the wrap link of the present ring
  std::uint32_t dimension = 0;  ///< of the present ring, < 32

  static RingState unpack(RoutingState state) {
    const std::uint32_t bits = state.bits;
    return {VcRule{bits & 7}, Direction{bits >> 3 & 3}, (bits >> 5 & 1) != 0, bits >> 6};
  }
  RoutingState pack() const {
    return {static_cast<std::uint32_t>(rule) | static_cast<std::uint32_t>(direction) << 3 |
            (crossed ? 1u : 0u) << 5 | dimension << 6};
  }
};

/// Whether + is the way from coordinate `from` to `to` ≠ `from`: the shorter one, + on a tie.
bool positive_is_shorter(std::uint32_t from, std::uint32_t to, std::uint32_t size) {
  const std::uint32_t up = to > from ? to - from : to + size - from;
  return up <= size - up;
}

std::uint32_t virtual_channel(const RingState& ring, bool wrap_ahead) {
  // By VcRule, until the wrap link is passed and after it; `ahead` looks at the way to go.
  constexpr std::uint8_t channels[][2] = {{0, 1}, {0, 1}, {0, 0}, {1, 1}, {2, 3}};
  const bool passed = ring.rule == VcRule::ahead ? !wrap_ahead : ring.crossed;
  return channels[static_cast<std::size_t>(ring.rule)][passed ? 1 : 0];
}

/// Corrects one dimension after the other, each by the shorter way round, + where both are as long.
class TorusDimensionOrder final : public RoutingFunction {
 public:
  /// Under `ring` a worm keeps the direction of its first port, or of its first hop, in that ring.
  TorusDimensionOrder(const Topology& topology, bool ring)
      : RoutingFunction(topology), ring_(ring), dateline_(ring || topology.spec().virtual_channels != 1) {}

  /// Under `ring` as many as the topology has, up to four: what a worm needs depends on its class. Else two
  /// for a dateline, or the only one of the topology.
  std::uint32_t virtual_channels() const override {
    const std::uint32_t limit = topology().spec().virtual_channels;
    if (!ring_) return limit == 1 ? 1 : 2;
    return limit == 0 ? 4 : std::min(limit, 4u);
  }
  std::uint32_t classes() const override { return ring_ ? 4 : 2; }
  RoutingState first(NodeId, NodeId, std::uint32_t vc_class) const override {
    constexpr VcRule order_rules[] = {VcRule::ahead, VcRule::crossed};
    constexpr VcRule ring_rules[] = {VcRule::crossed, VcRule::first, VcRule::second, VcRule::second_crossed};
    constexpr std::uint32_t ring_needs[] = {2, 1, 2, 4};
    check_class(vc_class);
    if (ring_ && ring_needs[vc_class] > virtual_channels())
      refuse("class", "class {} needs {} virtual channels a channel, the topology has {}", vc_class,
             ring_needs[vc_class], virtual_channels());
    return RingState{ring_ ? ring_rules[vc_class] : order_rules[vc_class]}.pack();
  }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const Grid& grid = *topology().grid();
    for (std::uint32_t d = 0;; ++d) {
      assert(d < grid.dimensions());
      const std::uint32_t from = grid.coordinate(at, d);
      const std::uint32_t to = grid.coordinate(destination, d);
      if (from == to) continue;
      const RingState ring = RingState::unpack(state);
      bool positive = topology().wraps(d) ? positive_is_shorter(from, to, grid.dims()[d]) : from < to;
      if (ring_ && ring.dimension == d && ring.direction != Direction::none)
        positive = ring.direction == Direction::positive;
      return take(at, PortId{2 * d + (positive ? 0u : 1u)}, state, destination);
    }
  }
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override {
    RoutingFunction::forced(source, port, state, destination);  // refuses ports without a link
    return take(source, port, state, destination);
  }
  std::uint32_t distance(NodeId from, NodeId to) const override { return topology().distance(from, to); }
  bool history_free() const override { return !ring_; }

 private:
  RoutingStep take(NodeId at, PortId port, RoutingState state, NodeId destination) const {
    const Grid& grid = *topology().grid();
    const std::uint32_t d = port.value / 2;
    const bool positive = port.value % 2 == 0;
    const std::uint32_t from = grid.coordinate(at, d);
    const std::uint32_t to = grid.coordinate(destination, d);
    RingState ring = RingState::unpack(state);
    if (ring.dimension != d) {
      ring.dimension = d;
      ring.crossed = false;
    }
    ring.direction = positive ? Direction::positive : Direction::negative;
    const bool wrap_ahead = positive ? from >= to : from <= to;
    const std::uint32_t vc = dateline_ ? virtual_channel(ring, wrap_ahead) : 0;
    if (positive ? from + 1 == grid.dims()[d] : from == 0) ring.crossed = true;
    return {topology().channel(at, port), vc, *topology().neighbour(at, port), ring.pack()};
  }

  bool ring_;
  bool dateline_;
};

}  // namespace

std::unique_ptr<const RoutingFunction> torus_dimension_order(const Topology& topology) {
  return std::make_unique<TorusDimensionOrder>(topology, false);
}

extern const RoutingEntry routing_torus_ring = {
    .name = "torus-ring",
    .summary =
        "around one ring in the direction of the first port; VCs by the worm's class: dateline or fixed",
    .topologies = "torus",
    .cite = "Dally, Seitz 1987 (dateline)",
    .unsupported = [](const Topology& t) { return needs(t.torus_grid(), "a torus"); },
    .bind = bound<TorusDimensionOrder, true>,
    .unicasts = false,
};

}  // namespace wormcast

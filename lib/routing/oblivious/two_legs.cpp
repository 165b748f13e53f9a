// Valiant and ROMM: a worm goes to a random router first, from there to its destination.
//
// The class of a worm is the number of that router: for valiant any one, for romm one on a shortest way, so
// that routes stay minimal. Both legs go in dimension order. Each has virtual channels of its own (tori two,
// evenly used: routing/grid_walk.cpp), so the first one's channels stand before the second one's in one
// order, and within a leg dimension order has no cycle. No worm takes a channel twice, either: in one
// dimension it runs along one line at most n hops in all. Where a topology has a single virtual channel both
// legs share it, and worms can deadlock. A worm passes its destination where that lies on its way to the
// random router, and comes back: without that the load would not be spread evenly. Where both ways round a
// ring are as long, it goes + from even coordinates and − from odd ones, so both get the same load. Cost:
// O(dimensions) a hop. cite: Valiant, Brebner 1981; Nesson, Johnsson 1995 (ROMM).
// SPDX-License-Identifier: MIT
#include "routing/grid_walk.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

constexpr GridWalk::Rule even_ties{.alternate = true};

class TwoLegs final : public WalkedRouting<DrawnRouting> {
 public:
  TwoLegs(const Topology& network, bool minimal) : WalkedRouting(network), minimal_(minimal) {}

  std::uint32_t virtual_channels() const override { return one_channel_ ? 1 : 2 * walk_.virtual_channels(); }
  std::uint32_t classes() const override { return topology().routers(); }

  std::uint32_t choices(NodeId source, NodeId destination) const override {
    if (!minimal_) return topology().routers();
    std::uint32_t count = 1;
    for (std::uint32_t d = 0; d < walk_.grid().dimensions(); ++d)
      count *= walk_.between(source, destination, d);
    return count;
  }
  std::uint32_t choice(NodeId source, NodeId destination, std::uint32_t index) const override {
    if (!minimal_) return index;
    std::uint32_t router = 0;
    for (std::uint32_t d = 0; d < walk_.grid().dimensions(); ++d) {
      const std::uint32_t count = walk_.between(source, destination, d);
      router += walk_.coordinate_between(source, destination, d, index % count) * walk_.grid().stride(d);
      index /= count;
    }
    return router;
  }

  RoutingState first(NodeId source, NodeId destination, std::uint32_t vc_class) const override {
    check_class(vc_class);
    const NodeId via{vc_class};
    if (source == destination) return second_leg;
    if (minimal_ &&
        walk_.distance(source, via) + walk_.distance(via, destination) != walk_.distance(source, destination))
      refuse("class", "router {} is on no shortest way from router {} to router {}", vc_class, source.value,
             destination.value);
    return on_the_way(source, via);
  }
  bool arrived(RoutingState state) const override { return (state.bits & second_leg.bits) != 0; }

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const bool second = arrived(state);
    const bool wrapped = (state.bits & wrapped_bit) != 0;
    const NodeId via{state.bits >> 2};
    const GridWalk::Hop hop = walk_.hop(at, second ? destination : via, even_ties);
    const std::uint32_t own = second ? walk_.virtual_channels() : 0;
    const std::uint32_t after = GridWalk::after_wrap(hop, wrapped) ? wrapped_bit : 0;
    const RoutingState leg = second ? second_leg : on_the_way(hop.to, via);
    return {hop.channel, one_channel_ ? 0 : own + walk_.even_virtual_channel(hop, wrapped), hop.to,
            RoutingState{leg.bits | after}};
  }
  /// Of valiant: by way of router 0, class 0.
  std::uint32_t distance(NodeId from, NodeId to) const override {
    return minimal_ ? walk_.distance(from, to) : RoutingFunction::distance(from, to);
  }
  bool history_free() const override { return minimal_; }

 private:
  static constexpr RoutingState second_leg{1};     // of the first one: the router that it leads to, shifted
  static constexpr std::uint32_t wrapped_bit = 2;  // the worm has passed the wrap link of its present ring

  static RoutingState on_the_way(NodeId at, NodeId via) {
    return at == via ? second_leg : RoutingState{via.value << 2};
  }

  bool minimal_;
};

}  // namespace

extern const RoutingEntry routing_valiant = {
    .name = "valiant",
    .summary =
        "by way of a random router, drawn for each worm; both legs in dimension order, on virtual "
        "channels of their own, or on one where the topology has one",
    .topologies = GridWalk::topologies,
    .cite = "Valiant, Brebner 1981",
    .unsupported = GridWalk::unsupported,
    .bind = bound<TwoLegs, false>,
    .draws = true,
};

extern const RoutingEntry routing_romm = {
    .name = "romm",
    .summary = "by way of a random router on a shortest way, drawn for each worm; otherwise as valiant",
    .topologies = GridWalk::topologies,
    .cite = "Nesson, Johnsson 1995",
    .unsupported = GridWalk::unsupported,
    .bind = bound<TwoLegs, true>,
    .draws = true,
};

}  // namespace wormcast

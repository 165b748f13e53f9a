// HC routing on cube-connected cycles: the bits of the cycle address from high to low, by hypercube
// edges; in between, along the cycle to the dimension of the next bit, never across its wrap edge.
//
// R_CCC gives a hop on the cycle one of two virtual channels by comparing the present cycle x with
// the destination's y, anew at every node: towards higher dimensions h0 if x ≤ y, else h1; towards
// lower ones l0 if x < y, else l1. (The printed R_CCC has l0 for Δ > 0, x > y; h1 is what Theorem 2
// proves.) With them the channel dependency graph of unicasts is acyclic, and two unicasts a → b and
// c → d share no channel whenever b ≤_d c <_d d stand in dimension order, from whatever a. Without them (a
// topology limited to one virtual channel) neither holds; the routes are the same. A forced first hop takes
// the virtual channel that the route itself would take there. Another port than the route's adds turns that
// close cycles (a hop along the cycle and back, two cube edges out of order) and is refused; only the wrap
// edges stay free, as no worm waits for them while it holds a channel.
// The routes are not shortest: 8.15 hops on average for N = 5, where 5.99 are possible.
// Cost: O(1) a hop. cite: Song, Hou, Shi 1999 (sections 2 and 3).
// SPDX-License-Identifier: MIT
#include <bit>

#include "routing/routing_function.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

constexpr std::uint32_t plus_port = 0;
constexpr std::uint32_t minus_port = 1;
constexpr std::uint32_t cube_port = 2;

class HcRouting final : public RoutingFunction {
 public:
  explicit HcRouting(const Topology& network)
      : RoutingFunction(network),
        dimensions_(network.cycle_nodes()),
        vcs_(network.spec().virtual_channels == 1 ? 1 : 2) {}

  std::uint32_t virtual_channels() const override { return vcs_; }

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const std::uint32_t x = at.value / dimensions_;
    const std::uint32_t i = at.value % dimensions_;
    const std::uint32_t y = destination.value / dimensions_;
    const std::uint32_t j = destination.value % dimensions_;
    const std::uint32_t k = x == y ? j : static_cast<std::uint32_t>(std::bit_width(x ^ y)) - 1;
    if (i == k) return {channel(at, cube_port), 0, NodeId{(x ^ (1u << i)) * dimensions_ + i}, state};
    if (k > i) return {channel(at, plus_port), vc(x > y), NodeId{at.value + 1}, state};
    return {channel(at, minus_port), vc(x >= y), NodeId{at.value - 1}, state};
  }

  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override {
    const RoutingStep step = RoutingFunction::forced(source, port, state, destination);
    const RoutingStep own = next(source, state, destination);
    if (step.channel == own.channel) return own;
    const std::uint32_t i = source.value % dimensions_;
    const std::uint32_t outwards = port.value == plus_port ? dimensions_ - 1 : 0;
    if (port.value == cube_port || i != outwards)
      refuse("first_port",
             "port {} of router {}; hc leaves by port {} for router {}, and by another, save a wrap edge, "
             "worms could deadlock",
             port.value, source.value, own.channel.value % 3, destination.value);
    return step;
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    std::uint32_t differ = from.value / dimensions_ ^ to.value / dimensions_;
    std::uint32_t here = from.value % dimensions_;
    const auto apart = [](std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; };
    std::uint32_t hops = 0;
    while (differ != 0) {
      const std::uint32_t bit = static_cast<std::uint32_t>(std::bit_width(differ)) - 1;
      hops += apart(here, bit) + 1;
      here = bit;
      differ ^= 1u << bit;
    }
    return hops + apart(here, to.value % dimensions_);
  }

 private:
  ChannelId channel(NodeId at, std::uint32_t port) const { return ChannelId{at.value * 3 + port}; }
  std::uint32_t vc(bool second) const { return second && vcs_ > 1 ? 1 : 0; }

  std::uint32_t dimensions_;
  std::uint32_t vcs_;
};

}  // namespace

extern const RoutingEntry routing_hc = {
    .name = "hc",
    .summary = "highest differing cycle bit first; two virtual channels, or one where the topology has one",
    .topologies = "ccc",
    .cite = "Song, Hou, Shi 1999",
    .unsupported = [](const Topology& t) { return needs(t.cycle_nodes() > 0, "cube-connected cycles"); },
    .bind = bound<HcRouting>,
};

}  // namespace wormcast

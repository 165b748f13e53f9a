// What BookSim 2's routing function min_adapt does, so that its figures can be had here.
//
// Its source offers every minimal hop beside an escape, but it keeps them in a set that is ordered by their
// priorities alone, where a second hop of the same priority is taken for the first and dropped. What is left
// is the first dimension that is not yet correct, on the adaptive virtual channels, and the escape by
// dimension order, on which a worm stays. So nothing is adaptive but the virtual channel: on meshes the route
// is that of dimension-order. Meshes have the escape on virtual channel 0 and every other one above it; tori
// have it on 0 and 1 and one other, 3; they go − where both ways round a ring are as long.
// On meshes dimension order has no circle. On tori worms on the escape ask for the escape alone, which has
// none either (routing/grid_walk.cpp), and everybody else may take it. At a tie the escape is offered either
// way, where BookSim 2 draws one of them.
// minimal-adaptive is what was meant. Cost: O(dimensions) a hop. cite: Jiang et al. 2013 (BookSim 2,
// min_adapt_mesh and min_adapt_torus)
// SPDX-License-Identifier: MIT
#include "routing/adaptive/adaptive_routing.hpp"
#include "routing/grid_walk.hpp"

namespace wormcast::routing_booksim_min_adapt {
namespace {

class BookSimMinAdapt final : public AdaptiveRouting {
 public:
  explicit BookSimMinAdapt(const Topology& network)
      : AdaptiveRouting(network), walk_(*GridWalk::of(network)) {}

  std::uint32_t virtual_channels() const override { return ring() ? 4 : 2; }
  std::uint32_t distance(NodeId from, NodeId to) const override { return walk_.distance(from, to); }

  void candidates(NodeId at, RoutingState state, NodeId destination,
                  std::vector<RoutingCandidate>& candidates) const override {
    candidates.clear();
    const GridWalk::Hop down = walk_.hop(at, destination, {.negative_ties = ~0U});
    const GridWalk::Hop up = walk_.hop(at, destination, {});
    if ((state.bits & on_escape) == 0)
      candidates.push_back({down.channel, ring() ? 3U : 1U, ring() ? 4U : channel_vcs(), down.to, state, 0});
    const bool wrapped = (state.bits & wrapped_bit) != 0;
    const auto escape = [&](const GridWalk::Hop& hop) {
      const std::uint32_t vc = walk_.even_virtual_channel(hop, wrapped);
      const std::uint32_t after = GridWalk::after_wrap(hop, wrapped) ? wrapped_bit : 0;
      candidates.push_back({hop.channel, vc, vc + 1, hop.to, RoutingState{on_escape | after}, 1});
    };
    escape(down);
    if (up.channel != down.channel) escape(up);
  }

 private:
  static constexpr std::uint32_t on_escape = 1;    // of a state: the worm stays on the escape
  static constexpr std::uint32_t wrapped_bit = 2;  // there it has passed the wrap link of its present ring

  bool ring() const { return walk_.shape() == GridWalk::Shape::ring; }

  GridWalk walk_;
};

std::optional<std::string> unsupported(const Topology& topology) {
  const std::string& family = topology.spec().family;
  if (family == "mesh" || family == "torus") return std::nullopt;
  return "it needs a mesh or a torus";
}

std::unique_ptr<const RoutingFunction> bind(const Topology& topology) {
  return std::make_unique<BookSimMinAdapt>(topology);
}

}  // namespace

extern const RoutingEntry entry;
const RoutingEntry entry = {
    .name = "booksim-min-adapt",
    .summary = "adaptive: the virtual channel alone, beside an escape, as BookSim 2's min_adapt",
    .topologies = "mesh, torus",
    .cite = "Jiang et al. 2013",
    .unsupported = unsupported,
    .bind = bind,
    .adaptive = true,
};

}  // namespace wormcast::routing_booksim_min_adapt

// What BookSim 2's routing function min_adapt does, so that its figures can be had here.
//
// Its source offers every minimal hop beside an escape, but it keeps them in a set that is ordered by their
// priorities alone, where a second hop of the same priority is taken for the first and dropped. What is left
// is the first dimension that is not yet correct, on the adaptive virtual channels, and the escape by
// dimension order, on which a worm stays. So nothing is adaptive but the virtual channel: on meshes the route
// is that of dimension-order. Meshes have the escape on virtual channel 0 and every other one above it; tori
// have it on 0 and 1 and one other, 3; they go − where both ways round a ring are as long.
// On meshes the dependencies of dimension order are acyclic. On tori worms on the escape ask for the escape
// alone, whose are acyclic, too (routing/grid_walk.cpp), and any other worm may take it. Which way the escape
// goes where both are as long is drawn for each dimension: bit d of a worm's class says that it goes − in
// dimension d. minimal-adaptive is what was meant. Cost: O(dimensions) a hop. cite: Jiang et al. 2013
// (BookSim 2, min_adapt_mesh and min_adapt_torus)
// SPDX-License-Identifier: MIT
#include <string>

#include "routing/adaptive/adaptive_routing.hpp"
#include "routing/grid_walk.hpp"

namespace wormcast {
namespace {

constexpr std::uint32_t most_booksim_dimensions = 29;

class BookSimMinAdapt final : public WalkedRouting<AdaptiveRouting> {
 public:
  using WalkedRouting::WalkedRouting;

  std::uint32_t virtual_channels() const override { return ring() ? 4 : 2; }
  bool draws() const override { return ring(); }
  std::uint32_t classes() const override { return ring() ? 1U << walk_.grid().dimensions() : 1; }
  std::uint32_t choices(NodeId source, NodeId destination) const override {
    return ring() ? walk_.ways_at_ties(source, destination) : 1;
  }
  std::uint32_t choice(NodeId source, NodeId destination, std::uint32_t index) const override {
    return ring() ? walk_.negative_ties(source, destination, index) : 0;
  }
  RoutingState first(NodeId source, NodeId destination, std::uint32_t vc_class) const override {
    check_class(vc_class);
    if (source != destination) walk_.check_negative_ties(source, destination, vc_class);
    return {vc_class};
  }

  void candidates(NodeId at, RoutingState state, NodeId destination,
                  std::vector<RoutingCandidate>& candidates) const override {
    candidates.clear();
    const std::uint32_t negative = state.bits & negative_bits;
    if ((state.bits & on_escape) == 0) {
      const GridWalk::Hop hop = walk_.hop(at, destination, {.negative_ties = ~0U});
      candidates.push_back(
          {hop.channel, ring() ? 3U : 1U, ring() ? 4U : channel_vcs(hop.channel), hop.to, state, 0});
    }
    const GridWalk::Hop hop = walk_.hop(at, destination, {.negative_ties = negative});
    const bool wrapped = (state.bits & wrapped_bit) != 0;
    const std::uint32_t vc = walk_.even_virtual_channel(hop, wrapped);
    const std::uint32_t after = GridWalk::after_wrap(hop, wrapped) ? wrapped_bit : 0;
    candidates.push_back({hop.channel, vc, vc + 1, hop.to, RoutingState{negative | on_escape | after}, 1});
  }

 private:
  static constexpr std::uint32_t on_escape = 1U << 30;  // of a state: the worm stays on the escape
  // There it has passed the wrap link of its present ring.
  static constexpr std::uint32_t wrapped_bit = 1U << 31;
  static constexpr std::uint32_t negative_bits = on_escape - 1;  // its class

  bool ring() const { return walk_.shape() == GridWalk::Shape::ring; }
};

std::optional<std::string> no_booksim_grid(const Topology& topology) {
  return needs(topology.line_grid() ||
                   (topology.torus_grid() && topology.grid()->dimensions() <= most_booksim_dimensions),
               "a mesh, or a torus of at most " + std::to_string(most_booksim_dimensions) + " dimensions");
}

}  // namespace

extern const RoutingEntry routing_booksim_min_adapt = {
    .name = "booksim-min-adapt",
    .summary = "adaptive: the virtual channel alone, beside an escape, as BookSim 2's min_adapt",
    .topologies = "mesh, torus",
    .cite = "Jiang et al. 2013",
    .unsupported = no_booksim_grid,
    .bind = bound<BookSimMinAdapt>,
    .adaptive = true,
    .draws = true,
};

}  // namespace wormcast

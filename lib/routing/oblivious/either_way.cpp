// Dimension order on tori, by either way round a ring where both are as long, by chance for each worm.
//
// dimension-order goes + then, which gives the channels of one way 1/4 more load than those of the other on
// an 8-ring under uniform traffic, and saturates earlier. Here bit d of a worm's class says that it goes − in
// dimension d. Which of the two virtual channels of a ring a worm takes is fixed where it enters that ring,
// so that both get about as much to carry (routing/grid_walk.cpp says how, and why nothing can deadlock).
// Cost: O(dimensions) a hop. cite: Dally, Towles 2004, chapter 8 (balanced minimal routes of tori); Jiang et
// al. 2013 (BookSim 2, dim_order on tori).
// SPDX-License-Identifier: MIT
#include <string>

#include "routing/grid_walk.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {
namespace {

constexpr std::uint32_t most_torus_dimensions = 30;

class EitherWay final : public WalkedRouting<DrawnRouting> {
 public:
  using WalkedRouting::WalkedRouting;

  std::uint32_t virtual_channels() const override { return walk_.virtual_channels(); }
  std::uint32_t classes() const override { return 1U << walk_.grid().dimensions(); }
  std::uint32_t choices(NodeId source, NodeId destination) const override {
    return walk_.ways_at_ties(source, destination);
  }
  std::uint32_t choice(NodeId source, NodeId destination, std::uint32_t index) const override {
    return walk_.negative_ties(source, destination, index);
  }
  RoutingState first(NodeId source, NodeId destination, std::uint32_t vc_class) const override {
    check_class(vc_class);
    if (source != destination) walk_.check_negative_ties(source, destination, vc_class);
    return {vc_class};
  }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const bool wrapped = (state.bits & wrapped_bit) != 0;
    const std::uint32_t negative = state.bits & ~wrapped_bit;
    const GridWalk::Hop hop = walk_.hop(at, destination, {.negative_ties = negative});
    const bool passed = GridWalk::after_wrap(hop, wrapped);
    return {hop.channel, walk_.even_virtual_channel(hop, wrapped), hop.to,
            RoutingState{negative | (passed ? wrapped_bit : 0)}};
  }

 private:
  static constexpr std::uint32_t wrapped_bit = 1U << 31;  // of a state: it has passed this ring's wrap link
};

std::optional<std::string> too_many_dimensions(const Topology& topology) {
  return needs(topology.ring_grid() && topology.grid()->dimensions() <= most_torus_dimensions,
               "a torus of at most " + std::to_string(most_torus_dimensions) + " dimensions");
}

}  // namespace

extern const RoutingEntry routing_either_way = {
    .name = "either-way",
    .summary = "dimension order; where both ways round a ring are as long, either drawn for each worm",
    .topologies = "torus",
    .cite = "Dally, Towles 2004; Jiang et al. 2013",
    .unsupported = too_many_dimensions,
    .bind = bound<EitherWay>,
    .draws = true,
};

}  // namespace wormcast

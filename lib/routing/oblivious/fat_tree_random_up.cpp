// Fat trees: up by random ports to the lowest level of common ancestors, then down the only way.
//
// In a k-ary n-tree the switches of level l above two lowest switches whose numbers agree from digit l on are
// ancestors of both, k^l of them, and one way leads down from each. So a worm is free at every switch
// upwards, and its class is what it takes there: digit i of the class to base k is the port up from level i.
// No worm goes up after it went down, so one virtual channel is free of deadlock. Links are found by their
// number in the generator's order, so a graph with other links is refused. Stops are lowest switches, which
// have the hosts. Cost: O(levels) a hop, O(links) to bind. cite: Petrini, Vanneschi 1997; Leiserson et al.
// 1992 (random up in the CM-5).
// SPDX-License-Identifier: MIT
#include <string>
#include <vector>

#include "routing/routing_function.hpp"
#include "topology/generator.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

class RandomUp final : public DrawnRouting {
 public:
  explicit RandomUp(const Topology& network) : RandomUp(network, *generated_by(network, "fat-tree")) {}
  RandomUp(const Topology& network, const std::vector<std::uint64_t>& values)
      : DrawnRouting(network),
        arity_(static_cast<std::uint32_t>(values[0])),
        levels_(static_cast<std::uint32_t>(values[1])),
        width_(network.routers() / levels_) {}

  std::uint32_t classes() const override { return width_; }
  std::uint32_t choices(NodeId source, NodeId destination) const override {
    return weight(common_level(source.value, destination.value));
  }
  std::uint32_t choice(NodeId, NodeId, std::uint32_t index) const override { return index; }

  RoutingState first(NodeId source, NodeId destination, std::uint32_t vc_class) const override {
    for (const NodeId end : {source, destination})
      if (end.value >= width_)
        refuse("worms", "routes join lowest switches, and router {} is a higher one", end.value);
    check_class(vc_class);
    if (source != destination && vc_class >= choices(source, destination))
      refuse("class", "class {} of the {} ways up from router {} towards router {}", vc_class,
             choices(source, destination), source.value, destination.value);
    return {vc_class};
  }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const std::uint32_t level = at.value / width_;
    const std::uint32_t here = at.value % width_;
    if (level < common_level(here, destination.value)) {
      const std::uint32_t digit = state.bits / weight(level) % arity_;
      return {link(level, here, digit, true), 0, NodeId{at.value + width_ + change(here, level, digit)},
              state};
    }
    const std::uint32_t digit = destination.value / weight(level - 1) % arity_;
    const std::uint32_t below = here + change(here, level - 1, digit);
    return {link(level - 1, below, here / weight(level - 1) % arity_, false),
            0,
            NodeId{(level - 1) * width_ + below},
            {}};
  }
  bool history_free() const override { return false; }

 private:
  /// k^level, up to the width.
  std::uint32_t weight(std::uint32_t level) const {
    std::uint32_t result = 1;
    for (; level > 0; --level) result *= arity_;
    return result;
  }
  /// The level from which on both numbers have the same digits: that of the lowest common ancestors.
  std::uint32_t common_level(std::uint32_t a, std::uint32_t b) const {
    std::uint32_t level = 0;
    for (; a != b; ++level) {
      a /= arity_;
      b /= arity_;
    }
    return level;
  }
  /// What the number `switch_number` grows by, modulo 2^32, when its digit `position` becomes `digit`.
  std::uint32_t change(std::uint32_t switch_number, std::uint32_t position, std::uint32_t digit) const {
    const std::uint32_t place = weight(position);
    return (digit - switch_number / place % arity_) * place;
  }
  /// The channel between switch `below` of `level` and the one above whose digit `level` is `digit`.
  ChannelId link(std::uint32_t level, std::uint32_t below, std::uint32_t digit, bool up) const {
    return ChannelId{2 * ((level * width_ + below) * arity_ + digit) + (up ? 0U : 1U)};
  }

  std::uint32_t arity_, levels_, width_;
};

std::optional<std::string> no_fat_tree(const Topology& topology) {
  if (generated_by(topology, "fat-tree")) return std::nullopt;
  return not_generated_by(topology, "fat-tree");
}

}  // namespace

extern const RoutingEntry routing_fat_tree_random_up = {
    .name = "fat-tree-random-up",
    .summary = "up by ports drawn for each worm to the lowest common ancestors, then down",
    .topologies = "fat-tree",
    .cite = "Petrini, Vanneschi 1997; Leiserson et al. 1992",
    .unsupported = no_fat_tree,
    .bind = bound<RandomUp>,
    .draws = true,
};

}  // namespace wormcast

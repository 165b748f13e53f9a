// One dimension after the other on every network with coordinates.
//
// Hops are of the dimensions in order, first or last one first, and within a dimension a worm never turns
// back, so the dependencies of unicasts of one order have no cycle on lines and where a dimension is one hop.
// Rings have two virtual channels and a dateline, which depends on the way ahead alone (routing/
// torus_dimension_order.cpp says why that is enough). Cost: O(dimensions) a hop. cite: Dally, Seitz 1987.
// SPDX-License-Identifier: MIT
#include "routing/grid_walk.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace wormcast {

std::optional<GridWalk> GridWalk::of(const Topology& topology) {
  const std::string& family = topology.spec().family;
  if (family == "mesh") return GridWalk(topology, *topology.grid(), Shape::line);
  if (family == "torus") return GridWalk(topology, *topology.grid(), Shape::ring);
  if (family == "hypercube")
    return GridWalk(topology, Grid(std::vector<std::uint32_t>(topology.ports(), 2)), Shape::complete);
  return std::nullopt;
}

std::optional<std::string> GridWalk::unsupported(const Topology& topology) {
  if (of(topology)) return std::nullopt;
  return "it needs a mesh, a torus or a hypercube";
}

std::uint32_t GridWalk::apart(std::uint32_t from, std::uint32_t to, std::uint32_t dimension) const {
  const std::uint32_t up = from < to ? to - from : from - to;
  if (shape_ == Shape::complete) return up == 0 ? 0 : 1;
  return shape_ == Shape::ring ? std::min(up, grid_.dims()[dimension] - up) : up;
}

std::uint32_t GridWalk::distance(NodeId from, NodeId to) const {
  std::uint32_t hops = 0;
  for (std::uint32_t d = 0; d < grid_.dimensions(); ++d)
    hops += apart(grid_.coordinate(from, d), grid_.coordinate(to, d), d);
  return hops;
}

bool GridWalk::tie(NodeId from, NodeId to, std::uint32_t dimension) const {
  if (shape_ != Shape::ring) return false;
  const std::uint32_t hops =
      apart(grid_.coordinate(from, dimension), grid_.coordinate(to, dimension), dimension);
  return hops != 0 && 2 * hops == grid_.dims()[dimension];
}

bool GridWalk::positive(std::uint32_t from, std::uint32_t to, std::uint32_t dimension,
                        const Rule& rule) const {
  if (shape_ != Shape::ring) return from < to;
  const std::uint32_t size = grid_.dims()[dimension];
  const std::uint32_t up = to > from ? to - from : to + size - from;
  if (up != size - up) return up < size - up;
  return (rule.alternate && from % 2 == 1) == ((rule.negative_ties >> dimension & 1) != 0);
}

GridWalk::Hop GridWalk::hop(NodeId at, NodeId to, const Rule& rule) const {
  const std::uint32_t dimensions = grid_.dimensions();
  for (std::uint32_t i = 0;; ++i) {
    assert(i < dimensions);
    const std::uint32_t d = rule.last_first ? dimensions - 1 - i : i;
    const std::uint32_t from = grid_.coordinate(at, d);
    const std::uint32_t aim = grid_.coordinate(to, d);
    if (from == aim) continue;
    if (shape_ == Shape::complete) {  // a hypercube: its port flips the bit
      const ChannelId channel = topology_->channel(at, PortId{d});
      return {channel, *topology_->neighbour(at, PortId{d}), false};
    }
    const bool up = positive(from, aim, d, rule);
    const PortId port{2 * d + (up ? 0U : 1U)};
    return {topology_->channel(at, port), *topology_->neighbour(at, port), up ? from > aim : from < aim};
  }
}

std::uint32_t GridWalk::between(NodeId from, NodeId to, std::uint32_t dimension) const {
  const std::uint32_t hops =
      apart(grid_.coordinate(from, dimension), grid_.coordinate(to, dimension), dimension);
  return tie(from, to, dimension) ? grid_.dims()[dimension] : hops + 1;
}

std::uint32_t GridWalk::coordinate_between(NodeId from, NodeId to, std::uint32_t dimension,
                                           std::uint32_t index) const {
  const std::uint32_t start = grid_.coordinate(from, dimension);
  const std::uint32_t end = grid_.coordinate(to, dimension);
  if (index == 0 || start == end) return start;
  if (shape_ == Shape::complete) return end;
  const std::uint32_t size = grid_.dims()[dimension];
  // On a ring + is the way of a tie, which goes all round.
  return positive(start, end, dimension, {}) ? (start + index) % size : (start + size - index) % size;
}

}  // namespace wormcast

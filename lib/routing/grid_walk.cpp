// One dimension after the other on every network with coordinates.
//
// Hops are of the dimensions in order, first or last one first, and within a dimension a worm never turns
// back, so the dependencies of unicasts of one order have no cycle on lines and where a dimension is one hop.
// Rings have two virtual channels. With datelines the one to take depends on the way ahead alone (routing/
// torus_dimension_order.cpp says why that is enough); then most links carry nearly everything on VC1. The
// even rule fixes it for each ring on entry: a worm that goes + and passes the wrap link takes VC1, one that
// goes + and does not VC0, and − the other way round. Worms that do not pass the link close no ring. One that
// does goes at most half way round, so on a ring of n in + direction the link out of n/2 − 1 (rounded down)
// is on no such way, and these close none either. Cost: O(dimensions) a hop. cite: Dally, Seitz 1987; Jiang
// et al. 2013 (BookSim 2, dim_order on tori: the even rule).
// SPDX-License-Identifier: MIT
#include "routing/grid_walk.hpp"

#include <algorithm>
#include <cassert>

#include "topology/generator.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

std::optional<GridWalk> GridWalk::of(const Topology& topology) {
  if (topology.line_grid()) return GridWalk(topology, *topology.grid(), Shape::line);
  if (topology.ring_grid()) return GridWalk(topology, *topology.grid(), Shape::ring);
  if (topology.bit_addresses())
    return GridWalk(topology, Grid(std::vector<std::uint32_t>(topology.ports(), 2)), Shape::complete);
  const auto small = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  if (const auto values = generated_by(topology, "cmesh"))
    return GridWalk(topology, Grid({small((*values)[0]), small((*values)[1])}), Shape::line);
  if (const auto values = generated_by(topology, "flattened-butterfly"))
    return GridWalk(topology, Grid(std::vector<std::uint32_t>((*values)[1], small((*values)[0]))),
                    Shape::complete);
  return std::nullopt;
}

std::optional<std::string> GridWalk::unsupported(const Topology& topology) {
  if (of(topology)) return std::nullopt;
  for (const char* generator : {"cmesh", "flattened-butterfly"})
    if (!topology.spec().generator.empty() && topology.spec().generator.front().second == generator)
      return not_generated_by(topology, generator);
  return "it needs a mesh, a torus, a hypercube, a cmesh or a flattened-butterfly";
}

std::uint32_t GridWalk::apart(std::uint32_t from, std::uint32_t to, std::uint32_t dimension) const {
  const std::uint32_t up = from < to ? to - from : from - to;
  if (shape_ == Shape::complete) return up == 0 ? 0 : 1;
  return ring(dimension) ? std::min(up, grid_.dims()[dimension] - up) : up;
}

std::uint32_t GridWalk::distance(NodeId from, NodeId to) const {
  std::uint32_t hops = 0;
  for (std::uint32_t d = 0; d < grid_.dimensions(); ++d)
    hops += apart(grid_.coordinate(from, d), grid_.coordinate(to, d), d);
  return hops;
}

bool GridWalk::tie(NodeId from, NodeId to, std::uint32_t dimension) const {
  if (!ring(dimension)) return false;
  const std::uint32_t hops =
      apart(grid_.coordinate(from, dimension), grid_.coordinate(to, dimension), dimension);
  return hops != 0 && 2 * hops == grid_.dims()[dimension];
}

std::uint32_t GridWalk::ways_at_ties(NodeId from, NodeId to) const {
  std::uint32_t ways = 1;
  for (std::uint32_t d = 0; d < grid_.dimensions(); ++d)
    if (tie(from, to, d)) ways *= 2;
  return ways;
}

std::uint32_t GridWalk::negative_ties(NodeId from, NodeId to, std::uint32_t index) const {
  std::uint32_t negative = 0;
  for (std::uint32_t d = 0; d < grid_.dimensions(); ++d) {
    if (!tie(from, to, d)) continue;
    negative |= (index & 1) << d;
    index >>= 1;
  }
  return negative;
}

void GridWalk::check_negative_ties(NodeId from, NodeId to, std::uint32_t negative) const {
  for (std::uint32_t d = 0; d < grid_.dimensions(); ++d)
    if ((negative >> d & 1) != 0 && !tie(from, to, d))
      refuse("class", "class {} goes the longer way round from router {} to router {}", negative, from.value,
             to.value);
}

bool GridWalk::positive(std::uint32_t from, std::uint32_t to, std::uint32_t dimension,
                        const Rule& rule) const {
  if (!ring(dimension)) return from < to;
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
    if (shape_ == Shape::complete) return complete_hop(at, to, d);
    const bool up = positive(from, aim, d, rule);
    if (by_links_) return line_hop(at, d, up);
    const PortId port{2 * d + (up ? 0U : 1U)};
    const std::uint32_t last = grid_.dims()[d] - 1;
    const bool wraps = up ? from == last : from == 0;
    const std::uint32_t next = wraps ? (up ? 0 : last) : up ? from + 1 : from - 1;
    return {topology_->channel(at, port),
            *topology_->neighbour(at, port),
            up ? from > aim : from < aim,
            up,
            wraps,
            next == aim};
  }
}

GridWalk::Hop GridWalk::complete_hop(NodeId at, NodeId to, std::uint32_t dimension) const {
  if (!by_links_)  // a hypercube: its port flips the bit
    return {topology_->channel(at, PortId{dimension}), *topology_->neighbour(at, PortId{dimension}), false};
  const std::uint32_t size = grid_.dims()[dimension];
  const std::uint32_t from = grid_.coordinate(at, dimension), aim = grid_.coordinate(to, dimension);
  const std::uint32_t a = std::min(from, aim), b = std::max(from, aim), pairs = size * (size - 1) / 2;
  std::uint32_t link = dimension * lines(dimension) * pairs;  // all dimensions have the same size
  const std::uint32_t stride = grid_.stride(dimension);
  const std::uint32_t line = at.value / (stride * size) * stride + at.value % stride;  // by lowest routers
  link += line * pairs + a * (2 * size - a - 1) / 2 + (b - a - 1);
  const NodeId next{at.value + (aim - from) * stride};  // modulo 2^32
  return {ChannelId{2 * link + (from < aim ? 0U : 1U)}, next, false};
}

GridWalk::Hop GridWalk::line_hop(NodeId at, std::uint32_t dimension, bool up) const {
  const std::uint32_t stride = grid_.stride(dimension);
  const NodeId low{up ? at.value : at.value - stride};
  std::uint32_t link = 0;
  for (std::uint32_t d = 0; d < dimension; ++d) link += lines(d) * (grid_.dims()[d] - 1);
  const std::uint32_t row = stride * grid_.dims()[dimension];
  link += low.value / row * (row - stride) + low.value % row;
  return {ChannelId{2 * link + (up ? 0U : 1U)}, NodeId{up ? at.value + stride : low.value}, false};
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

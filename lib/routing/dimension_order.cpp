// Dimension-order routing: correct the first dimension, then the second, and so on (XY, e-cube).
//
// Channels are used in order of dimension, and within a dimension a worm never turns back, so the
// channel dependency graph of unicasts is acyclic. Path worms that visit several destinations add
// turns back to earlier dimensions (xy-path) and can deadlock.
// Cost: O(dimensions) a hop. cite: Dally, Seitz 1987.
// SPDX-License-Identifier: MIT
#include <bit>
#include <cstdint>
#include <vector>

#include "routing/grid_walk.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {
namespace {

/// One dimension of a grid. Division by its size is a multiplication, as a router's address is taken apart
/// for every hop: exact for 32 bits. cite: D. Lemire, O. Kaser, N. Kurz: Faster remainder by direct
/// computation (2019), section 3.
struct Axis {
  Axis(std::uint32_t nodes, std::uint32_t step)
      : size(nodes), stride(step), reciprocal(nodes == 1 ? 0 : ~std::uint64_t{0} / nodes + 1) {}

  std::uint32_t quotient(std::uint32_t value) const {
    if (reciprocal == 0) return value;
    return static_cast<std::uint32_t>(static_cast<unsigned __int128>(reciprocal) * value >> 64);
  }

  std::uint32_t size;
  std::uint32_t stride;
  std::uint64_t reciprocal;  ///< 2^64 / size, rounded up; 0 for a size of 1
};

class MeshDimensionOrder final : public RoutingFunction {
 public:
  explicit MeshDimensionOrder(const Topology& topology)
      : RoutingFunction(topology), ports_(topology.ports()) {
    const Grid& grid = *topology.grid();
    for (std::uint32_t d = 0; d < grid.dimensions(); ++d) axes_.emplace_back(grid.dims()[d], grid.stride(d));
  }

  bool coherent() const override { return true; }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    std::uint32_t here = at.value;
    std::uint32_t there = destination.value;
    for (std::uint32_t d = 0;; ++d) {
      const Axis& axis = axes_[d];
      std::uint32_t from = here;
      std::uint32_t to = there;
      if (d + 1 < axes_.size()) {
        here = axis.quotient(here);
        there = axis.quotient(there);
        from -= here * axis.size;
        to -= there * axis.size;
        if (from == to) continue;
      }
      const bool positive = from < to;
      const std::uint32_t port = 2 * d + (positive ? 0u : 1u);
      const NodeId next_node{positive ? at.value + axis.stride : at.value - axis.stride};
      return {ChannelId{at.value * ports_ + port}, 0, next_node, state};
    }
  }
  std::uint32_t distance(NodeId from, NodeId to) const override {
    std::uint32_t hops = 0, a = from.value, b = to.value;
    for (const Axis& axis : axes_) {
      const std::uint32_t a_above = axis.quotient(a), b_above = axis.quotient(b);
      const std::uint32_t x = a - a_above * axis.size, y = b - b_above * axis.size;
      hops += x < y ? y - x : x - y;
      a = a_above;
      b = b_above;
    }
    return hops;
  }

 private:
  std::vector<Axis> axes_;
  std::uint32_t ports_;
};

class HypercubeDimensionOrder final : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;

  bool coherent() const override { return true; }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(at.value ^ destination.value));
    return {topology().channel(at, PortId{bit}), 0, NodeId{at.value ^ (1u << bit)}, state};
  }
  std::uint32_t distance(NodeId from, NodeId to) const override { return topology().distance(from, to); }
};

class GeneratedDimensionOrder final : public WalkedRouting<RoutingFunction> {
 public:
  using WalkedRouting::WalkedRouting;

  bool coherent() const override { return true; }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const GridWalk::Hop hop = walk_.hop(at, destination, {});
    return {hop.channel, 0, hop.to, state};
  }
};

std::unique_ptr<const RoutingFunction> bind_dimension_order(const Topology& topology) {
  if (topology.ring_grid()) return torus_dimension_order(topology);
  if (topology.grid() != nullptr) return std::make_unique<MeshDimensionOrder>(topology);
  if (topology.given_by_links()) return std::make_unique<GeneratedDimensionOrder>(topology);
  return std::make_unique<HypercubeDimensionOrder>(topology);
}

}  // namespace

extern const RoutingEntry routing_dimension_order = {
    .name = "dimension-order",
    .summary =
        "first dimension first (XY, e-cube); tori the shorter way round, with datelines where there are two "
        "virtual channels; also called xy",
    .topologies = GridWalk::topologies,
    .cite = "Dally, Seitz 1987",
    .unsupported = GridWalk::unsupported,
    .bind = bind_dimension_order,
};

}  // namespace wormcast

// Dimension-order routing: correct the first dimension, then the second, and so on (XY, e-cube).
//
// Channels are used in order of dimension, and within a dimension a worm never turns back, so the
// channel dependency graph of unicasts is acyclic. Path worms that visit several destinations add
// turns back to earlier dimensions (xy-path) and can deadlock.
// Cost: O(dimensions) a hop. cite: Dally, Seitz 1987.
// SPDX-License-Identifier: MIT
#include <bit>
#include <cassert>

#include "routing/grid_walk.hpp"
#include "routing/routing_function.hpp"
#include "routing/torus_routing.hpp"

namespace wormcast::routing_dimension_order {
namespace {

class MeshDimensionOrder final : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const Grid& grid = *topology().grid();
    std::uint32_t here = at.value;
    std::uint32_t there = destination.value;
    for (std::uint32_t d = 0;; ++d) {
      assert(d < grid.dimensions());
      const std::uint32_t size = grid.dims()[d];
      const std::uint32_t from = here % size;
      const std::uint32_t to = there % size;
      here /= size;
      there /= size;
      if (from == to) continue;
      const bool positive = from < to;
      const std::uint32_t port = 2 * d + (positive ? 0u : 1u);
      const std::uint32_t stride = grid.stride(d);
      const NodeId next_node{positive ? at.value + stride : at.value - stride};
      return {ChannelId{at.value * topology().ports() + port}, 0, next_node, state};
    }
  }
  std::uint32_t distance(NodeId from, NodeId to) const override { return topology().distance(from, to); }
};

class HypercubeDimensionOrder final : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(at.value ^ destination.value));
    return {topology().channel(at, PortId{bit}), 0, NodeId{at.value ^ (1u << bit)}, state};
  }
  std::uint32_t distance(NodeId from, NodeId to) const override { return topology().distance(from, to); }
};

class GeneratedDimensionOrder final : public RoutingFunction {
 public:
  explicit GeneratedDimensionOrder(const Topology& network)
      : RoutingFunction(network), walk_(*GridWalk::of(network)) {}

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const GridWalk::Hop hop = walk_.hop(at, destination, {});
    return {hop.channel, 0, hop.to, state};
  }
  std::uint32_t distance(NodeId from, NodeId to) const override { return walk_.distance(from, to); }

 private:
  GridWalk walk_;
};

std::unique_ptr<const RoutingFunction> bind(const Topology& topology) {
  if (topology.spec().family == "torus") return std::make_unique<TorusDimensionOrder>(topology, false);
  if (topology.grid() != nullptr) return std::make_unique<MeshDimensionOrder>(topology);
  if (topology.spec().family == "graph") return std::make_unique<GeneratedDimensionOrder>(topology);
  return std::make_unique<HypercubeDimensionOrder>(topology);
}

}  // namespace

extern const RoutingEntry entry;
const RoutingEntry entry = {
    .name = "dimension-order",
    .summary =
        "first dimension first (XY, e-cube); tori the shorter way round, with datelines; also called xy",
    .topologies = GridWalk::topologies,
    .cite = "Dally, Seitz 1987",
    .unsupported = GridWalk::unsupported,
    .bind = bind,
};

}  // namespace wormcast::routing_dimension_order

// Tori whose channels run one way: up in every dimension (torus-forward), or down (torus-backward).
//
// Chips have them in pairs, one network of each kind over the same nodes: a router of one needs two ports
// where one of both ways needs four, and from any node to any other there is one path in each dimension.
// Ports and channel ids are those of the torus; the ports of the other way have no neighbours, so a
// forward and a backward network together are the torus, channel by channel. No Hamiltonian labels: their
// order needs channels from each label to the next and back. cite: Dally, Seitz 1987 (the unidirectional
// torus); Tenstorrent, tt-isa-documentation (NoC #0 rightwards and downwards, NoC #1 leftwards and upwards).
// SPDX-License-Identifier: MIT
#include <string>

#include "topology/error.hpp"
#include "topology/sizes.hpp"
#include "topology/topology.hpp"

namespace wormcast {
namespace {

class OneWayTorus final : public Topology {
 public:
  OneWayTorus(TopologySpec given, Grid grid, Ways ways)
      : Topology(std::move(given), grid.nodes(), grid.nodes(), 2 * grid.dimensions()),
        grid_(std::move(grid)),
        ways_(ways) {}

  std::string name() const override { return sizes_name(spec().family, grid_.dims()); }
  const Grid* grid() const override { return &grid_; }
  bool wraps() const override { return true; }
  Ways ways() const override { return ways_; }
  bool labelled() const override { return false; }

  std::optional<NodeId> neighbour(NodeId node, PortId port) const override {
    const std::uint32_t dimension = port.value / 2;
    const std::uint32_t size = grid_.dims()[dimension];
    const bool up = port.value % 2 == 0;
    if (size == 1 || up != (ways_ == Ways::up)) return std::nullopt;
    const std::uint32_t stride = grid_.stride(dimension);
    const std::uint32_t x = grid_.coordinate(node, dimension);
    const std::uint32_t wrap = (size - 1) * stride;
    if (up) return NodeId{x + 1 == size ? node.value - wrap : node.value + stride};
    return NodeId{x == 0 ? node.value + wrap : node.value - stride};
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    if (ways_ == Ways::down) std::swap(from, to);
    std::uint32_t hops = 0;
    for (std::uint32_t d = 0; d < grid_.dimensions(); ++d) {
      const std::uint32_t size = grid_.dims()[d];
      hops += (grid_.coordinate(to, d) + size - grid_.coordinate(from, d)) % size;
    }
    return hops;
  }

 private:
  Label closed_form_label(NodeId) const override { return {}; }
  NodeId closed_form_node_at(Label) const override { return {}; }

  Grid grid_;
  Ways ways_;
};

template <Ways ways>
std::unique_ptr<const Topology> build_one_way_torus(TopologySpec spec) {
  Grid grid(checked_dims(spec, 1));
  if (!spec.labels.empty())
    throw InputError("labels", "a " + spec.family + " has none: its channels run one way");
  return std::make_unique<OneWayTorus>(std::move(spec), std::move(grid), ways);
}

}  // namespace

namespace topology_torus_forward {
extern const TopologyFamily entry;
const TopologyFamily entry = {
    .name = "torus-forward",
    .summary =
        "torus whose channels run one way, up in every dimension, as those of one of a chip's two networks",
    .usage = "W H ...",
    .sizes_key = "dims",
    .cite = "Dally, Seitz 1987; Tenstorrent tt-isa-documentation",
    .build = build_one_way_torus<Ways::up>,
};
}  // namespace topology_torus_forward

namespace topology_torus_backward {
extern const TopologyFamily entry;
const TopologyFamily entry = {
    .name = "torus-backward",
    .summary = "the same, down in every dimension",
    .usage = "W H ...",
    .sizes_key = "dims",
    .cite = "Dally, Seitz 1987; Tenstorrent tt-isa-documentation",
    .build = build_one_way_torus<Ways::down>,
};
}  // namespace topology_torus_backward

}  // namespace wormcast

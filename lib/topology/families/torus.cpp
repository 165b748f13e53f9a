// Tori of any number of dimensions: a mesh whose rows close to rings.
//
// Ports are +x −x +y −y …; the wrap link of a ring leaves its last node by + and its first by −. A
// ring of two nodes has two parallel links, one by + and one by −, each with its own two channels; a
// ring of one node has none. Labels are the reflected snake (snake.hpp): its steps are mesh links, so
// wrap links are extra neighbours to label routing. cite: Dally, Seitz 1987.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>

#include "topology/sizes.hpp"
#include "topology/snake.hpp"
#include "topology/topology.hpp"

namespace wormcast::topology_torus {
namespace {

class Torus final : public Topology {
 public:
  Torus(TopologySpec spec, Grid grid)
      : Topology(std::move(spec), grid.nodes(), grid.nodes(), 2 * grid.dimensions()), grid_(std::move(grid)) {
    adopt_given_labels();
  }

  std::string name() const override { return sizes_name("torus", grid_.dims()); }
  const Grid* grid() const override { return &grid_; }
  bool wraps() const override { return true; }

  std::optional<NodeId> neighbour(NodeId node, PortId port) const override {
    const std::uint32_t dimension = port.value / 2;
    const std::uint32_t size = grid_.dims()[dimension];
    if (size == 1) return std::nullopt;
    const std::uint32_t stride = grid_.stride(dimension);
    const std::uint32_t x = grid_.coordinate(node, dimension);
    const std::uint32_t wrap = (size - 1) * stride;
    if (port.value % 2 == 0) return NodeId{x + 1 == size ? node.value - wrap : node.value + stride};
    return NodeId{x == 0 ? node.value + wrap : node.value - stride};
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    std::uint32_t hops = 0;
    for (std::uint32_t d = 0; d < grid_.dimensions(); ++d) {
      const std::uint32_t a = grid_.coordinate(from, d);
      const std::uint32_t b = grid_.coordinate(to, d);
      const std::uint32_t straight = a < b ? b - a : a - b;
      hops += std::min(straight, grid_.dims()[d] - straight);
    }
    return hops;
  }

 private:
  Label closed_form_label(NodeId node) const override { return snake_label(grid_, node); }
  NodeId closed_form_node_at(Label label) const override { return snake_node(grid_, label); }

  Grid grid_;
};

std::unique_ptr<const Topology> build(TopologySpec spec) {
  Grid grid(checked_dims(spec, 1));
  return std::make_unique<Torus>(std::move(spec), std::move(grid));
}

}  // namespace

extern const TopologyFamily entry;
const TopologyFamily entry = {
    .name = "torus",
    .summary = "n-dimensional torus; node = x + W*y + W*H*z ...; rings of two have parallel links",
    .usage = "W H ...",
    .sizes_key = "dims",
    .cite = "Dally, Seitz 1987",
    .build = build,
};

}  // namespace wormcast::topology_torus

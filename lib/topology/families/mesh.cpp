// Meshes of any number of dimensions, 1-wide ones too.
//
// Ports are +x −x +y −y …; a port towards a missing neighbour has no channel. Labels are the
// reflected snake (snake.hpp). cite: Bouchitté, Cohen, Fleury 1997, section 2.
// SPDX-License-Identifier: MIT
#include <string>

#include "topology/error.hpp"
#include "topology/sizes.hpp"
#include "topology/snake.hpp"
#include "topology/topology.hpp"

namespace wormcast::topology_mesh {
namespace {

class Mesh final : public Topology {
 public:
  Mesh(TopologySpec spec, Grid grid)
      : Topology(std::move(spec), grid.nodes(), grid.nodes(), 2 * grid.dimensions()), grid_(std::move(grid)) {
    adopt_given_labels();
  }

  std::string name() const override { return sizes_name("mesh", grid_.dims()); }
  const Grid* grid() const override { return &grid_; }

  std::optional<NodeId> neighbour(NodeId node, PortId port) const override {
    const std::uint32_t dimension = port.value / 2;
    const std::uint32_t stride = grid_.stride(dimension);
    const std::uint32_t x = grid_.coordinate(node, dimension);
    if (port.value % 2 == 0) {
      if (x + 1 == grid_.dims()[dimension]) return std::nullopt;
      return NodeId{node.value + stride};
    }
    if (x == 0) return std::nullopt;
    return NodeId{node.value - stride};
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    std::uint32_t hops = 0;
    for (std::uint32_t d = 0; d < grid_.dimensions(); ++d) {
      const std::uint32_t a = grid_.coordinate(from, d);
      const std::uint32_t b = grid_.coordinate(to, d);
      hops += a < b ? b - a : a - b;
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
  return std::make_unique<Mesh>(std::move(spec), std::move(grid));
}

}  // namespace

extern const TopologyFamily entry;
const TopologyFamily entry = {
    .name = "mesh",
    .summary = "n-dimensional mesh; node = x + W*y + W*H*z ...",
    .usage = "W H ...",
    .sizes_key = "dims",
    .cite = "Bouchitte, Cohen, Fleury 1997, section 2",
    .build = build,
};

}  // namespace wormcast::topology_mesh

// A torus seen from a source as a mesh: every ring cut opposite the source, or just before it where channels
// run one way.
// SPDX-License-Identifier: MIT
#pragma once

#include "topology/topology.hpp"

namespace wormcast {

/// Moves the nodes of a torus so that shorter ways from the source never wrap, + on a tie, or so that where
/// channels run one way every node is up from the source, which is node 0; dimensions that are
/// lines stay as they are.
class TorusAsMesh {
 public:
  TorusAsMesh(const Topology& topology, NodeId source)
      : grid_(topology.line_grid() ? nullptr : topology.grid()),
        rings_(topology.ring_dimensions()),
        ways_(topology.ways()),
        source_(source) {}

  NodeId to_mesh(NodeId node) const { return moved(node, true); }
  NodeId to_torus(NodeId node) const { return moved(node, false); }

 private:
  NodeId moved(NodeId node, bool forth) const {
    if (grid_ == nullptr) return node;
    NodeId result;
    for (std::uint32_t d = 0; d < grid_->dimensions(); ++d) {
      const std::uint32_t size = grid_->dims()[d];
      const std::uint32_t source = grid_->coordinate(source_, d);
      const std::uint32_t at = grid_->coordinate(node, d);
      const std::uint32_t middle = ways_ == Ways::both ? (size - 1) / 2 : 0;  // where the source comes to lie
      const std::uint32_t shift = (rings_ >> d & 1) != 0 ? (middle + size - source) % size : 0;
      const std::uint32_t x = ways_ == Ways::down ? source + size - at : at + (forth ? shift : size - shift);
      result.value += x % size * grid_->stride(d);
    }
    return result;
  }

  const Grid* grid_;
  std::uint32_t rings_;
  Ways ways_;
  NodeId source_;
};

}  // namespace wormcast

// A torus seen from a source as a mesh: every ring cut opposite the source.
// SPDX-License-Identifier: MIT
#pragma once

#include "topology/topology.hpp"

namespace wormcast {

/// Moves the nodes of a torus so that shorter ways from the source never wrap, + on a tie; elsewhere
/// every node stays where it is.
class TorusAsMesh {
 public:
  TorusAsMesh(const Topology& topology, NodeId source)
      : grid_(topology.spec().family == "torus" ? topology.grid() : nullptr), source_(source) {}

  NodeId to_mesh(NodeId node) const { return moved(node, true); }
  NodeId to_torus(NodeId node) const { return moved(node, false); }

 private:
  NodeId moved(NodeId node, bool forth) const {
    if (grid_ == nullptr) return node;
    NodeId result;
    for (std::uint32_t d = 0; d < grid_->dimensions(); ++d) {
      const std::uint32_t size = grid_->dims()[d];
      const std::uint32_t middle = (size - 1) / 2;  // where the source comes to lie
      const std::uint32_t shift = (middle + size - grid_->coordinate(source_, d)) % size;
      const std::uint32_t x = grid_->coordinate(node, d) + (forth ? shift : size - shift);
      result.value += x % size * grid_->stride(d);
    }
    return result;
  }

  const Grid* grid_;
  NodeId source_;
};

}  // namespace wormcast

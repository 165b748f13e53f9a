// Closed-form Hamiltonian labels: the reflected mixed-radix snake.
//
// The snake walks dimension 0 to and fro, stepping dimension 1 at each end, and so on: consecutive
// labels differ by one step in one dimension. A coordinate runs backwards iff the label of the
// higher coordinates (the prefix) is odd. With every size 2 it is the binary-reflected Gray code.
// cite: Bouchitté, Cohen, Fleury 1997, section 2.2 (two dimensions); n dimensions: the standard
// reflected mixed-radix Gray code.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

inline Label snake_label(const Grid& grid, NodeId node) {
  std::uint32_t prefix = 0;
  for (std::uint32_t d = grid.dimensions(); d-- > 0;) {
    const std::uint32_t size = grid.dims()[d];
    const std::uint32_t x = grid.coordinate(node, d);
    prefix = prefix * size + (prefix % 2 == 0 ? x : size - 1 - x);
  }
  return Label{prefix};
}

inline NodeId snake_node(const Grid& grid, Label label) {
  NodeId node;
  std::uint32_t prefix = 0;
  std::uint32_t rest = label.value;
  for (std::uint32_t d = grid.dimensions(); d-- > 0;) {
    const std::uint32_t size = grid.dims()[d];
    const std::uint32_t digit = rest / grid.stride(d);
    rest %= grid.stride(d);
    node.value += (prefix % 2 == 0 ? digit : size - 1 - digit) * grid.stride(d);
    prefix = prefix * size + digit;
  }
  return node;
}

}  // namespace wormcast

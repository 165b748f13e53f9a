// Addresses of a grid's nodes: bits, as in headers of a destination and a mask, and the snake's labels.
// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Bits of an address.
inline std::uint32_t mask_bits(const Grid& grid) {
  std::uint32_t bits = 0;
  for (const std::uint32_t size : grid.dims()) bits += static_cast<std::uint32_t>(std::bit_width(size - 1));
  return bits;
}

/// The bits of a node's coordinates, those of the first dimension lowest.
inline std::uint64_t mask_address(const Grid& grid, NodeId node) {
  std::uint64_t address = 0;
  for (std::uint32_t d = grid.dimensions(); d-- > 0;)
    address = address << std::bit_width(grid.dims()[d] - 1) | grid.coordinate(node, d);
  return address;
}

/// Of a node's address or a mask: its bits for each dimension.
inline std::vector<std::uint32_t> by_dimension(const Grid& grid, std::uint64_t bits) {
  std::vector<std::uint32_t> parts;
  for (const std::uint32_t size : grid.dims()) {
    const auto width = std::bit_width(size - 1);
    parts.push_back(static_cast<std::uint32_t>(bits & ((std::uint64_t{1} << width) - 1)));
    bits >>= width;
  }
  return parts;
}

inline std::uint64_t differing_bits(std::span<const std::uint64_t> addresses) {
  std::uint64_t bits = 0;
  for (const std::uint64_t address : addresses) bits |= address ^ addresses.front();
  return bits;
}

/// The mask under which a destination and a mask name just these, each once: the bits in which they differ,
/// if every combination of them is there.
inline std::optional<std::uint64_t> mask_of(std::span<const std::uint64_t> addresses) {
  const std::uint64_t bits = differing_bits(addresses);
  const int dimensions = std::popcount(bits);
  if (dimensions > 62 || std::uint64_t{1} << dimensions != addresses.size()) return std::nullopt;
  return bits;
}

// Closed-form Hamiltonian labels: the reflected mixed-radix snake.
// The snake walks dimension 0 to and fro, stepping dimension 1 at each end, and so on: consecutive
// labels differ by one step in one dimension. A coordinate runs backwards iff the label of the
// higher coordinates (the prefix) is odd. With every size 2 it is the binary-reflected Gray code.
// cite: Bouchitté, Cohen, Fleury 1997, section 2.2 (two dimensions); n dimensions: the standard
// reflected mixed-radix Gray code.

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

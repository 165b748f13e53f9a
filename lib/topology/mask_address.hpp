// Addresses of a grid's nodes by bits, as headers of a destination and a mask have them.
// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

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

}  // namespace wormcast

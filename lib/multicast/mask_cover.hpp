// Sets of nodes that a header of a destination and a mask names, and as few of them as make up any set.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "topology/topology.hpp"

namespace wormcast {

/// The bits of a node's coordinates, those of the first dimension lowest.
std::uint64_t mask_address(const Grid& grid, NodeId node);
/// Of a node's address or a mask: its bits for each dimension.
std::vector<std::uint32_t> by_dimension(const Grid& grid, std::uint64_t bits);
/// Bits of an address.
std::uint32_t mask_bits(const Grid& grid);

/// The mask under which a destination and a mask name just these, ascending, each once: the bits in which
/// they differ, if every combination of them is there.
std::optional<std::uint64_t> mask_of(std::span<const std::uint64_t> addresses);

struct MaskCover {
  std::vector<std::vector<std::uint64_t>> sets;  ///< each one mask, ascending; together all, none twice
  std::uint64_t at_least = 0;  ///< no fewer can be; as many as there are: they are the fewest
};
/// `addresses` ascend, each once.
MaskCover mask_cover(const std::vector<std::uint64_t>& addresses);

}  // namespace wormcast

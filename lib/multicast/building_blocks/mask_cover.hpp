// A set of nodes as few sets that a header of a destination and a mask names.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace wormcast {

struct MaskCover {
  std::vector<std::vector<std::uint64_t>> sets;  ///< each one mask, ascending; together all, none twice
  std::uint64_t at_least = 0;  ///< there cannot be fewer; if it is their number, they are the fewest
};
/// `addresses` (topology/grid_address.hpp) ascend, each once.
MaskCover mask_cover(const std::vector<std::uint64_t>& addresses);

}  // namespace wormcast

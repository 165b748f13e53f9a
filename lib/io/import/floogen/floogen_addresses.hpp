// What addresses mean in a network description of floogen: the record of a network has none.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/import/format.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// The endpoints of a description, their addresses, and the data widths of its links.
class FloogenAddresses {
 public:
  struct Range {
    std::uint64_t start = 0;
    std::uint64_t end = 0;  ///< the first address behind it
    std::uint32_t endpoint = 0;
  };
  struct Endpoint {
    std::string name;
    std::uint32_t router = 0;  ///< (i, j) of an array is i · height + j
    bool local = false;        ///< at the router's port for endpoints, not at that of a missing neighbour
  };

  /// Whose address it is, or nothing.
  std::optional<std::uint32_t> endpoint_of(std::uint64_t address) const;
  /// The endpoint whose DMA is said to be the one of that router.
  std::optional<std::uint32_t> local_endpoint(std::uint32_t router) const;

  std::vector<Range> ranges;  ///< ascending, none meets another
  std::vector<Endpoint> endpoints;
  std::vector<std::uint64_t> mesh;   ///< width and height, where each router of one has one endpoint
  std::vector<std::uint64_t> array;  ///< sizes of the routers named first
  std::uint32_t narrow_bits = 0;     ///< 0: there is no such link
  std::uint32_t wide_bits = 0;
};

/// Throws InputError with file and line for what is no description, addresses that two endpoints have, or
/// data widths that are none of AXI's.
FloogenAddresses read_floogen_addresses(const ImportFile& file);

}  // namespace wormcast::io

// Boxes of nodes of a two-dimensional mesh or torus, which may wrap.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "multicast/request.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// The nodes whose coordinates are in both lists; in each dimension an interval of the ring, which may wrap.
using RingBox = std::array<std::vector<std::uint32_t>, 2>;

/// The box whose nodes the destinations are, all of them, and maybe the source; nothing where there is none.
std::optional<RingBox> box_of(const Grid& grid, const Request& request);
/// The box's nodes but one, ascending.
std::vector<HostId> hosts_of(const Grid& grid, const RingBox& box, HostId but);

}  // namespace wormcast

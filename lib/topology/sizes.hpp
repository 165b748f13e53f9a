// Checks of the sizes a topology is asked for, before anything is allocated.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.hpp"

namespace wormcast {

/// Ids are 32 bits, and what worms can hold takes two for each (channel, VC): no network may have more
/// directed channel ids than this, which leaves it 7 virtual channels (Topology::virtual_channel_bound()).
inline constexpr std::uint64_t max_channel_ids = std::uint64_t{1} << 28;

/// Largest port number that a link may name.
inline constexpr std::uint32_t max_port_number = 65535;

/// spec.sizes as dimensions of at least `least` each, their product times two ports a dimension
/// within max_channel_ids; throws InputError on field "dims".
std::vector<std::uint32_t> checked_dims(const TopologySpec& spec, std::uint64_t least);
/// spec.sizes as the one number of dimensions, in [least, most]; throws InputError on "dimensions".
std::uint32_t checked_dimensions(const TopologySpec& spec, std::uint64_t least, std::uint64_t most);
/// "mesh" and {4, 3} make "mesh-4x3".
std::string sizes_name(std::string_view family, std::span<const std::uint32_t> dims);

}  // namespace wormcast

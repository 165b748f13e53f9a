// Graphs that are what their generator says: for routing functions that compute with its sizes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.hpp"

namespace wormcast {

/// The values of its parameters if `topology` has the hosts and the links, in the same order, that the
/// generator of that name makes of them; else nothing. Cost: O(links), as the generator.
std::optional<std::vector<std::uint64_t>> generated_by(const Topology& topology, std::string_view generator);

/// Why it is not: "it needs a dragonfly that the generator made".
std::string not_generated_by(const Topology& topology, std::string_view generator);

}  // namespace wormcast

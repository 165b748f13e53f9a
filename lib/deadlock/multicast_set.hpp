// Multicasts to plan, to look for a deadlock among them or to hold a proof against them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace wormcast {

/// Source, destinations, ascending, and the class of the worm where the way is drawn and this is the one to
/// look at.
using MulticastSet =
    std::set<std::tuple<std::uint32_t, std::vector<std::uint32_t>, std::optional<std::uint32_t>>>;

}  // namespace wormcast

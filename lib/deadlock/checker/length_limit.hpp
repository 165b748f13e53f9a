// Long messages sent in several parts, none longer than a limit.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "multicast/routes.hpp"

namespace wormcast {

/// The multicasts with each message longer than `most` flits (without header flits) sent in parts of at most
/// as many, each by the same routes and at any time; nothing if that makes too many worms to look at.
std::optional<std::vector<Routes>> in_parts(const std::vector<Routes>& routes, std::uint64_t most);

/// The largest limit that was found with which `proved` says that the parts cannot deadlock; nothing where
/// one flit is too long. Limits between those that were tried are not looked at.
std::optional<std::uint64_t> longest_safe_message(
    const std::vector<Routes>& routes, const std::function<bool(const std::vector<Routes>&)>& proved);

}  // namespace wormcast

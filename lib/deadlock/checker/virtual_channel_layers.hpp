// More virtual channels for routes whose dependencies have cycles.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "deadlock/checker/checker.hpp"
#include "multicast/routes.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// More than this is not tried.
inline constexpr std::uint32_t most_virtual_channels = 16;

struct LayeredRoutes {
  std::vector<Routes> routes;
  std::uint32_t virtual_channels = 0;  ///< that they use in all
};

/// A worm goes to the next set of virtual channels whenever it crosses a dateline: a dependency that does
/// not go forward in one order of all resources. Nothing where more than most_virtual_channels are needed.
std::optional<LayeredRoutes> channels_by_dateline(const Topology& topology, const CheckOptions& options,
                                                  const std::vector<Routes>& routes);

/// Every worm stays in one class of virtual channels, the first in which it closes no cycle. Nothing where
/// a worm closes one by itself or more than most_virtual_channels are needed.
std::optional<LayeredRoutes> channels_by_class(const Topology& topology, const CheckOptions& options,
                                               const std::vector<Routes>& routes);

}  // namespace wormcast

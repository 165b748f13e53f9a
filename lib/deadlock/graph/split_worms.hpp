// Worms cut into unicasts from stop to stop, each stored and sent on.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "multicast/routes.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Every worm ends at its first stop, where another begins after its arrival: at destinations, and where a
/// tree branches (the node there receives a copy only to send it on). Direct networks. Nothing where no
/// worm is cut.
std::optional<std::vector<Routes>> split_at_stops(const Topology& topology,
                                                  const std::vector<Routes>& routes);

}  // namespace wormcast

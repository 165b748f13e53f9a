// Exhaustive exploration of everything a few worms can do: the slow measure of the exact search.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "multicast/routes.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// A worm to explore: its route and its length with header flits. `route.after` is an index into
/// the list of explored worms.
struct ExploredWorm {
  WormRoute route;
  std::uint64_t flits = 0;
};

/// One grant: the worm and the hop it was granted, −1: it started.
struct ExploredGrant {
  std::uint32_t worm = 0;
  std::int32_t hop = -1;
};

struct Exploration {
  /// Grants that lead from empty buffers to a deadlock, one of the shortest.
  std::optional<std::vector<ExploredGrant>> deadlock;
  bool exhausted = false;  ///< every state was seen
  std::uint64_t states = 0;
};

/// Explores every order of grants. At most `limit` states are looked at.
Exploration explore(const Topology& topology, const RouterModel& model,
                    const std::vector<ExploredWorm>& worms, std::uint64_t limit);

}  // namespace wormcast

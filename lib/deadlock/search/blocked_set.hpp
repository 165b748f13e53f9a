// Worms that block each other for good: what each keeps and waits for, and which of them suffice.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "deadlock/graph/route_store.hpp"
#include "deadlock/graph/worm_footprint.hpp"
#include "deadlock/search/exploration.hpp"

namespace wormcast {

/// One worm of a deadlocked set.
struct BlockedWorm {
  std::uint32_t route = 0;  ///< index in the store
  WormRef name;
  std::optional<WormRef> answers{};  ///< what came to its source, where it is an answer
  StepSet acquired;                  ///< what it has been granted
  StepSet kept;                      ///< what of that it still holds
  StepSet surely;  ///< what of that it holds whatever its flits find room for in FIFOs that others share
  std::vector<std::uint32_t>
      waits;  ///< steps whose resources the others hold for good, or queue for before it
};

/// Indices of the smallest part of the set in which everybody whom a member waits for is a member: a
/// deadlock by itself. Ascending.
std::vector<std::uint32_t> smallest_closed(const std::vector<BlockedWorm>& set,
                                           const std::vector<Footprint>& footprints);

/// What the members have, keep and wait for in the deadlock that an exploration of them found.
void describe_members(const Exploration& found, std::vector<BlockedWorm>& set,
                      const std::vector<Footprint>& footprints);
/// Indices of the smallest part of the worms explored that is a deadlock by itself; ascending.
std::vector<std::uint32_t> smallest_part(const Exploration& found);
/// Leaves those members, and their requests among those of the exploration.
void leave_members(const std::vector<std::uint32_t>& needed, const Exploration& found,
                   std::vector<BlockedWorm>& set, std::vector<ExploredRequest>& requests);

/// The deadlock that an exploration of the members found, in terms of their steps: names the worms, leaves
/// out who is not needed, and takes the requests over. False if some may have to wait for others to arrive.
bool adopt_exploration(const Exploration& found, std::vector<BlockedWorm>& set,
                       std::vector<ExploredRequest>& requests, const RouteStore& store,
                       const std::vector<Footprint>& footprints);

}  // namespace wormcast

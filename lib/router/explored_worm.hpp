// A worm in a set whose runs are explored.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "router/worm_route.hpp"

namespace wormcast {

/// A worm to explore: its route and its length with header flits. `route.after` is an index into
/// the list of explored worms; that of an answer is the worm that it answers.
struct ExploredWorm {
  WormRoute route;
  std::uint64_t flits = 0;
  /// Further worms that must have arrived at its source before it starts.
  std::vector<std::uint32_t> awaits{};
};

}  // namespace wormcast

// What reductions hold and wait for, beside multicasts and unicasts: a graph over worms in their places.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "deadlock/dependency.hpp"
#include "deadlock/joined_worms.hpp"

namespace wormcast {

/// Without a cycle nothing stands still, unless JoinedWorms::lack says why that does not follow.
struct JoinOrder {
  /// Places for which several worms can wait, so that each waits for later ones only; where there is no
  /// cycle.
  std::vector<WormCause> order;
  std::vector<Dependency> cycle;  ///< a shortest one, each with the place that holds
  std::uint64_t dependencies = 0;
};

/// `apart`: without what reductions whose flits are joined wait for beside their way; whether they may is for
/// the check of the order to say.
JoinOrder order_joins(const JoinedWorms& worms, bool apart = false);

}  // namespace wormcast

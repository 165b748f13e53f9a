// What is said of a deadlock that has been found.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "simulation/engine.hpp"

namespace wormcast {

/// A worm with a request that can never be granted.
struct DeadWorm {
  StuckWorm stuck;
  std::vector<WormName> waits_for;  ///< worms, dead or not, each for every wait for it
};

/// All dead worms are blocked; its core are those that are left when one after the other is left out that
/// none of the others waits for.
Deadlock deadlock_of(Cycle cycle, std::vector<DeadWorm> dead);

}  // namespace wormcast

// When the worms of a plan are sent if every message takes one step: the steps of unicast trees.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "multicast/plan.hpp"

namespace wormcast {

/// Where a worm stands in the tree of messages. Worms need only `source` and `after`.
struct Send {
  std::uint32_t step = 0;  ///< nominal: one after the send before it, or after the message's arrival; from 1
  std::uint32_t position = 0;  ///< of its receiver in the ordered chain of a unicast tree
};

/// The nominal step of every worm: a node sends the worms that wait for the same arrival one after
/// the other, in plan order, from the step after it on. The positions number the worms so that
/// everything that follows from a node's later send comes before what follows from an earlier one;
/// where recursive halving made the tree, that is the order of its chain. O(worms).
std::vector<Send> schedule(const std::vector<Worm>& worms);

/// Fewest steps in which `nodes` nodes, one of them informed, can all be informed: ⌈log2 nodes⌉.
std::uint32_t least_steps(std::uint64_t nodes);

}  // namespace wormcast

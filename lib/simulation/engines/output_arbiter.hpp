// Round robin over the inputs of a router: which of the worms that ask for an output gets it when it is free.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simulation/engines/grant_table.hpp"
#include "simulation/engines/worm_pool.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// The arbiters of all outputs; each has a pointer, at first 0. Inputs are numbered: ports first, and within
/// a port virtual channels. Of meshes and tori the port that faces +y is 0, then +x, −y, −x (in general the
/// positive ones from the last dimension to the first, then the negative ones so); elsewhere ports are as the
/// topology numbers them. What the node itself sends comes last.
class OutputArbiter {
 public:
  OutputArbiter(const Topology& topology, const WormPool& pool);

  /// Of the queue that begins at `head`, all of whose requests are for one free resource, the slot of the one
  /// that gets it; of several at the winning input the first in the queue.
  std::uint32_t choose(std::uint32_t head);

 private:
  std::uint32_t input(const Hop& hop) const;
  std::uint32_t port_rank(ChannelId channel) const;

  const Topology* topology_;
  const WormPool* pool_;
  PagedArray<std::uint32_t> pointers_;                           ///< by resource: the number of an input
  std::vector<std::pair<std::uint32_t, std::uint32_t>> asking_;  ///< scratch: (input, slot) in queue order
};

}  // namespace wormcast

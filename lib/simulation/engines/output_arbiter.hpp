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

/// The order in which arbiters number the inputs of a router, by the ports that worms come by; elsewhere than
/// on meshes and tori as the topology numbers them.
enum class InputOrder : std::uint8_t {
  positive_first,  ///< facing +y, +x, −y, −x (in general from the last dimension to the first), the node's
                   ///< own
  by_dimension,  ///< facing −y, +y, −x, +x (from the last dimension to the first), the node's own
  own_first      ///< the node's own, facing +x, −y, −x, +y
};

/// The input at which the worm stands whose header has come to the end of `before`.
std::uint32_t input_port(const Topology& topology, const Hop& before, InputOrder order);

/// The arbiters of all outputs; each has a pointer. Inputs are numbered: ports first, and within a port
/// virtual channels. Round robin: positive_first, from 0. Rotating: own_first, from the lowest that can ask.
class OutputArbiter {
 public:
  OutputArbiter(const Topology& topology, const WormPool& pool, OutputArbitration arbitration);

  /// Of the queue that begins at `head`, all of whose requests are for one free resource, the slot of the one
  /// that gets it; of several at the winning input the first in the queue.
  std::uint32_t choose(std::uint32_t head);

 private:
  std::uint32_t input(const Hop& hop) const;
  std::uint32_t rotate(std::uint32_t head);

  const Topology* topology_;
  const WormPool* pool_;
  bool rotating_;
  PagedArray<std::uint32_t> pointers_;                           ///< by resource: the number of an input
  std::vector<std::pair<std::uint32_t, std::uint32_t>> asking_;  ///< scratch: (input, slot) in queue order
};

}  // namespace wormcast

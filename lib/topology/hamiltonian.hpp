// Finding Hamiltonian paths, for networks that have no closed form of one.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/topology.hpp"

namespace wormcast {

/// Labels along a Hamiltonian path, or the reason why there are none.
struct HamiltonianLabels {
  std::vector<std::uint32_t> labels;  ///< of each router; empty if no path was found
  std::string reason;                 ///< why not, in words
  bool proven = false;                ///< without labels: that there is no path at all
};

/// Searches the routers of `topology`. The same seed gives the same path everywhere.
HamiltonianLabels find_hamiltonian_labels(const Topology& topology, std::uint64_t seed);

}  // namespace wormcast

// Certificates: what a plan carries so that its optimality can be checked without planning again.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "topology/ids.hpp"

namespace wormcast {

/// Dual values of one half of an optimal star. Visiting destination j costs `prices[j]`; leaving by a
/// port, or going on from a destination, is worth its rent. prices[j] − rent(b) is at most the hops
/// from b to j for every b that may precede j, and no rent is negative; so every star has at least
/// Σ prices − Σ rents channels in this half.
struct HalfCertificate {
  bool up = true;             ///< the destinations of larger label than the source, or those of smaller
  std::vector<PortId> ports;  ///< by which some destination can be first, nearest label first
  std::vector<std::uint64_t> port_rents;  ///< parallel to ports
  std::vector<std::uint64_t> prices;      ///< of the half's destinations in label order outwards
  std::vector<std::uint64_t> rents;       ///< parallel to prices
};

}  // namespace wormcast

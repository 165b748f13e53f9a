// Certificates: what a plan carries so that its optimality can be checked without planning again.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "topology/ids.hpp"

namespace wormcast {

/// Which destinations a part of a certificate is about.
enum class CertifiedPart : std::uint8_t {
  up,    ///< those of larger label than the source
  down,  ///< those of smaller label
  all    ///< all that are not on the source's router: up*/down* stars have no halves
};

/// Dual values of one half of an optimal star. Visiting destination j costs `prices[j]`; leaving by a
/// port, or going on from a destination, is worth its rent. prices[j] − rent(b) is at most the hops
/// from b to j for every b that may precede j, and no rent is negative; so every star of W worms a port has
/// at least Σ prices − Σ rents − W · Σ port_rents channels in this half. Where any number of worms leaves by
/// a port, its rent is 0.
struct HalfCertificate {
  CertifiedPart part = CertifiedPart::up;
  std::vector<PortId> ports;              ///< by which some destination can be first, nearest label first
  std::vector<std::uint64_t> port_rents;  ///< parallel to ports
  std::vector<std::uint64_t> prices;      ///< of the half's destinations in the order of visits
  std::vector<std::uint64_t> rents;       ///< parallel to prices
  /// Indices of destinations, ascending, that have fewer possible predecessors than they are if every port
  /// sends one worm less (Hall); empty where one worm a port will do.
  std::vector<std::uint64_t> crowd;
};

}  // namespace wormcast

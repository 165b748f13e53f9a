// A multicast request: who sends what to whom, and from when on.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/ids.hpp"
#include "topology/named_values.hpp"

namespace wormcast {

/// One multicast. `destinations` is sorted, without duplicates, not empty, and without the source
/// unless the source is the only one (a self-send).
struct Request {
  std::uint64_t id = 0;  ///< unique in its segment, ≤ 2^53−1
  HostId source;
  std::vector<HostId> destinations;
  std::uint64_t length_flits = 1;         ///< ≥ 1, without header flits
  Cycle start_cycle = 0;                  ///< non-decreasing through a segment
  std::vector<std::uint64_t> depends_on;  ///< ids that must have reached this source first
  SharedValues workload;                  ///< what made it: pattern, its options, rate, seed
  std::string extras;                     ///< the record's x_… members, carried through byte for byte
};

}  // namespace wormcast

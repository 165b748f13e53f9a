// A multicast request: who sends what to whom, and from when on. A reduction is one run backwards.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "topology/ids.hpp"
#include "topology/named_values.hpp"

namespace wormcast {

/// One multicast. `destinations` is sorted, without duplicates, not empty, and without the source
/// unless the source is the only one (a self-send).
///
/// Or one reduction: every destination sends a part, the parts are joined on their way, and the source, its
/// root, receives them as one message. Plans and routes are those of the multicast from the root, run
/// backwards: a branch is a join. The root may be among the destinations: its own part is joined there.
struct Request {
  std::uint64_t id = 0;  ///< unique in its segment, ≤ 2^53−1
  HostId source;
  std::vector<HostId> destinations;
  std::uint64_t length_flits = 1;         ///< ≥ 1, without header flits
  Cycle start_cycle = 0;                  ///< non-decreasing through a segment
  std::vector<std::uint64_t> depends_on;  ///< ids that must have reached this source first
  SharedValues workload;                  ///< what made it: pattern, its options, rate, seed
  std::vector<Cycle>
      start_cycles{};  ///< of a reduction: of each destination's part; start_cycle is the least
  std::string extras;  ///< the record's x_… members, carried through byte for byte

  bool reduces() const { return !start_cycles.empty(); }
  /// The hosts that the message reaches.
  std::span<const HostId> receivers() const {
    return reduces() ? std::span<const HostId>(&source, 1) : std::span<const HostId>(destinations);
  }
};

/// The place of a host among ascending `hosts`, at least one; that of another one where it is not among them.
/// std::lower_bound() takes a branch at each step, half of them wrongly foretold.
inline std::size_t place_of(HostId host, const std::vector<HostId>& hosts) {
  const HostId* place = hosts.data();
  for (std::size_t rest = hosts.size(); rest > 1;) {
    const std::size_t half = rest / 2;
    place += place[half] <= host ? half : 0;
    rest -= half;
  }
  return static_cast<std::size_t>(place - hosts.data());
}

}  // namespace wormcast

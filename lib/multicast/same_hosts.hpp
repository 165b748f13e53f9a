// Whether hosts that came in any order are those that were wanted.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multicast/request.hpp"

namespace wormcast {

/// True if the hosts are those that `wanted` has in ascending order, each once. They may be put into another
/// order.
inline bool same_hosts(std::span<HostId> hosts, const std::vector<HostId>& wanted) {
  constexpr std::size_t bits = 64;
  if (hosts.size() != wanted.size()) return false;
  if (hosts.size() > bits) {
    std::sort(hosts.begin(), hosts.end());
    return std::equal(hosts.begin(), hosts.end(), wanted.begin());
  }
  std::uint64_t met = 0;
  for (const HostId host : hosts) {
    const std::size_t place = place_of(host, wanted);
    if (wanted[place] != host) return false;
    met |= std::uint64_t{1} << place;
  }
  return static_cast<std::size_t>(std::popcount(met)) == hosts.size();
}

}  // namespace wormcast

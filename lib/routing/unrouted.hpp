// Pairs of hosts between which forwarding tables carry nothing, in words.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "routing/forwarding_tables.hpp"
#include "topology/ids.hpp"

namespace wormcast {

/// Pairs whose route does not arrive, met in any order.
class UnroutedPairs {
 public:
  /// `count` pairs, of which this is the first by (source, destination).
  void add(HostId source, HostId destination, std::uint64_t count = 1);

  std::uint64_t count() const { return count_; }
  /// "2 of 6 pairs of hosts are not routed (first: 0 to 2, in a forwarding loop at a, b)"; empty where every
  /// pair is. `tables` are those in which the pairs were met.
  std::string in_words(const ForwardingTables& tables) const;

 private:
  std::uint64_t count_ = 0;
  HostId source_;
  HostId destination_;
};

}  // namespace wormcast

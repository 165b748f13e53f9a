// A routing relation that a network brings along: rules that say, from where a header is and which way it
// came, among which channels its router chooses.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "topology/topology.hpp"

namespace wormcast {

/// Virtual channels of one channel.
struct ChannelVcs {
  ChannelId channel;
  std::vector<std::uint32_t> vcs;  ///< sorted; empty = all that the relation has
};

/// How a header came to its router: from its source, by whatever way, or by a VC, from first_vc on.
inline constexpr std::uint32_t from_source = 0, from_anywhere = 1, first_vc = 2;

/// What one router offers to headers on the way to some routers.
struct RelationRule {
  NodeId router;
  std::vector<NodeId> to;        ///< sorted
  bool starts = false;           ///< it is for worms that begin at the router
  std::vector<ChannelVcs> from;  ///< and for those that come by these
  std::vector<ChannelVcs> take;  ///< among these the router chooses, the preferred first

  /// For headers that no other rule of the router and destination names.
  bool others() const { return !starts && from.empty(); }
  /// Calls visit(destination, how it came) for every header that it is for, channels having `vcs` VCs each.
  template <class Visit>
  void each_header(std::uint32_t vcs, Visit visit) const {
    for (const NodeId destination : to) {
      if (others()) visit(destination, std::uint64_t{from_anywhere});
      if (starts) visit(destination, std::uint64_t{from_source});
      for (const ChannelVcs& taken : from)
        for (std::uint32_t vc = 0; vc < vcs; ++vc)
          if (taken.vcs.empty() || std::binary_search(taken.vcs.begin(), taken.vcs.end(), vc))
            visit(destination, first_vc + std::uint64_t{taken.channel.value} * vcs + vc);
    }
  }
};

struct Relation {
  std::uint32_t virtual_channels = 1;  ///< that each channel has for it
  std::vector<RelationRule> rules;
};

/// Throws InputError ("relation.rules[0].take[1].channel") for a router, channel or virtual channel that does
/// not exist, a channel that does not leave or enter its router, a list out of order, two rules for a header.
void check_relation(const Relation& relation, const Topology& topology);

}  // namespace wormcast

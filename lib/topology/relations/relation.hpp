// A routing relation that a network brings along: rules that say, from where a header is and which way it
// came, among which channels its router chooses.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "topology/topology.hpp"

namespace wormcast {

/// Virtual channels of one channel.
struct RelationLanes {
  ChannelId channel;
  std::vector<std::uint32_t> vcs;  ///< sorted; empty = all that the relation has
};

/// What one router offers to headers on the way to some routers.
struct RelationRule {
  NodeId router;
  std::vector<NodeId> to;           ///< sorted
  bool starts = false;              ///< it is for worms that begin at the router
  std::vector<RelationLanes> from;  ///< and for those that come by these
  std::vector<RelationLanes> take;  ///< among these the router chooses, the preferred first

  /// For headers that no other rule of the router and destination names.
  bool others() const { return !starts && from.empty(); }
};

struct Relation {
  std::uint32_t virtual_channels = 1;  ///< that each channel has for it
  std::vector<RelationRule> rules;
};

/// Throws InputError ("relation.rules[0].take[1].channel") for a router, channel or virtual channel that does
/// not exist, a channel that does not leave or enter the rule's router, a list out of order, and two rules
/// for one header.
void check_relation(const Relation& relation, const Topology& topology);

}  // namespace wormcast

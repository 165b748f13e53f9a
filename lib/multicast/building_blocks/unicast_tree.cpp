// Recursive halving: every informed node sends once a step to a node of the half it does not keep.
//
// The larger half stays with the sender when it is in the lower one, so m nodes are informed in
// ⌈log2 m⌉ steps. A unicast never leaves the interval of the chain it serves, and the intervals of
// one step are disjoint: with an order that fits the routing function, so are their channels.
// Cost: O(m log m). cite: McKinley, Xu, Esfahanian, Ni 1994.
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/unicast_tree.hpp"

#include <algorithm>
#include <cassert>

#include "multicast/building_blocks/worms.hpp"

namespace wormcast {
namespace {

/// An informed node and the part of the chain it still has to serve, itself included.
struct Duty {
  std::size_t holder;
  std::size_t left;
  std::size_t right;  ///< inclusive
  std::int32_t informed_by;
};

}  // namespace

std::vector<Worm> unicast_tree(std::span<const HostId> chain, std::size_t source) {
  assert(source < chain.size());
  std::vector<Worm> worms;
  std::vector<Duty> duties{{source, 0, chain.size() - 1, -1}};
  for (bool sent = true; sent;) {
    sent = false;
    const std::size_t holders = duties.size();
    for (std::size_t i = 0; i < holders; ++i) {
      Duty& duty = duties[i];
      if (duty.left == duty.right) continue;
      sent = true;
      const std::size_t upper = duty.left + (duty.right - duty.left + 2) / 2;
      Duty given{upper, upper, duty.right, static_cast<std::int32_t>(worms.size())};
      if (duty.holder < upper) {
        duty.right = upper - 1;
      } else {
        given = {upper - 1, duty.left, upper - 1, given.informed_by};
        duty.left = upper;
      }
      Worm worm;
      worm.source = chain[duty.holder];
      worm.after = duty.informed_by;
      worm.stops.push_back({chain[given.holder].value, -1, StopAction::deliver});
      worms.push_back(std::move(worm));
      duties.push_back(given);
    }
  }
  return worms;
}

std::vector<HostId> dimension_ordered_chain(const Topology& topology, const Request& request) {
  const Coordinates coordinates(topology);
  std::vector<HostId> chain{request.source};
  chain.insert(chain.end(), request.destinations.begin(), request.destinations.end());
  std::sort(chain.begin(), chain.end(), [&](HostId a, HostId b) {
    for (std::uint32_t d = 0; d < coordinates.dimensions(); ++d) {
      const std::uint32_t x = coordinates.of(NodeId{a.value}, d);
      const std::uint32_t y = coordinates.of(NodeId{b.value}, d);
      if (x != y) return x < y;
    }
    return false;
  });
  return chain;
}

}  // namespace wormcast

// Worms whose routers choose, sort by sort: what finds verdicts on them and what checks these begin with.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "multicast/legs.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {

/// Worms of one sort: the legs of which they consist, and the routing function that joins the legs' ends.
struct RelationTraffic {
  const RoutingFunction* routing = nullptr;
  std::vector<Leg> legs;
  bool routers_choose = true;            ///< virtual channels; false: worms take those of their class
  bool each_from_its_first_leg = false;  ///< only legs that go on from nothing start a worm
  std::uint32_t vc_offset = 0;           ///< added to every virtual channel
};

}  // namespace wormcast

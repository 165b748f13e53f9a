// Whether routes can be simulated under a router model, and within the cycles that records state.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "multicast/routes.hpp"
#include "router/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// What the worms of routes ask for.
struct RouteNeeds {
  std::uint32_t consumption_hops = 0;  ///< consumption channels that they take
  Cycle latest_request = 0;            ///< the latest cycle that a request is held back to
};

/// Throws InputError for a worm of routes that check_routes() accepts if it would take one resource of
/// the model twice (the consumption channel of a node, say, where there is one for all inputs), and for
/// routes whose worms are routed on the way.
RouteNeeds check_simulable(const Resources& resources, const Routes& routes);

// No cycle that a run can come to, and no number of flits that it moves, exceeds what records state. A worm
// that waits waits for a worm that does not, or is part of a deadlock, in which time stops. So the run
// ends at the latest when all worms, one after the other from the last start on, have each taken as long as
// they do alone, and a worm of L flits over d hops takes no more than (L + 1) · (d + 1) times all that a flit
// can need for a hop, and its startup. The sum of that over the worms also bounds the flits they move over
// hops. Waits and latencies are not bounded by it, since many worms wait at once: the ledger, which adds them
// up, looks after those. Cost: a few instructions a worm.
class TimeBound {
 public:
  /// Both must outlive this.
  TimeBound(const Topology& topology, const RouterModel& model);

  /// Counts the worms in, whose requests are held back to `latest_request` at the most; throws InputError,
  /// on the length, where the run could come to a cycle beyond 2^53 − 1, which records do not state.
  void add(const Routes& routes, Cycle latest_request);
  /// No event of a run with these worms comes later.
  Cycle last() const { return latest_ + busy_; }

 private:
  std::uint64_t slowest_hop(const WormRoute& worm) const;

  const Topology& topology_;
  const RouterModel& model_;
  bool uniform_;               ///< Topology::uniform_hop_cycles()
  std::uint64_t startup_;      ///< the longest of all worms
  std::uint64_t besides_hop_;  ///< all that a flit can need for a hop, without the hop itself
  Cycle latest_ = 0;           ///< start of any worm, or of a request that its route holds back
  Cycle busy_ = 0;             ///< Σ over the worms: cycles alone, at the most
};

/// How many virtual channels the routes of a segment use, and whether the network offers more: these stay
/// idle in routers that do not allocate and, in others, if no routing function says which a worm may take.
class VirtualChannelsUsed {
 public:
  void begin_segment(const Topology& topology) {
    used_ = 0;
    offered_ = topology.spec().virtual_channels;
  }
  void add(const Routes& routes) {
    if (used_ >= offered_) return;
    for (const WormRoute& worm : routes.worms)
      for (const RouteHop& hop : worm.hops)
        if (hop.is_channel()) used_ = std::max(used_, hop.vc + 1);
  }
  /// In words; empty: none is, or it has been said of another segment.
  std::string unused(const Topology& topology);

 private:
  std::uint32_t used_ = 0;
  std::uint32_t offered_ = 0;  ///< 0: as many as are used
  bool told_ = false;
};

}  // namespace wormcast

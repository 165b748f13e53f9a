// A witness replayed: which worms must have come to rest before others start, then flit by flit.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checks/plain_worm.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/routes.hpp"
#include "router/explored_worm.hpp"
#include "router/router_model.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

// Which worms of a witness must have reached a node before others of it can have started. A worm starts when
// the worm it is `after` has arrived at its source, the first worms of a multicast when all that it depends
// on have. From each worm of the witness all arrivals that it needs are followed back; where one of them is
// another worm's of the witness, that must have left the network there, though it is blocked elsewhere, and
// it must have been blocked there before.

/// What a witness's worm is granted when it is refused only what it waits for, and keeps of that.
struct AtRest {
  /// `claim` must outlive this. `behind`: it may stand in a FIFO behind another worm.
  AtRest(const Topology& topology, const RouterModel& model, const WitnessWorm& claim, bool behind = true);
  /// True if its tail has left the network at `host`.
  bool has_arrived(HostId host) const;

  const WormRoute& route;
  std::uint64_t flits;  ///< header flits included
  PlainWorm worm;
  std::vector<bool> granted;  ///< by position
  PlainWorm::Rest rest;
};

class WitnessArrivals {
 public:
  /// Notes what waits for what in a multicast of the segment. Memory: a few words a hop of those with waits.
  void add(const Routes& routes);

  struct Order {
    std::string fault;                                ///< a worm waits for another to arrive that is blocked
    std::vector<std::vector<std::uint32_t>> earlier;  ///< by worm: those that came to stand before it started
    bool through_others = false;                      ///< a worm that is not named runs between two of them

    /// True if the worms stand in such an order, and nothing has to run between them.
    bool as_listed() const;
    bool any() const;
  };
  /// `at_rest` are the worms of `witness`, in its order.
  Order order(const std::vector<WitnessWorm>& witness, const std::vector<AtRest>& at_rest) const;

 private:
  struct Relations {
    HostId source;
    std::vector<std::uint64_t> depends_on;
    std::vector<std::int32_t> after;                        ///< by worm
    std::vector<HostId> sources;                            ///< by worm
    std::vector<std::pair<HostId, std::uint32_t>> arrives;  ///< at which nodes, which worms
  };
  using Arrival = std::pair<WormRef, HostId>;

  std::vector<Arrival> needed(const WormRef& worm, const std::vector<WitnessWorm>& witness) const;

  std::map<std::uint64_t, Relations> relations_;  ///< by id
};

// Worms run flit by flit (flit_run.hpp), in a given order of starts or all orders of requests: checks of
// witnesses and of unreachable deadlocks.

/// True if worms that start one after the other, each when those before have come to rest, and that make the
/// requests of their hops in `late` (by worm) only when all are in place, are blocked for good.
bool blocked_in_turn(const Topology& topology, const RouterModel& model,
                     const std::vector<ExploredWorm>& worms,
                     const std::vector<std::vector<std::int32_t>>& late);

struct AllOrders {
  bool deadlock = false;   ///< some order of requests ends in one
  bool exhausted = false;  ///< every order has been followed to its end
};

/// Follows every order of requests, until one ends in a deadlock or `limit` states have been looked at.
AllOrders try_all_orders(const Topology& topology, const RouterModel& model,
                         const std::vector<ExploredWorm>& worms, std::uint64_t limit);

/// True if the worms of a witness, by the very hops that it states, are blocked for good when they are run
/// flit by flit as it says: one after the other, and what they wait for asked for last.
bool blocked_as_recorded(const Topology& topology, const RouterModel& model,
                         const std::vector<WitnessWorm>& witness);

}  // namespace wormcast

// A witness replayed: which worms must have come to rest before others start, then flit by flit.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checks/checked_verdict.hpp"
#include "checks/flit_run.hpp"
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

class WitnessArrivals {
 public:
  /// Notes what waits for what in a multicast of the segment. Memory: a few words a hop of those with waits.
  void add(const Routes& routes);

  struct Order {
    /// By worm: those that came to stand before it started, and the nodes at which they arrived.
    std::vector<std::vector<std::pair<std::uint32_t, HostId>>> earlier;
    bool through_others = false;  ///< a worm that is not named runs between two of them

    /// True if the worms stand in such an order, and nothing has to run between them.
    bool as_listed() const;
    bool any() const;
  };
  Order order(const std::vector<WitnessWorm>& witness) const;

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

struct AllOrders {
  bool deadlock = false;   ///< some order of requests ends in one
  bool exhausted = false;  ///< every order has been followed to its end
};
/// Which deadlocks are looked for; empty: any.
using WantedEnd = std::function<bool(const FlitRun& run, const FlitRun::State& end)>;
/// Follows every order of requests, until one ends in a deadlock or `limit` states have been looked at.
AllOrders try_all_orders(const Topology& topology, const RouterModel& model,
                         const std::vector<ExploredWorm>& worms, std::uint64_t limit,
                         const WantedEnd& wanted = nullptr);

/// The worms of a witness run flit by flit: whether they end as it says.
class WitnessRuns {
 public:
  /// `witness` must outlive it.
  WitnessRuns(const Topology& topology, const RouterModel& model, const std::vector<WitnessWorm>& witness,
              WitnessArrivals::Order order = {});

  /// Where they start one after the other, each when those before have come to rest, and ask for what they
  /// wait for when all are in place; else in some order of requests, as far as so many states show.
  CheckedVerdict check(std::uint64_t state_limit) const;
  /// Why they do not in turn, nor where they make their requests when the witness says; "" if they do.
  std::string refuse_as_timed() const;
  /// What they wait for in turn they never get.
  bool blocked_in_turn() const;

 private:
  using TimeOf = std::function<std::uint64_t(const FlitRun::Spot&)>;

  std::string take_answer(std::uint32_t w);
  std::string refuse_lists() const;
  std::string refuse_lack(const FlitRun& run) const;
  static bool stands_aside(const WitnessWorm& claim) { return claim.answers && claim.waits.empty(); }
  static FlitRun::State end_of(const FlitRun& run, const TimeOf& time_of);
  FlitRun::State end_in_turn(const FlitRun& run) const;
  std::string refuse_end(const FlitRun& run, const FlitRun::State& end) const;

  const Topology& topology_;
  const RouterModel& model_;
  const std::vector<WitnessWorm>& witness_;
  WitnessArrivals::Order order_;
  std::vector<ExploredWorm> worms_;
  bool answers_;
  std::string fault_;  ///< of the lists by themselves
};

/// True if the worms of a witness, by the very hops that it states, are blocked for good when they run in
/// turn.
bool blocked_as_recorded(const Topology& topology, const RouterModel& model,
                         const std::vector<WitnessWorm>& witness);

}  // namespace wormcast

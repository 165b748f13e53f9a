// Which worms of a witness must have reached a node before others of it can have started.
//
// A worm starts when the worm it is `after` has arrived at its source, the first worms of a multicast when
// all that it depends on have. From each worm of the witness all arrivals that it needs are followed back,
// whoever has to bring them; where one of them is another worm's of the witness, that must have left the
// network there, though it is blocked elsewhere, and it must have come to stand so before. Independent of the
// search.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "deadlock/plain/plain_worm.hpp"
#include "deadlock/verdict.hpp"

namespace wormcast {

/// What a witness's worm is granted when it is refused only what it waits for, and keeps of that.
struct AtRest {
  /// `claim` must outlive this.
  AtRest(const Topology& topology, const RouterModel& model, const WitnessWorm& claim);
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
  /// Notes what waits for what in a multicast of the segment. Memory: a few words a hop of those in which
  /// anything does.
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

}  // namespace wormcast

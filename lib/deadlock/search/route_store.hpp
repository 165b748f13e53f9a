// The distinct routes of a segment, with enough of their worms to build a witness from. A stream of a million
// worms has few distinct routes beside it, and only those matter to the search. Memory is proportional to the
// distinct routes and to the multicasts with relays, each up to a limit; past a limit `complete()` turns
// false, and a search that finds nothing proves nothing. A deadlock found through a multicast whose
// dependencies are not recorded proves nothing either.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "deadlock/verdict.hpp"
#include "multicast/id_set.hpp"
#include "multicast/reply_tracker.hpp"
#include "multicast/routes.hpp"
#include "topology/ids.hpp"

namespace wormcast {

/// How the worms of one multicast wait for others before they start.
struct Relations {
  HostId source;
  std::vector<std::int32_t> after;                               ///< by worm
  std::vector<HostId> sources;                                   ///< by worm
  std::vector<std::pair<std::uint32_t, std::uint32_t>> arrives;  ///< (host, worm that a copy comes by)
  std::vector<std::uint64_t> depends_on;
  // Where nodes are busy until they have answered:
  std::vector<std::uint32_t> routes;       ///< by worm: index in the store
  std::optional<WormRef> answers;          ///< the worm that came with what it answers
  std::vector<std::uint64_t> answered_by;  ///< answers to it
};

class RouteStore {
 public:
  explicit RouteStore(std::size_t limit) : limit_(limit) {}

  /// Counts the worm's route; true if it was not known and has been stored.
  bool add(const WormRoute& route, std::uint64_t flits, WormRef name);
  /// Notes `after` and `depends_on` of a multicast that has any.
  void add_relations(const Routes& routes);
  /// The same of any multicast, with what it answers; its worms' routes are noted as they are added.
  void add_family(const Routes& routes, const std::optional<Answered>& answered);

  const std::vector<StoredRoute>& routes() const { return routes_; }
  /// nullptr for a multicast whose worms wait for none, or that came past the limit.
  const Relations* relations(std::uint64_t multicast) const;
  /// False where the multicast, or one that it depends on, directly or not, came past the limit.
  bool dependencies_known(std::uint64_t multicast) const;
  bool any_relations() const { return !relations_.empty(); }
  bool complete() const { return routes_complete_ && relations_complete_; }
  /// False past the limit of routes; else it was that of multicasts in which worms wait for others to arrive.
  bool routes_complete() const { return routes_complete_; }

 private:
  void note(const Routes& routes);
  void note_route(WormRef name, std::uint32_t index);

  std::size_t limit_;
  std::vector<StoredRoute> routes_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;  ///< indices into routes_
  std::map<std::uint64_t, Relations> relations_;
  IdSet forgotten_;  ///< multicasts that have relations, but came past the limit
  bool routes_complete_ = true;
  bool relations_complete_ = true;
};

}  // namespace wormcast

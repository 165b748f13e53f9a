// Worms and answers that may have to do with each other, explored together.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "deadlock/graph/route_store.hpp"
#include "deadlock/graph/worm_footprint.hpp"
#include "deadlock/search/blocked_set.hpp"
#include "deadlock/search/exploration.hpp"
#include "deadlock/search/search.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Worms that are explored at most, answers and what they answer among them.
inline constexpr std::size_t most_answering_worms = 24;

class AnswerSets {
 public:
  AnswerSets(const RouteStore& store, const std::vector<Footprint>& footprints, const Topology& topology,
             const RouterModel& model, const SearchLimits& limits)
      : store_(store), footprints_(footprints), topology_(topology), model_(model), limits_(limits) {}

  /// True if as many states have been looked at as a search is worth; then nothing is explored any more.
  bool spent() const { return states_ >= limits_.all_states(); }
  /// Whether these multicasts, with what they answer and what answers them, can deadlock. Possible: `result`
  /// has the deadlock. Impossible: they cannot, whatever has come and gone before.
  StartOrder explore(const std::set<std::uint64_t>& multicasts, DeadlockSearchResult& result);
  /// The same of worms of which only the routes are known: some worms of these routes.
  StartOrder explore(const std::vector<BlockedWorm>& set, DeadlockSearchResult& result);

 private:
  /// The worms to explore; nothing if there are too many of them, or if others would have to run in between.
  struct Family {
    std::vector<WormRef> names;
    std::vector<ExploredWorm> worms;
  };
  std::optional<std::set<std::uint64_t>> close(const std::set<std::uint64_t>& multicasts) const;
  std::optional<Family> family(const std::set<std::uint64_t>& multicasts) const;
  bool await(Family& family, std::uint32_t worm, const std::set<std::uint64_t>& multicasts) const;
  bool comes_before_all(std::uint64_t multicast, const std::set<std::uint64_t>& multicasts) const;
  static void complete(const Family& family, std::set<std::uint32_t>& needed);
  void adopt(const Family& family, const Exploration& found, DeadlockSearchResult& result) const;

  const RouteStore& store_;
  const std::vector<Footprint>& footprints_;
  const Topology& topology_;
  const RouterModel& model_;
  SearchLimits limits_;
  std::uint64_t states_ = 0;
  std::set<std::set<std::uint64_t>> impossible_;  ///< multicasts that do not deadlock
};

}  // namespace wormcast

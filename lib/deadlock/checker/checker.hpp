// The deadlock checker: routes in, a verdict out.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "deadlock/check_options.hpp"
#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/graph/route_store.hpp"
#include "deadlock/graph/worm_footprint.hpp"
#include "deadlock/search/search.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/routes.hpp"
#include "topology/resources.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Worms of a stream with answers up to which all is kept to name what its proof leans on.
inline constexpr std::size_t most_kept_worms = 50'000;

/// Checks the worms of one segment, taken as concurrently active in any order and at any time, each
/// once. The topology must outlive it.
class DeadlockChecker {
 public:
  DeadlockChecker(const Topology& topology, const CheckOptions& options);

  /// Throws InputError where a worm takes one resource twice.
  void add(const Routes& routes);
  /// The verdict on everything added so far; its evidence has been checked independently.
  Verdict verdict() const;

 private:
  void keep(const Routes& routes);
  std::vector<std::string> assumptions(Answer answer) const;
  bool knows_what_readies(const std::vector<BlockedWorm>& set) const;
  Verdict judge() const;
  void check_evidence(const Verdict& verdict) const;

  const Topology& topology_;
  CheckOptions options_;
  Resources resources_;
  DependencyGraph graph_;
  RouteStore store_;
  std::optional<ReplyTracker> answers_;  ///< where nodes are busy until they have answered
  // To name what a proof with answers leans on:
  std::vector<Routes> kept_;
  std::size_t kept_worms_ = 0;
  bool any_answers_ = false;
  std::set<std::uint64_t> lengths_;  ///< of worms that take channels, where rings are entered by bubbles
  std::uint64_t multicasts_ = 0;
  std::uint64_t worms_ = 0;
};

}  // namespace wormcast

// The deadlock checker: routes in, a verdict out.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

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

struct CheckOptions {
  RouterModel model;
  /// Every worm as long as this, the model's header flits included, or longer or shorter by a header of its
  /// own; nothing: as the records say.
  std::optional<std::uint64_t> flits;
  SearchLimits limits;
  std::size_t route_limit = 200'000;  ///< distinct routes it keeps
  bool assumptions = false;           ///< a proof names the rules that it leans on
};

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
  bool knows_what_readies(const std::vector<BlockedWorm>& set) const;
  Verdict judge() const;
  void check_evidence(const Verdict& verdict) const;

  const Topology& topology_;
  CheckOptions options_;
  Resources resources_;
  DependencyGraph graph_;
  RouteStore store_;
  std::optional<AnswerBook> answers_;  ///< where nodes are busy until they have answered
  std::uint64_t multicasts_ = 0;
  std::uint64_t worms_ = 0;
};

}  // namespace wormcast

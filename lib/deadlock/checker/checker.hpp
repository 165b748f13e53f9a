// The deadlock checker: routes or a planner in, a verdict out.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/search/search.hpp"
#include "deadlock/verdict.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "multicast/planner.hpp"
#include "multicast/routes.hpp"
#include "router/router_model.hpp"
#include "router/worm_footprint.hpp"
#include "routing/routing_function.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Worms of a stream with answers up to which all is kept to name what its proof leans on.
inline constexpr std::size_t most_kept_worms = 50'000;

/// Why routers that choose are not judged by what stands for them.
inline constexpr const char* classes_overlap =
    "routing functions share out the virtual channels among different numbers of classes, so that worms of "
    "one may take some that those of several classes of another wait for";

/// Checks the worms of one segment, taken as concurrently active in any order and at any time, each
/// once. The topology must outlive it.
class DeadlockChecker {
 public:
  DeadlockChecker(const Topology& topology, const CheckOptions& options);

  /// Throws InputError where a worm takes one resource twice.
  void add(const Routes& routes);
  /// The verdict on everything added so far, once CheckOptions::answer_check has heard of it.
  Verdict verdict() const;

 private:
  class Judge;

  void note_classes(const std::string& routing);
  void refuse_resources_taken_twice(const Footprint& footprint, std::uint32_t worm);
  void keep(const Routes& routes);
  std::vector<std::string> assumptions(Answer answer) const;
  Verdict counted() const;

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
  /// By routing function, where routers choose: how many classes share out the virtual channels.
  std::map<std::string, std::uint32_t> classes_;
  std::uint64_t shortest_ = UINT64_MAX, longest_ = 0;  ///< of worms
  std::uint64_t multicasts_ = 0;
  std::uint64_t worms_ = 0;
  std::vector<std::uint64_t> taken_by_;  ///< by resource: the last worm that takes it, as worms_ counts
};

/// The verdict on these alone.
Verdict check_routes(const Topology& topology, const CheckOptions& options, const std::vector<Routes>& all);

/// What is checked without a rule of the routers that a proof may lean on.
struct Assumption {
  CheckOptions without;    ///< the weaker router: one consumption channel for each node, …
  RelationScope relation;  ///< of all multicasts: the same, or unicasts on the multicasts' virtual channels
};

/// What is said of the worms beside the routers.
struct AssumptionScope {
  bool answers = false;  ///< nodes answer multicasts, whether or not they are busy until they have
  RelationScope relation;
};

/// Of all that a proof under these options could lean on, the likeliest to be wrong of a router first, the
/// names of those without which `proved` no longer says that there is no deadlock. Of one without which the
/// same worms are refused (`proved` throws InputError) nothing is said.
std::vector<std::string> assumptions_of(const Topology& topology, const CheckOptions& options,
                                        const AssumptionScope& scope,
                                        const std::function<bool(const Assumption&)>& proved);

/// Every source and destination set on the planner's topology, any number at once, of any length;
/// `unicast`: together with unicasts between all pairs by that routing function (null: without).
/// Throws InputError where the planner does not say what it can produce, and for a length beside headers
/// whose length depends on the multicast.
/// Where routers choose, or something waits for replies, it is check_all_relations() that answers.
Verdict check_all_multicasts(const BoundPlanner& planner, const RoutingFunction* unicast,
                             const CheckOptions& options, const RelationScope& relation = {});

/// `verdict`, a deadlock of these routes, with the witness of a smallest or minimal set in place of its
/// own, and `shrunk` filled in. `subset_limit`: subsets looked at to show that no smaller one deadlocks.
Verdict shrink(const Topology& topology, const CheckOptions& options, const std::vector<Routes>& routes,
               Verdict verdict, std::uint64_t subset_limit);

/// Looks among sets that are drawn for a deadlock of multicasts on routes of their own together with unicasts
/// whose routers choose; puts it into `result`, one of multicasts alone as `of_multicasts`, the verdict on
/// these.
void find_mixed_deadlock(const BoundPlanner& planner, const RoutingFunction& unicast,
                         const CheckOptions& options, Verdict of_multicasts, Verdict& result);

}  // namespace wormcast

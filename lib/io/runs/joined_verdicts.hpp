// Verdicts on segments with reductions: what is proved of them, and standstills that runs of them end in.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "deadlock/check_options.hpp"
#include "deadlock/checker/segment_check.hpp"
#include "deadlock/independent/verdict_check.hpp"
#include "deadlock/joined_worms.hpp"
#include "deadlock/search/join_exploration.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/planner.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/routes.hpp"
#include "routing/routing_function.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

// Runs of a segment with reductions in the simulator, with starts of our own: what stands still, and how.

class JoinRuns {
 public:
  JoinRuns(const Topology& topology, const RouterModel& model) : topology_(topology), model_(model) {}

  /// Whether they stand still when they start so; then witness() says how. False, too, for more flits in all
  /// runs than are simulated.
  bool stand_still(const std::vector<Routes>& messages, const JoinStarts& starts);
  /// Starts of up to three messages one behind the other, then drawn ones; true with the first that stand
  /// still. Ends without one, too, once `mixture` has been seen mixed.
  bool search(const std::vector<Routes>& messages, const std::vector<std::uint64_t>& mixture = {});
  /// Leaves out of the last standstill what it does without; what `stays` says stays.
  void leave_out(const std::function<bool(const Request&)>& stays);

  const std::vector<WitnessWorm>& witness() const { return witness_; }
  const std::vector<Routes>& replayed() const { return replayed_; }
  /// The first that ended, with something mixed or interleaved.
  const std::vector<Routes>& shown() const { return shown_; }
  std::uint64_t runs() const { return runs_; }
  /// What was seen in runs, as Summary has it, each with the starts of the first.
  using Seen = std::map<std::vector<std::uint64_t>, std::vector<MessageStart>>;
  Seen mixed, interleaved;

 private:
  std::int32_t hop_of(const Request& request, const WormRoute& route, ResourceId resource) const;

  const Topology& topology_;
  RouterModel model_;
  std::vector<WitnessWorm> witness_;
  std::vector<Routes> replayed_, shown_;  ///< in the order of their starts
  std::uint64_t runs_ = 0, spent_ = 0;    ///< and flits in them
};

class JoinedVerdict {
 public:
  explicit JoinedVerdict(SegmentCheckOptions options) : options_(std::move(options)) {}

  void begin_segment();
  /// True once the segment has a reduction: then no other check takes what it holds. Throws InputError for
  /// more messages than are kept.
  bool add(const Routes& routes);
  bool any() const { return reductions_; }
  /// Throws InputError for routers, or with options, for which nothing is argued.
  Verdict verdict(const Topology& topology) const;
  /// Throws InputError for routers of which nothing is argued.
  void refuse_router(const Topology& topology) const;
  /// Whether the simulator stands still with the verdict's witness, and as it says.
  CheckedVerdict check_witness(const Verdict& verdict, const Topology& topology) const;
  /// Whether a verdict on the segment holds; its model is that of the options.
  CheckedVerdict check(const Verdict& verdict, const Topology& topology) const;

 private:
  void refuse_options(const Topology& topology) const;
  Verdict counted() const;
  void show_mixtures(const JoinedWorms& worms, JoinRuns& runs, const JoinExploration* all,
                     Verdict& result) const;
  std::string refuse_mixtures(const Verdict& verdict, const Topology& topology, const JoinedWorms& worms,
                              const JoinExploration* all) const;
  bool start(JoinRuns& runs, const std::vector<MessageStart>& starts) const;

  SegmentCheckOptions options_;
  std::vector<Routes> messages_;
  SharedPlanner planner_;
  bool reductions_ = false;
  bool too_many_ = false;
};

// Verdicts on all reductions that a planner can make, alone and beside all unicasts of a routing function.

/// Reductions are planned by the routing function whose routes are those of the default run backwards, as
/// plan-multicast does, where none is named.
BoundPlanner bind_for_reductions(const PlannerChoice& choice, const Topology& topology,
                                 std::string_view routing);

/// `unicast` may be null. Throws InputError for routers of whose joins nothing is argued.
Verdict check_all_reductions(const BoundPlanner& planner, const RoutingFunction* unicast,
                             const CheckOptions& options);

inline bool speaks_of_reductions(const Verdict& verdict) {
  return verdict.scope.starts_with("all reductions of ");
}
CheckedVerdict check_reductions_verdict(const Topology& topology, const Verdict& verdict);

}  // namespace wormcast::io

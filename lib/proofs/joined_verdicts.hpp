// Verdicts on segments with reductions.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "checks/verdict_check.hpp"
#include "deadlock/checker/checker.hpp"
#include "deadlock/search/search.hpp"
#include "deadlock/verdict.hpp"
#include "deadlock/worms/joined_worms.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/routes.hpp"
#include "proofs/join_runs.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Verdicts on segments with reductions: what is proved of them, and standstills that runs of them end in.
class JoinedVerdict {
 public:
  explicit JoinedVerdict(SegmentCheckOptions options) : options_(std::move(options)) {}

  void begin_segment();
  /// True once the segment has a reduction: then no other check takes what it holds. Throws InputError for
  /// more messages beside one than are kept.
  bool add(const Routes& routes);
  /// Takes a message that comes from no record.
  void keep(const Routes& routes);
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

  SegmentCheckOptions options_;
  std::vector<Routes> messages_;
  SharedPlanner planner_;
  std::size_t count_ = 0;
  bool reductions_ = false;
};

}  // namespace wormcast

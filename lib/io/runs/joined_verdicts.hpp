// Verdicts on segments with reductions: what is proved of them, and standstills that runs of them end in.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "deadlock/checker/segment_check.hpp"
#include "deadlock/independent/verdict_check.hpp"
#include "deadlock/joined_worms.hpp"
#include "deadlock/verdict.hpp"
#include "io/runs/join_runs.hpp"
#include "multicast/routes.hpp"
#include "multicast/shared_planner.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

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

}  // namespace wormcast::io

// The verdict on one segment of a stream: routes or forwarding tables, with what was asked for besides.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "deadlock/checker/checker.hpp"
#include "deadlock/checker/suggest.hpp"
#include "deadlock/independent/segment_worms.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/routes.hpp"
#include "routing/forwarding_tables.hpp"
#include "topology/topology.hpp"

namespace wormcast {

struct SegmentCheckOptions {
  CheckOptions check;
  bool shrink = false;                                 ///< a deadlock to the fewest multicasts
  std::uint64_t subset_limit = 20'000;                 ///< sets looked at to show that there are no fewer
  bool suggest = false;                                ///< changes that exclude the deadlock
  std::string change{};                                ///< routes are wanted as this one leaves them
  std::function<void(const SuggestionTrial&)> tell{};  ///< hears of each change that is tried
  bool witness = false;                                ///< a stream that replays it is wanted
  bool list_dependencies = false;                      ///< of tables
};

class SegmentCheck {
 public:
  SegmentCheck(const SegmentCheckOptions& options, std::shared_ptr<const Topology> topology);

  /// To shrink and to suggest, all routes are kept: throws InputError beyond ten times as many worms as
  /// distinct routes are kept of any stream.
  void add(const Routes& routes);
  void add(const RouterTable& table);
  /// Throws InputError where the segment holds what cannot be checked together or as asked for.
  Verdict verdict() const;
  /// The routes under `change`, one of those that are suggested. Throws InputError where there is none.
  std::vector<Routes> changed() const;

 private:
  void refuse_mixture() const;

  const SegmentCheckOptions& options_;
  std::shared_ptr<const Topology> topology_;
  DeadlockChecker checker_;
  SegmentWorms on_the_way_;  ///< worms that routers route
  ForwardingTables tables_;
  bool any_routes_ = false;
  SharedPlanner planner_;
  std::vector<Routes> kept_;
  std::uint64_t kept_worms_ = 0;
};

}  // namespace wormcast

// Verdicts on whole segments of a stream and on planners, by whichever strategy says something of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deadlock/checker/checker.hpp"
#include "deadlock/checker/suggest.hpp"
#include "deadlock/programs/program_suggest.hpp"
#include "deadlock/verdict.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "multicast/plan.hpp"
#include "multicast/planner_choice.hpp"
#include "multicast/routes.hpp"
#include "programs/program.hpp"
#include "router/router_model.hpp"
#include "routing/forwarding_tables.hpp"
#include "routing/routing_function.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// The messages of a segment as they come, kept for what is judged of all of them at once: segments with
/// reductions, and routers that allocate virtual channels.
class SegmentMessages {
 public:
  /// `all`: messages are kept that nothing here needs.
  SegmentMessages(const Topology& topology, const RouterModel& model, bool all = false)
      : topology_(topology), model_(model), all_(all) {}

  /// Throws InputError for more messages than are kept, and for routes that allocating routers have no
  /// virtual channels for.
  void add(const Routes& routes);
  bool empty() const { return count_ == 0; }
  /// Whether a reduction has come: then no check of multicasts takes what the segment holds.
  bool reduces() const { return reduces_; }
  /// All, where they are asked for, reduce, or the routers allocate virtual channels.
  const std::vector<Routes>& kept() const { return kept_; }
  const Plan& planned_by() const { return planner_.common(); }

 private:
  const Topology& topology_;
  RouterModel model_;
  bool all_;
  std::vector<Routes> kept_;
  SharedPlanner planner_;
  std::uint64_t count_ = 0;
  bool reduces_ = false;
  std::string routing_name_;  ///< of the routes added last
  std::unique_ptr<const RoutingFunction> routing_;
};

struct SegmentCheckOptions {
  CheckOptions check;
  bool shrink = false;                  ///< a deadlock to the fewest multicasts
  std::uint64_t subset_limit = 20'000;  ///< sets looked at to show that there are no fewer
  bool suggest = false;                 ///< changes that exclude the deadlock
  std::string change{};                 ///< routes are wanted as this one leaves them
  TrialListener tell{};
  bool witness = false;            ///< a stream that replays it is wanted
  bool list_dependencies = false;  ///< of tables
};

/// The verdict on one segment of a stream: routes or forwarding tables, with what was asked for besides.
class SegmentCheck {
 public:
  SegmentCheck(const SegmentCheckOptions& options, std::shared_ptr<const Topology> topology);

  /// To shrink and to suggest, all routes are kept: throws InputError beyond ten times as many worms as
  /// distinct routes are kept of any stream. So it does for networks and routers that are not simulated.
  void add(const Routes& routes);
  void add(const RouterTable& table);
  /// From here on routes are flows of the program. `place`: where its record stands, for messages.
  void add(const Program& program, const std::string& place);
  /// Throws InputError where the segment holds what cannot be checked together or as asked for.
  Verdict verdict() const;
  /// The routes under `change`, one of those that are suggested. Throws InputError where there is none.
  std::vector<Routes> changed() const;
  /// The tables likewise.
  std::vector<RouterTable> changed_tables() const;
  bool any_tables() const { return !tables_.empty(); }
  ChangedProgram changed_program() const;
  bool any_program() const { return program_.has_value(); }

 private:
  void refuse_mixture() const;
  Verdict on_routes() const;
  Verdict on_program() const;

  SegmentCheckOptions options_;
  CheckOptions judged_;  ///< what stands for the routers
  std::shared_ptr<const Topology> topology_;
  SegmentMessages messages_;
  DeadlockChecker checker_;
  SegmentWorms on_the_way_;  ///< worms that routers route
  ForwardingTables tables_;
  std::vector<RouterTable> kept_tables_;  ///< where suggestions are asked for
  bool any_hops_ = false;
  std::uint64_t kept_worms_ = 0;
  std::optional<Program> program_;
  std::string program_place_;
  std::vector<Routes> flows_;
};

/// What is checked in place of a stream's routes.
struct PlannerScope {
  std::string planners;      ///< separated by commas, each perhaps with options of its own; empty: routes
  std::string routing;       ///< of the planners; empty: each one's first
  std::string with_unicast;  ///< routing function of unicasts beside them; empty: none
  std::string depends;       ///< REQUEST:REPLY, each multicasts or unicasts; empty: no node waits for replies
  std::uint32_t unicast_vc = 0;  ///< first virtual channel of the unicasts
  bool reductions = false;       ///< of their multicasts run backwards
  bool suggest = false;          ///< changes that make it safe are looked for where it is not
  TrialListener tell{};          ///< hears of these
};

/// Throws InputError for what --depends does not say.
RelationScope relation_of(const PlannerScope& scope);

/// Calls take(verdict) for each of the planners. Throws InputError where nothing can be said of one.
void judge_planners(const PlannerScope& scope, const RelationScope& relation, const CheckOptions& options,
                    const Topology& topology, const std::function<void(Verdict)>& take);

}  // namespace wormcast

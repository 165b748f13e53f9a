// Whether verdicts hold, whatever they are about and whichever strategy found them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checks/verdict_check.hpp"
#include "deadlock/verdict.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "multicast/routes.hpp"
#include "programs/program.hpp"
#include "proofs/strategy.hpp"
#include "routing/forwarding_tables.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Takes the routes or tables of a segment and checks a verdict on either. Topology and verdict must outlive
/// it.
class SegmentVerification {
 public:
  SegmentVerification(const Topology& topology, const Verdict& verdict, std::uint64_t state_limit);

  void add(const Routes& routes);
  void add(const RouterTable& table);
  void add(const Program& program) { program_ = program; }
  /// `unrouted`: pairs of nodes that the segment says have no routes.
  CheckedVerdict finish(std::uint64_t unrouted);

 private:
  CheckedVerdict check();
  CheckedVerdict check_tables() const;

  const Topology& topology_;
  const Verdict& verdict_;
  std::uint64_t state_limit_;
  Verdict judged_;  ///< of what stands for the routers
  SegmentMessages messages_;
  std::optional<VerdictCheck> check_;  ///< of routes
  SegmentWorms on_the_way_;
  ForwardingTables tables_;
  std::optional<Program> program_;
  std::vector<Routes> flows_;
  bool any_routes_ = false, any_hops_ = false;
};

/// The same of a verdict on all multicasts or reductions of a planner.
CheckedVerdict verify_on_planner(const Topology& topology, const Verdict& verdict, std::uint64_t state_limit);

}  // namespace wormcast

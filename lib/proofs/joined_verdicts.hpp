// Verdicts on segments with reductions: what is proved of them, and deadlocks that runs of them end in.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "checks/checked_verdict.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/plan.hpp"
#include "multicast/routes.hpp"
#include "proofs/strategy.hpp"
#include "router/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// What is judged: the messages with the lengths that they have in the stream, and what they share.
struct JoinedSegment {
  const Topology& topology;
  const SegmentCheckOptions& options;
  std::vector<Routes> messages;
  Plan planned_by;
};

/// Throws InputError for routers, or with options, for which nothing is argued.
Verdict judge_joined(JoinedSegment segment);
/// Whether a verdict on the segment holds; its model is that of the options.
CheckedVerdict check_joined(const Verdict& verdict, JoinedSegment segment);

/// Throws InputError for routers of whose joins nothing is argued.
void refuse_router_of_joins(const Topology& topology, const RouterModel& model);
/// Whether the simulator ends in the deadlock of the verdict's witness, and as it says.
CheckedVerdict run_joined_witness(const Topology& topology, const Verdict& verdict,
                                  const std::vector<Routes>& messages);

}  // namespace wormcast

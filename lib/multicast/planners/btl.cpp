// BTL: a horizontal main path (HMP), then the columns upwards and downwards from it.
//
// The HMP runs from the source over all columns with destinations. M1 is the half of the rows that
// the source reaches without a wrap link (upwards from a source in the lower half, else downwards;
// floor(m/2) rows besides its own), M2 the rest, reached the other way round through the wrap link.
// Every node of the HMP sends one worm into each half where its column has destinations. All
// destinations are covered once: each is on the HMP or in exactly one half of a column that the HMP
// crosses, and those on the HMP are delivered by the first message only.
//
// What is not as printed. Algorithm 1 takes the longer of the two HMPs (Rdist >= Ldist), which Figures
// 6 to 8 do not support: the shorter is meant. Algorithm 2 counts rows to n − 1 for m − 1, and its loop
// "i = 0 to y − floor(m/2) − 1 step −1" runs zero times, so those rows get no message. R_BTL, equation
// (2), sends about one vertical list in ten the wrong way round even with n read as m; here the half
// of a row decides. `literal` runs what can be run as printed, the longer HMP; with the rest as printed
// destinations are missed or worms turn round, so that stays corrected.
//
// Deadlock: one multicast never blocks itself, but Theorem 1 does not hold for several. M1 and M2
// are disjoint while main paths share the rings of rows, and the two virtual channels by message
// (vc-rule=printed) leave those rings closed, as one does (single). With a dateline on the rows, and M1
// on VC0 and M2 on VC1 in the columns, where only M2 wraps, the dependency graph is acyclic; so it is
// where each of two main path messages has a dateline of its own (dateline-by-message).
// Cost: O(k log k). cite: Hamed, El-Sayed, BTL, sections 3 and 4.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "multicast/building_blocks/two_phase.hpp"
#include "multicast/planner.hpp"
#include "topology/error.hpp"

namespace wormcast::planner_btl {
namespace {

constexpr std::array<PlannerParameter, 5> parameters = {{
    {"vc-rule",
     {"dateline", "printed", "single", "dateline-by-message"},
     "dateline: no ring of channels closes; printed: VC by half of the torus, single: one VC, both can "
     "deadlock; dateline-by-message: rows with a dateline for each main path message (4 VCs)"},
    source_column_parameter,
    {"hmp-messages", {"1", "2"}, "main path worms: one that serves both halves, or one for each half"},
    {"literal", {"no", "yes"}, "yes: the longer main path, as printed; the rest cannot be run as printed"},
    relay_parameter,
}};

/// Virtual channels of the main path that serves M1 (`first`), or M2 where that has one of its own.
RingClass main_class(const PlanningContext& context, bool first) {
  const std::string_view rule = context.option("vc-rule");
  if (rule == "single") return RingClass::first;
  if (rule == "printed") return first ? RingClass::first : RingClass::second;
  return rule == "dateline-by-message" && !first ? RingClass::second_dateline : RingClass::dateline;
}

RingClass cross_class(const PlanningContext& context, bool first) {
  return first || context.option("vc-rule") == "single" ? RingClass::first : RingClass::second;
}

std::shared_ptr<const PlannerData> prepare(const PlanningContext& context) {
  const bool one_main = context.option("hmp-messages") != "2";
  return require_channels(context, {main_class(context, true), main_class(context, one_main),
                                    cross_class(context, true), cross_class(context, false)});
}

std::uint32_t main_messages(const PlanningContext& context) {
  const std::uint32_t count = context.option("hmp-messages") == "2" ? 2 : 1;
  if (branches(context) && context.option("vc-rule") == "printed" && count == 1)
    throw InputError("--relay",
                     "one tree has one VC rule: vc-rule=printed needs one for each half (hmp-messages=2)");
  return count;
}

/// The destinations of a column in M1 (`first`) or M2, as distances from the main path.
std::vector<std::uint32_t> half_of(const TorusView& view, const TorusColumn& column, bool first) {
  const bool m1_positive = m1_is_positive(view.source_cross, view.cross_size);
  const std::uint32_t m = view.cross_size;
  std::vector<std::uint32_t> distances;
  for (const std::uint32_t offset : column.crosses) {
    const std::uint32_t towards_m1 = m1_positive ? offset : m - offset;
    if ((towards_m1 <= m / 2) == first) distances.push_back(first ? towards_m1 : m - towards_m1);
  }
  if (m1_positive != first) std::reverse(distances.begin(), distances.end());
  return distances;
}

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  const Grid& grid = *context.topology.grid();
  const TorusView view = torus_view(grid, request, 0);
  const MainPath path = main_path(view, context.option("literal") == "yes");
  const std::uint32_t mains = main_messages(context);
  TwoPhase phases;
  for (std::uint32_t i = 0; i < mains; ++i)
    phases.mains.push_back({path.positive, main_class(context, i == 0), {}});
  phases.mains[0].deliveries = deliveries_on(path, view);
  for (const TorusColumn& column : view.columns)
    for (const bool first : {true, false}) {
      CrossArm arm;
      arm.deliveries = half_of(view, column, first);
      if (arm.deliveries.empty()) continue;
      arm.main_arm = first ? 0 : mains - 1;
      arm.distance = distance_on(path, view, column);
      arm.positive = m1_is_positive(view.source_cross, view.cross_size) == first;
      arm.vc_class = cross_class(context, first);
      phases.crosses.push_back(std::move(arm));
    }
  return two_phase_worms(phases, context, request);
}

/// Every tree from `node` is a part of one with the whole main path, either way round, and whole columns.
void tree_legs(const PlanningContext& context, NodeId node, LegSink& sink) {
  const Grid& grid = *context.topology.grid();
  const std::uint32_t m = grid.dims()[1];
  const std::uint32_t mains = main_messages(context);
  const bool m1_positive = m1_is_positive(grid.coordinate(node, 1), m);
  for (const bool positive : {true, false}) {
    TwoPhase phases;
    for (std::uint32_t i = 0; i < mains; ++i)
      phases.mains.push_back({positive, main_class(context, i == 0), distances_up_to(grid.dims()[0] - 1)});
    for (std::uint32_t distance = 0; distance < grid.dims()[0]; ++distance)
      for (const bool first : {true, false})
        add_cross(phases, {first ? 0 : mains - 1, distance, m1_positive == first, cross_class(context, first),
                           distances_up_to(first ? m / 2 : m - 1 - m / 2)});
    for (const Worm& worm : two_phase_trees(phases, context, HostId{node.value})) sink.part_of(worm);
  }
}

/// Any part of: main paths both ways round, and from each node M1 and M2 of its column.
void legs(const PlanningContext& context, LegSink& sink) {
  const Grid& grid = *context.topology.grid();
  const std::uint32_t m = grid.dims()[1];
  if (branches(context)) {
    for (std::uint32_t node = 0; node < grid.nodes(); ++node) tree_legs(context, NodeId{node}, sink);
    return;
  }
  for (std::uint32_t node = 0; node < grid.nodes(); ++node) {
    for (std::uint32_t i = 0; i < main_messages(context); ++i)
      main_path_legs(context, NodeId{node}, main_class(context, i == 0), sink);
    const bool m1_positive = m1_is_positive(grid.coordinate(NodeId{node}, 1), m);
    arm_leg(context, NodeId{node}, {1, m1_positive, m / 2, cross_class(context, true)}, sink);
    arm_leg(context, NodeId{node}, {1, !m1_positive, m - 1 - m / 2, cross_class(context, false)}, sink);
    source_column_leg(context, NodeId{node}, sink);
  }
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "btl",
    .summary = "two phases: a main path along the row, then both ways along the columns (corrected)",
    .topologies = "2-D torus",
    .cost = "O(k log k)",
    .cite = "Hamed, El-Sayed (BTL)",
    .needs = "copy to the processor on the way; software at relays",
    .parameters = parameters,
    .routings = {"torus-ring"},
    .unsupported = no_plane_torus,
    .plan = plan,
    .legs = legs,
    .prepare = prepare,
};

}  // namespace wormcast::planner_btl

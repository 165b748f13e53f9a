// BTL and T2W: a horizontal main path (HMP), then the columns from it.
//
// The HMP runs from the source over all columns with destinations. BTL: M1 is the half of the rows that
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
// T2W, our reconstruction: only its description in the BTL paper was at hand: the same main path, then
// "vertical paths that branch from one side of the main path", which its Figure 2 draws upwards. So each
// column takes one worm in + direction, up to m − 1 hops long. Nothing is said about virtual channels.
//
// Deadlock: one multicast never blocks itself, but BTL's Theorem 1 does not hold for several. M1 and M2
// are disjoint while main paths share the rings of rows, and the two virtual channels by message
// (vc-rule=printed) leave those rings closed, as one does (single). With a dateline on the rows, and M1
// on VC0 and M2 on VC1 in the columns, where only M2 wraps, the dependency graph is acyclic; so it is
// where each of two main path messages has a dateline of its own (dateline-by-message). T2W's `printed`, as
// `single`, puts every worm on VC0, and then the rings of rows and columns both close; `dateline` on both is
// free of dependency cycles.
// Cost: O(k log k). cite: Hamed, El-Sayed, BTL, sections 2 (on T2W), 3 and 4; Darwish, Radwan, Abd El-Baky,
// Hamed 2010 (T2W).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "multicast/building_blocks/two_phase.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

constexpr PlannerParameter literal_parameter = {
    "literal", {"no", "yes"}, "yes: the longer main path, as printed; the rest cannot be run as printed"};

constexpr PlannerParameter relay_parameter = {
    "relay",
    {"stored", "lock-step", "asynchronous"},
    "stored: columns start after full reception; else the main worm branches into them, copied so",
    false};

/// Whether the main path goes + from the source: the shorter way round, + on a tie; `literal`: the longer,
/// as printed.
bool goes_positive(const TorusView& view, bool literal) {
  std::uint32_t right = 0;  // hops to the last column, going +
  std::uint32_t left = 0;
  for (const TorusColumn& column : view.columns)
    if (column.offset != 0) {
      right = column.offset;
      if (left == 0) left = view.main_size - column.offset;
    }
  return literal ? right >= left : right <= left;
}

/// Both main paths from `node`: the shorter way round to the last column with destinations, which may be the
/// last node but one of the ring (+) or one less (−); literal: the longer.
void main_path_legs(const PlanningContext& context, NodeId node, RingClass vc_class, LegSink& sink) {
  const std::uint32_t n = context.topology.grid()->dims()[0];
  const bool literal = context.option("literal") == "yes";
  if (n < 2) return;
  // A tie goes right: the way left is shorter only where the node before the source needs no visit.
  arm_leg(context, node, {0, true, n - 1, vc_class}, sink);
  arm_leg(context, node, {0, false, literal ? n - 1 : n - 2, vc_class}, sink);
}

/// Worms of one kind into a column, from where the main path crosses it.
struct ColumnSide {
  std::uint32_t main_arm = 0;  ///< whose worm brings the message
  bool positive = true;
  std::uint32_t reach = 0;
  RingClass vc_class = RingClass::first;
};

/// What a planner makes of the options: the virtual channels of its main paths, one for each that there is,
/// and the sides of the columns of a source with coordinate `at` among `size` rows.
struct MainPathScheme {
  std::vector<RingClass> mains;
  std::vector<ColumnSide> (*sides)(const PlanningContext& context, std::uint32_t at, std::uint32_t size);
};

template <MainPathScheme (*scheme_of)(const PlanningContext&)>
std::vector<Worm> plan_main_path(const PlanningContext& context, const Request& request) {
  const TorusView view = torus_view(*context.topology.grid(), request, 0);
  const bool positive = goes_positive(view, context.option("literal") == "yes");
  const auto distance_of = [&](const TorusColumn& column) {
    return positive || column.offset == 0 ? column.offset : view.main_size - column.offset;
  };
  const MainPathScheme scheme = scheme_of(context);
  TwoPhase phases;
  for (const RingClass vc_class : scheme.mains) phases.mains.push_back({positive, vc_class, {}});
  std::vector<std::uint32_t>& deliveries = phases.mains[0].deliveries;
  for (const TorusColumn& column : view.columns)
    if (column.on_ring) deliveries.push_back(distance_of(column));
  std::sort(deliveries.begin(), deliveries.end());
  const std::vector<ColumnSide> sides = scheme.sides(context, view.source_cross, view.cross_size);
  for (const TorusColumn& column : view.columns)
    for (const ColumnSide& side : sides) {
      CrossArm arm{side.main_arm, distance_of(column), side.positive, side.vc_class, {}};
      for (const std::uint32_t offset : column.crosses) {
        const std::uint32_t distance = side.positive ? offset : view.cross_size - offset;
        if (distance <= side.reach) arm.deliveries.push_back(distance);
      }
      if (!side.positive) std::reverse(arm.deliveries.begin(), arm.deliveries.end());
      if (!arm.deliveries.empty()) phases.crosses.push_back(std::move(arm));
    }
  return two_phase_worms(phases, context, request);
}

/// Any part of: main paths both ways round, and from each node the sides of its column. Where worms branch,
/// every tree from a node is a part of one with the whole main path, either way round, and whole columns.
template <MainPathScheme (*scheme_of)(const PlanningContext&)>
void main_path_scheme_legs(const PlanningContext& context, LegSink& sink) {
  const Grid& grid = *context.topology.grid();
  const MainPathScheme scheme = scheme_of(context);
  const bool trees = branches(context);
  for (NodeId node{0}; node.value < grid.nodes(); ++node.value) {
    const std::vector<ColumnSide> sides = scheme.sides(context, grid.coordinate(node, 1), grid.dims()[1]);
    for (const bool positive : {true, false}) {
      if (!trees || !context.topology.has_host(HostId{node.value})) break;
      TwoPhase phases;
      for (const RingClass vc_class : scheme.mains)
        phases.mains.push_back({positive, vc_class, numbers_from(1, grid.dims()[0] - 1)});
      for (std::uint32_t distance = 0; distance < grid.dims()[0]; ++distance)
        for (const ColumnSide& side : sides)
          if (side.reach > 0)
            phases.crosses.push_back(
                {side.main_arm, distance, side.positive, side.vc_class, numbers_from(1, side.reach)});
      for (const Worm& worm : two_phase_trees(phases, context, HostId{node.value})) sink.part_of(worm);
    }
    if (trees) continue;
    for (const RingClass vc_class : scheme.mains) main_path_legs(context, node, vc_class, sink);
    for (const ColumnSide& side : sides)
      arm_leg(context, node, {1, side.positive, side.reach, side.vc_class}, sink);
    source_column_leg(context, node, sink);
  }
}

constexpr std::array<PlannerParameter, 5> btl_parameters = {{
    {"vc-rule",
     {"dateline", "printed", "single", "dateline-by-message"},
     "dateline: no ring of channels closes; printed: VC by half of the torus, single: one VC, both can "
     "deadlock; dateline-by-message: rows with a dateline for each main path message (4 VCs)"},
    source_column_parameter,
    {"hmp-messages", {"1", "2"}, "main path worms: one that serves both halves, or one for each half"},
    literal_parameter,
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

std::shared_ptr<const PlannerData> prepare_btl(const PlanningContext& context) {
  const bool one_main = context.option("hmp-messages") != "2";
  return require_channels(context, {main_class(context, true), main_class(context, one_main),
                                    cross_class(context, true), cross_class(context, false)});
}

/// M1 and M2.
std::vector<ColumnSide> both_halves(const PlanningContext& context, std::uint32_t at, std::uint32_t size) {
  const bool m1_positive = m1_is_positive(at, size);
  const std::uint32_t second_main = context.option("hmp-messages") == "2" ? 1 : 0;
  return {{0, m1_positive, size / 2, cross_class(context, true)},
          {second_main, !m1_positive, size - 1 - size / 2, cross_class(context, false)}};
}

MainPathScheme btl_scheme(const PlanningContext& context) {
  std::vector<RingClass> mains = {main_class(context, true)};
  if (context.option("hmp-messages") == "2")
    mains.push_back(main_class(context, false));
  else if (branches(context) && context.option("vc-rule") == "printed")
    throw InputError("--relay",
                     "one tree has one VC rule: vc-rule=printed needs one for each half (hmp-messages=2)");
  return {std::move(mains), both_halves};
}

constexpr std::array<PlannerParameter, 4> t2w_parameters = {
    {vc_rule_parameter, source_column_parameter, literal_parameter, relay_parameter}};

RingClass t2w_class(const PlanningContext& context) {
  return context.option("vc-rule") == "dateline" ? RingClass::dateline : RingClass::first;
}

std::vector<ColumnSide> upper_sides(const PlanningContext& context, std::uint32_t, std::uint32_t size) {
  return {{0, true, size - 1, t2w_class(context)}};
}

std::shared_ptr<const PlannerData> prepare_t2w(const PlanningContext& context) {
  return require_channels(context, {t2w_class(context)});
}

MainPathScheme t2w_scheme(const PlanningContext& context) { return {{t2w_class(context)}, upper_sides}; }

}  // namespace

extern const Planner planner_btl = {
    .name = "btl",
    .summary = "two phases: a main path along the row, then both ways along the columns (corrected)",
    .topologies = "2-D torus",
    .cost = "O(k log k)",
    .cite = "Hamed, El-Sayed (BTL)",
    .needs = "copy to the processor on the way; software at relays",
    .parameters = btl_parameters,
    .routings = {"torus-ring"},
    .unsupported = no_plane_torus,
    .plan = plan_main_path<btl_scheme>,
    .legs = main_path_scheme_legs<btl_scheme>,
    .prepare = prepare_btl,
};

extern const Planner planner_t2w = {
    .name = "t2w",
    .summary = "two phases: a main path along the row, then up the columns (our reconstruction)",
    .topologies = "2-D torus",
    .cost = "O(k log k)",
    .cite = "Darwish, Radwan, Abd El-Baky, Hamed 2010; our reconstruction from its description in BTL",
    .needs = "copy to the processor on the way; software at relays",
    .parameters = t2w_parameters,
    .routings = {"torus-ring"},
    .unsupported = no_plane_torus,
    .plan = plan_main_path<t2w_scheme>,
    .legs = main_path_scheme_legs<t2w_scheme>,
    .prepare = prepare_t2w,
};

}  // namespace wormcast

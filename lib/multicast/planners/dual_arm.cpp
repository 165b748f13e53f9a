// Dual-arm: both directions of the first ring at once, every ring cut where it pays.
//
// BTL's main path runs one way round over all columns; two arms from the source need not. A plan is a
// cut of the first ring and one of each column: the offsets before the cut are served by the + arm, those
// behind it by the − arm. BTL and T2W are among these plans, so the best of a kind beats both.
//   short: every offset by its shorter way. No two-phase plan has a lower latency: h and v are least for
//          each destination by itself.
//   gap:   every ring cut at its largest gap: least traffic of the family.
//   slack: the latency of short, and among the plans that keep it the least traffic: for each cut of the
//          first ring every column by itself takes the cheapest cut its slack allows.
// Rows first or columns first: the better one (`orientation=best`), by latency then traffic, for gap by
// traffic then latency. Latency weighs a relay's startup as 8 hops (two_phase.hpp).
// Deadlock: worms stay in one ring each, and `dateline` cuts every ring; arms may pass half way round
// in gap and slack, so M1 and M2 are no classes here. `printed` gives the + arms of rows VC0, of columns
// the arms towards M1 VC0 and the others VC1, as BTL does, `single` all arms VC0: closed rings, kept for
// comparison.
// Cost: O(k log k); slack O(columns · (columns log rows + k)) in addition. cite: this project.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <tuple>

#include "multicast/building_blocks/two_phase.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

constexpr std::array<PlannerParameter, 4> dual_arm_parameters = {{
    {"cut",
     {"slack", "short", "gap"},
     "slack: least latency, then least traffic; short: shorter ways; gap: least traffic"},
    {"orientation", {"best", "rows-first", "columns-first"}, "which rings the first phase runs along"},
    vc_rule_parameter,
    source_column_parameter,
}};

/// The + arm serves the first `kept` offsets, the − arm the others.
struct RingCut {
  std::size_t kept = 0;
  std::uint32_t positive = 0;  ///< reach of the + arm, 0 = none
  std::uint32_t negative = 0;

  std::uint32_t channels() const { return positive + negative; }
  std::uint32_t longest() const { return std::max(positive, negative); }
  /// Distance along its arm of an offset of the ring; of the source's, 0.
  std::uint32_t distance(std::uint32_t offset, std::uint32_t size) const {
    return offset <= positive ? offset : size - offset;
  }
};

/// Cut `kept` of a ring of `size` nodes; offsets ascending, in [1, size).
RingCut cut_at(std::span<const std::uint32_t> offsets, std::uint32_t size, std::size_t kept) {
  return {kept, kept == 0 ? 0 : offsets[kept - 1], kept == offsets.size() ? 0 : size - offsets[kept]};
}

/// The cut that cuts the fewest channels among those whose arms reach `limit` at most, ties to the
/// shorter longest arm, then to the fewer offsets on the + arm; with kept > offsets.size() if none does.
RingCut cheapest_cut(std::span<const std::uint32_t> offsets, std::uint32_t size, std::uint64_t limit) {
  RingCut best{offsets.size() + 1, 0, 0};
  for (std::size_t kept = 0; kept <= offsets.size(); ++kept) {
    const RingCut cut = cut_at(offsets, size, kept);
    if (cut.longest() > limit) continue;
    const bool first = best.kept > offsets.size();
    if (first || cut.channels() < best.channels() ||
        (cut.channels() == best.channels() && cut.longest() < best.longest()))
      best = cut;
  }
  return best;
}

/// One cut of the first ring and one of each column (those without cross offsets: an empty one).
struct Cuts {
  RingCut main;
  std::vector<RingCut> columns;
  std::uint64_t traffic = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t latency = std::numeric_limits<std::uint64_t>::max();  ///< hops, relay startup included
};

class Cutter {
 public:
  explicit Cutter(const TorusView& view) : view_(view) {
    for (const TorusColumn& column : view.columns)
      if (column.offset != 0) offsets_.push_back(column.offset);
  }

  Cuts short_ways() const {
    Cuts cuts;
    // Arms up to half way round; an offset half way round by the arm that grows less.
    cuts.main = cheapest_cut(offsets_, view_.main_size, view_.main_size / 2);
    for (const TorusColumn& column : view_.columns)
      cuts.columns.push_back(cheapest_cut(column.crosses, view_.cross_size, view_.cross_size / 2));
    measure(cuts);
    return cuts;
  }

  Cuts gap() const {
    Cuts best;
    std::vector<RingCut> columns;
    for (const TorusColumn& column : view_.columns)
      columns.push_back(cheapest_cut(column.crosses, view_.cross_size, view_.cross_size));
    const std::uint32_t least = cheapest_cut(offsets_, view_.main_size, view_.main_size).channels();
    for (std::size_t kept = 0; kept <= offsets_.size(); ++kept) {
      Cuts cuts;
      cuts.main = cut_at(offsets_, view_.main_size, kept);
      if (cuts.main.channels() != least) continue;
      cuts.columns = columns;
      measure(cuts);
      if (cuts.latency < best.latency) best = std::move(cuts);
    }
    return best;
  }

  Cuts slack() const {
    const std::uint64_t limit = short_ways().latency;
    const std::vector<Prices> prices = price_columns();
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::size_t best_kept = 0;
    for (std::size_t kept = 0; kept <= offsets_.size(); ++kept) {
      const std::uint64_t traffic = price(cut_at(offsets_, view_.main_size, kept), prices, limit);
      if (traffic < least) {
        least = traffic;
        best_kept = kept;
      }
    }
    Cuts cuts;
    cuts.main = cut_at(offsets_, view_.main_size, best_kept);
    for (const TorusColumn& column : view_.columns)
      cuts.columns.push_back(cheapest_cut(
          column.crosses, view_.cross_size,
          column.crosses.empty() ? 0 : limit - relay_startup_hops - distance(cuts.main, column)));
    measure(cuts);
    return cuts;
  }

 private:
  /// (longest arm, fewest channels with arms up to that), ascending in the first, falling in the second.
  using Prices = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  std::uint32_t distance(const RingCut& main, const TorusColumn& column) const {
    return main.distance(column.offset, view_.main_size);
  }

  void measure(Cuts& cuts) const {
    cuts.traffic = cuts.main.channels();
    cuts.latency = 0;
    for (std::size_t i = 0; i < view_.columns.size(); ++i) {
      const TorusColumn& column = view_.columns[i];
      const std::uint64_t along = distance(cuts.main, column);
      cuts.traffic += cuts.columns[i].channels();
      if (column.on_ring) cuts.latency = std::max(cuts.latency, along);
      if (!column.crosses.empty())
        cuts.latency = std::max(cuts.latency, along + relay_startup_hops + cuts.columns[i].longest());
    }
  }

  std::vector<Prices> price_columns() const {
    std::vector<Prices> all;
    for (const TorusColumn& column : view_.columns) {
      Prices cuts;
      for (std::size_t kept = 0; kept <= column.crosses.size(); ++kept) {
        const RingCut cut = cut_at(column.crosses, view_.cross_size, kept);
        cuts.emplace_back(cut.longest(), cut.channels());
      }
      std::sort(cuts.begin(), cuts.end());
      Prices prices;
      for (const auto& cut : cuts)
        if (prices.empty() || cut.second < prices.back().second) prices.push_back(cut);
      all.push_back(std::move(prices));
    }
    return all;
  }

  /// Least traffic with that cut of the first ring and latency up to `limit`; the maximum if none has it.
  std::uint64_t price(const RingCut& main, const std::vector<Prices>& prices, std::uint64_t limit) const {
    constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t traffic = main.channels();
    for (std::size_t i = 0; i < view_.columns.size(); ++i) {
      const TorusColumn& column = view_.columns[i];
      const std::uint64_t along = distance(main, column);
      if (column.on_ring && along > limit) return none;
      if (column.crosses.empty()) continue;
      if (along + relay_startup_hops > limit) return none;
      const std::uint64_t room = limit - along - relay_startup_hops;
      const auto after = std::partition_point(prices[i].begin(), prices[i].end(),
                                              [&](const auto& entry) { return entry.first <= room; });
      if (after == prices[i].begin()) return none;
      traffic += std::prev(after)->second;
    }
    return traffic;
  }

  const TorusView& view_;
  std::vector<std::uint32_t> offsets_;  ///< of the columns besides the source's
};

/// The arms of one ring: its offsets before the cut, and those behind it outwards from the source.
std::vector<std::uint32_t> arm_of(std::span<const std::uint32_t> offsets, std::uint32_t size,
                                  std::size_t kept, bool positive) {
  if (positive) return {offsets.begin(), offsets.begin() + static_cast<std::ptrdiff_t>(kept)};
  std::vector<std::uint32_t> distances;
  for (std::size_t i = offsets.size(); i-- > kept;) distances.push_back(size - offsets[i]);
  return distances;
}

RingClass dual_arm_class(const PlanningContext& context, bool first) {
  const std::string_view rule = context.option("vc-rule");
  if (rule == "dateline") return RingClass::dateline;
  return first || rule == "single" ? RingClass::first : RingClass::second;
}

/// Whether a first phase runs along `main`: nodes of its rings relay.
bool runs_along(const PlanningContext& context, std::uint32_t main) {
  return context.option("orientation") != (main == 0 ? "columns-first" : "rows-first") &&
         hosts_fill_lines(context.topology, main);
}

std::shared_ptr<const PlannerData> prepare_dual_arm(const PlanningContext& context) {
  if (!runs_along(context, 0) && !runs_along(context, 1))
    throw InputError("--orientation", "columns have nodes with hosts and nodes without, which cannot relay");
  return require_channels(context, {dual_arm_class(context, true), dual_arm_class(context, false)});
}

TwoPhase phases_of(const TorusView& view, const Cuts& cuts, const PlanningContext& context) {
  TwoPhase phases;
  phases.main = view.main;
  phases.mains = {{true, dual_arm_class(context, true), {}}, {false, dual_arm_class(context, true), {}}};
  const bool m1_positive = m1_is_positive(view.source_cross, view.cross_size);
  for (std::size_t i = 0; i < view.columns.size(); ++i) {
    const TorusColumn& column = view.columns[i];
    const std::uint32_t main_arm = column.offset <= cuts.main.positive ? 0 : 1;
    const std::uint32_t along = cuts.main.distance(column.offset, view.main_size);
    if (column.on_ring) phases.mains[main_arm].deliveries.push_back(along);
    for (const bool positive : {true, false}) {
      CrossArm cross{main_arm, along, positive, dual_arm_class(context, positive == m1_positive),
                     arm_of(column.crosses, view.cross_size, cuts.columns[i].kept, positive)};
      if (!cross.deliveries.empty()) phases.crosses.push_back(std::move(cross));
    }
  }
  std::reverse(phases.mains[1].deliveries.begin(), phases.mains[1].deliveries.end());
  if (phases.reach(1) > phases.reach(0)) {  // a source with one port starts the longer arm first
    std::swap(phases.mains[0], phases.mains[1]);
    for (CrossArm& cross : phases.crosses) cross.main_arm = 1 - cross.main_arm;
  }
  return phases;
}

std::vector<Worm> plan_dual_arm(const PlanningContext& context, const Request& request) {
  const Grid& grid = *context.topology.grid();
  const std::string_view cut = context.option("cut");
  std::optional<TorusView> best_view;
  Cuts best;
  for (const std::uint32_t main : {0u, 1u}) {
    if (!runs_along(context, main)) continue;
    TorusView view = torus_view(grid, request, main);
    const Cutter cutter(view);
    Cuts cuts = cut == "slack" ? cutter.slack() : cut == "gap" ? cutter.gap() : cutter.short_ways();
    const bool better = cut == "gap"
                            ? std::tie(cuts.traffic, cuts.latency) < std::tie(best.traffic, best.latency)
                            : std::tie(cuts.latency, cuts.traffic) < std::tie(best.latency, best.traffic);
    if (best_view && !better) continue;
    best_view = std::move(view);
    best = std::move(cuts);
  }
  return two_phase_worms(phases_of(*best_view, best, context), context, request);
}

/// Any part of arms both ways along each ring of either phase. short: up to half way round. Else the
/// first ring may be cut anywhere; a column is cut at its largest gap, so its arms leave out a node
/// unless they go half way at most.
void legs_of_dual_arm(const PlanningContext& context, LegSink& sink) {
  const Grid& grid = *context.topology.grid();
  const bool halves = context.option("cut") == "short";
  for (std::uint32_t node = 0; node < grid.nodes(); ++node) {
    for (const std::uint32_t main : {0u, 1u}) {
      if (!runs_along(context, main)) continue;
      const std::uint32_t n = grid.dims()[main];
      const std::uint32_t m = grid.dims()[1 - main];
      const bool m1_positive = m1_is_positive(grid.coordinate(NodeId{node}, 1 - main), m);
      const std::uint32_t cross_reach = halves || m < 4 ? m / 2 : m - 2;
      for (const bool positive : {true, false}) {
        arm_leg(context, NodeId{node},
                {main, positive, halves ? n / 2 : n - 1, dual_arm_class(context, true)}, sink);
        arm_leg(context, NodeId{node},
                {1 - main, positive, cross_reach, dual_arm_class(context, positive == m1_positive)}, sink);
      }
    }
    source_column_leg(context, NodeId{node}, sink);
  }
}

}  // namespace

extern const Planner planner_dual_arm = {
    .name = "dual-arm",
    .summary =
        "two phases: arms both ways along one ring, then along the others, each ring cut where it pays",
    .topologies = "2-D torus",
    .cost = "O(k log k), slack O(columns * k) more",
    .cite = "this project",
    .needs = "copy to the processor on the way; software at relays",
    .parameters = dual_arm_parameters,
    .routings = {"torus-ring"},
    .worms = {.chains = true},
    .unsupported = no_plane_torus,
    .plan = plan_dual_arm,
    .legs = legs_of_dual_arm,
    .prepare = prepare_dual_arm,
};

}  // namespace wormcast

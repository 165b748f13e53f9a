// Two-phase multicast on a 2-D torus: arms along the source's row, then arms along the columns.
//
// First phase: worms run along the ring of the source (its row, or its column where the orientation is
// turned) over every column that holds a destination. Second phase: where they pass, nodes that have
// the whole message send it up and down their columns. Offsets count from the source in the + direction
// of a ring, distances along an arm.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "multicast/legs.hpp"
#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "routing/grid_walk.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// A relay's startup in hops: the paper's 240 ns at 30 ns a hop. Planners that weigh latency use it.
inline constexpr std::uint32_t relay_startup_hops = 8;

/// The destinations of one ring across the first phase's, all at one offset along it.
struct TorusColumn {
  std::uint32_t offset = 0;            ///< along the first ring, in [0, size)
  bool on_ring = false;                ///< its node on the first ring is a destination
  std::vector<std::uint32_t> crosses;  ///< offsets of the others along the column, ascending, ≥ 1
};

/// A request as its source sees it.
struct TorusView {
  std::uint32_t main = 0;            ///< dimension of the first phase
  std::uint32_t main_size = 1;       ///< nodes of the first ring
  std::uint32_t cross_size = 1;      ///< nodes of each column
  std::uint32_t source_cross = 0;    ///< coordinate of the source along its column
  std::vector<TorusColumn> columns;  ///< those with destinations, ascending offset
};

/// `main` = 0: rows first; 1: columns first.
TorusView torus_view(const Grid& grid, const Request& request, std::uint32_t main);

/// One worm of the first phase.
struct MainArm {
  bool positive = true;
  RingClass vc_class = RingClass::dateline;
  std::vector<std::uint32_t> deliveries;  ///< distances of the destinations it serves, ascending
};

/// One worm of the second phase.
struct CrossArm {
  std::uint32_t main_arm = 0;  ///< whose worm brings the message
  std::uint32_t distance = 0;  ///< along that arm; 0 = the source, which needs no relay
  bool positive = true;
  RingClass vc_class = RingClass::dateline;
  std::vector<std::uint32_t> deliveries;  ///< distances, ascending, not empty

  std::uint32_t reach() const { return deliveries.back(); }
};

struct TwoPhase {
  std::uint32_t main = 0;
  std::vector<MainArm> mains;
  std::vector<CrossArm> crosses;

  /// Distance of the last node that main arm `arm` delivers to or relays at; 0 = no worm.
  std::uint32_t reach(std::size_t arm) const;
};

/// The worms: main arms, then the cross arms relay by relay, the longer first. The options vc-rule and
/// source-column of `context` are those of every two-phase planner.
std::vector<Worm> two_phase_worms(const TwoPhase& phases, const PlanningContext& context,
                                  const Request& request);

/// Without relays (option `relay`): a tree for each main arm with the columns behind it, in its VC class.
std::vector<Worm> two_phase_trees(const TwoPhase& phases, const PlanningContext& context, HostId source);
/// True if the option says that main worms branch instead of being relayed.
bool branches(const PlanningContext& context);

/// Whether each line of a grid in that dimension has hosts at all of its nodes, or at none.
bool hosts_fill_lines(const Topology& topology, std::uint32_t dimension);
/// Why two-phase planners do not apply to `topology`, if they do not.
std::optional<std::string> no_plane_torus(const Topology& topology);

/// Whether the half M1 of a column lies in + direction of coordinate `at`: reached without the wrap link.
inline bool m1_is_positive(std::uint32_t at, std::uint32_t size) { return at < (size + 1) / 2; }

/// Two options that all two-phase planners have.
inline constexpr PlannerParameter vc_rule_parameter = {
    "vc-rule",
    {"dateline", "printed", "single"},
    "dateline: no ring of channels closes; printed: VC by half of the torus, single: one VC; both can "
    "deadlock"};
/// For `prepare`: throws InputError where the network has not the virtual channels that one of `classes`,
/// which the planner's vc-rule gives its worms, needs. Returns nothing.
std::shared_ptr<const PlannerData> require_channels(const PlanningContext& context,
                                                    std::initializer_list<RingClass> classes);
inline constexpr PlannerParameter source_column_parameter = {
    "source-column",
    {"at-once", "relayed"},
    "when the source sends into its own column: with the first phase, or after a relay's startup"};

/// Worms of one kind along the ring of `dimension`: they stop at any nodes up to `reach` hops away.
struct ArmKind {
  std::uint32_t dimension = 0;
  bool positive = true;
  std::uint32_t reach = 0;  ///< 0: no worm
  RingClass vc_class = RingClass::dateline;
};

/// The longest worm of that kind from `node`, of which plans take any part.
void arm_leg(const PlanningContext& context, NodeId node, const ArmKind& kind, LegSink& sink);

/// The relay at the source itself, where the option source-column asks for it.
void source_column_leg(const PlanningContext& context, NodeId node, LegSink& sink);

}  // namespace wormcast

// OCMS: the optimal channel multicast star, least traffic over all label-ordered stars.
//
// The two halves of the destinations use disjoint channels and are solved apart. On the
// two-dimensional snake a half takes linear time (run_graph); elsewhere it is a minimum-cost flow
// with as many units as the source has ports on that side (star_flow). Worms are label-monotone, so
// the plan is deadlock-free.
// Beside these stand the report's own matching and table, and a search for stars whose paths share no
// channel (disjoint_pairs, disjoint_sweep).
// Cost: O(k) on 2-D meshes, O(ports · k²) elsewhere.
// cite: Bouchitté, Cohen, Fleury 1997, section 3.
// SPDX-License-Identifier: MIT
#include <array>
#include <limits>

#include "multicast/balanced_pass.hpp"
#include "multicast/disjoint_pairs.hpp"
#include "multicast/disjoint_sweep.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "multicast/run_graph.hpp"
#include "multicast/star_flow.hpp"
#include "multicast/star_half.hpp"
#include "multicast/star_matching.hpp"
#include "multicast/star_search.hpp"
#include "multicast/star_table.hpp"
#include "multicast/worms.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

constexpr std::array<std::string_view, 2> routings = {"label", "label-shortest"};
constexpr std::array<std::string_view, 2> ties = {"none", "longest"};
constexpr std::array<std::string_view, 3> methods = {"fast", "matching", "table"};
constexpr std::array<std::string_view, 2> no_yes = {"no", "yes"};
constexpr std::array<PlannerParameter, 4> parameters = {{
    first_hop_parameter,
    {"tie", ties, "longest: of the stars of least traffic the one with the least longest path"},
    {"method", methods, "the report's own, O(k^3) or O(k^2 N), instead of the fast one; the same traffic",
     false},
    {"edge-disjoint", no_yes, "yes: only stars whose paths share no channel", false},
}};
constexpr std::uint64_t state_limit = 20'000'000;
constexpr std::uint64_t disjoint_state_limit = 500'000;
constexpr std::int64_t any_length = std::numeric_limits<std::int64_t>::max();

Star least_traffic(StarHalf& half, std::string_view method) {
  if (method == "matching") return least_traffic_matching(half);
  if (method == "table") return star_by_table(half, Goal::traffic_first).star;
  return is_plane(half) ? least_traffic_plane(PlaneHalf(half)) : least_traffic_flow(half);
}

/// The least longest path among stars of least traffic: no path can be longer than all of them.
Star then_least_longest(StarHalf& half, Star cheapest) {
  CostedStar star{std::move(cheapest), {}};
  star.cost = cost_of(half, star.star);
  if (is_plane(half)) return least_traffic_within(PlaneHalf(half), star.cost.traffic)->star;
  const SearchResult result = least_traffic_search(half, star.cost.traffic, star, state_limit);
  if (!result.exact)
    throw InputError("destinations", "ocms with --tie longest is not solved within " +
                                         std::to_string(state_limit) + " states");
  return result.best.star;
}

/// The same without shared channels; ties always go to the least longest path.
Star disjoint(StarHalf& half, const Star& cheapest) {
  if (half.ports().size() > 2)
    return disjoint_sweep(half, Goal::traffic_first, any_length, disjoint_state_limit).star;
  return disjoint_pair(half, Goal::traffic_first, cost_of(half, cheapest).traffic).star;
}

void plan_half(const PlanningContext& context, HostId source, std::vector<HostId> destinations, bool up,
               std::vector<Worm>& worms) {
  if (destinations.empty()) return;
  StarHalf half(context, source, std::move(destinations), up, first_hop_option(context));
  Star star = least_traffic(half, context.option("method"));
  const bool tie = context.option("tie") == "longest";
  if (context.option("edge-disjoint") == "yes") {
    if (tie || !is_disjoint(half, star)) star = disjoint(half, star);
  } else if (tie) {
    star = then_least_longest(half, std::move(star));
  }
  append_star(half, star, worms);
}

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  LabelHalves halves = split_by_label(context.topology, request);
  std::vector<Worm> worms;
  plan_half(context, request.source, std::move(halves.up), true, worms);
  plan_half(context, request.source, std::move(halves.down), false, worms);
  append_local(request.source, halves, worms);
  return worms;
}

}  // namespace

extern const Planner planner_ocms;
const Planner planner_ocms = {
    .name = "ocms",
    .summary = "optimal star: least traffic over all label-ordered stars",
    .topologies = "any with Hamiltonian-path labels",
    .cost = "O(k) on 2-D meshes, O(ports * k^2) elsewhere",
    .cite = "Bouchitte, Cohen, Fleury 1997, section 3",
    .needs = "copy to the processor on the way; label routing (free: the source picks the first port)",
    .parameters = parameters,
    .routings = routings,
    .unsupported = no_label_paths,
    .plan = plan,
    .legs = label_legs_by_any_port,
};

}  // namespace wormcast

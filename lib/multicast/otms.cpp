// OTMS: the optimal time multicast star, least longest path over all label-ordered stars.
//
// The two halves are solved apart; each gets the least longest path and, among such stars, the least
// traffic. With --tie traffic the half whose longest path is shorter may use the other's to save
// channels. On the two-dimensional snake by passes under a rising limit (balanced_pass), elsewhere by
// search over the paths' ends and lengths (star_search), which gives up with an error rather than
// return a star that is not proven optimal. Worms are label-monotone: deadlock-free.
// Cost: on 2-D meshes near-linear on average; elsewhere exponential in the number of ports.
// cite: Bouchitté, Cohen, Fleury 1997, section 4.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <limits>

#include "multicast/balanced_pass.hpp"
#include "multicast/disjoint_pairs.hpp"
#include "multicast/disjoint_sweep.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "multicast/star_half.hpp"
#include "multicast/star_search.hpp"
#include "multicast/star_table.hpp"
#include "multicast/worms.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

constexpr std::array<std::string_view, 2> routings = {"label", "label-shortest"};
constexpr std::array<std::string_view, 2> ties = {"none", "traffic"};
constexpr std::array<std::string_view, 2> methods = {"fast", "table"};
constexpr std::array<std::string_view, 2> no_yes = {"no", "yes"};
constexpr std::array<PlannerParameter, 4> parameters = {{
    first_hop_parameter,
    {"tie", ties,
     "traffic: of the stars of least longest path the one of least traffic over both halves together"},
    {"method", methods, "the report's table, O(k^2 N), instead of the fast method; the same longest path",
     false},
    {"edge-disjoint", no_yes, "yes: only stars whose paths share no channel", false},
}};
constexpr std::uint64_t state_limit = 20'000'000;
constexpr std::uint64_t disjoint_state_limit = 500'000;

CostedStar proven(const SearchResult& result) {
  if (result.exact) return result.best;
  throw InputError("destinations", "otms is not solved within " + std::to_string(state_limit) +
                                       " states: the longest path is between " +
                                       std::to_string(result.longest_bound) + " and " +
                                       std::to_string(result.best.cost.longest) + " hops");
}

constexpr std::int64_t any_length = std::numeric_limits<std::int64_t>::max();

CostedStar shortest(StarHalf& half, std::string_view method) {
  if (method == "table") return star_by_table(half, Goal::longest_first);
  return is_plane(half) ? balanced_plane(PlaneHalf(half)) : proven(least_longest_search(half, state_limit));
}

/// The same without shared channels, for the report's open extension.
CostedStar disjoint(StarHalf& half, const CostedStar& shortest_of_all) {
  if (is_disjoint(half, shortest_of_all.star)) return shortest_of_all;
  if (half.ports().size() > 2)
    return disjoint_sweep(half, Goal::longest_first, any_length, disjoint_state_limit);
  return disjoint_pair(half, Goal::longest_first, shortest_of_all.cost.longest);
}

/// The star of least traffic whose longest path is at most `limit`, which `star` keeps.
CostedStar cheapest(StarHalf& half, const CostedStar& star, std::int64_t limit, bool disjoint_only) {
  if (star.cost.longest == limit) return star;
  CostedStar cheaper = is_plane(half) ? *least_traffic_within(PlaneHalf(half), limit)
                                      : proven(least_traffic_search(half, limit, star, state_limit));
  if (!disjoint_only || is_disjoint(half, cheaper.star)) return cheaper;
  if (half.ports().size() > 2) return disjoint_sweep(half, Goal::traffic_first, limit, disjoint_state_limit);
  return disjoint_pair_within(half, limit, star, cheaper.cost.traffic);
}

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  LabelHalves split = split_by_label(context.topology, request);
  std::vector<StarHalf> halves;
  const FirstHop rule = first_hop_option(context);
  if (!split.up.empty()) halves.emplace_back(context, request.source, std::move(split.up), true, rule);
  if (!split.down.empty()) halves.emplace_back(context, request.source, std::move(split.down), false, rule);
  const bool disjoint_only = context.option("edge-disjoint") == "yes";
  std::vector<CostedStar> stars;
  std::int64_t longest = 0;
  for (StarHalf& half : halves) {
    stars.push_back(shortest(half, context.option("method")));
    if (disjoint_only) stars.back() = disjoint(half, stars.back());
    longest = std::max(longest, stars.back().cost.longest);
  }
  std::vector<Worm> worms;
  for (std::size_t i = 0; i < halves.size(); ++i) {
    if (context.option("tie") == "traffic") stars[i] = cheapest(halves[i], stars[i], longest, disjoint_only);
    append_star(halves[i], stars[i].star, worms);
  }
  append_local(request.source, split, worms);
  return worms;
}

}  // namespace

extern const Planner planner_otms;
const Planner planner_otms = {
    .name = "otms",
    .summary = "optimal star: least longest path over all label-ordered stars, then least traffic",
    .topologies = "any with Hamiltonian-path labels",
    .cost = "near-linear on 2-D meshes, exponential in the ports elsewhere",
    .cite = "Bouchitte, Cohen, Fleury 1997, section 4",
    .needs = "copy to the processor on the way; label routing (free: the source picks the first port)",
    .parameters = parameters,
    .routings = routings,
    .unsupported = no_label_paths,
    .plan = plan,
    .legs = label_legs_by_any_port,
};

}  // namespace wormcast

// OTMS: the optimal time multicast star, least longest path over all label-ordered stars.
//
// The two halves are solved apart; each gets the least longest path and, among such stars, the least
// traffic. With --tie traffic the half whose longest path is shorter may use the other's to save
// channels. On the two-dimensional snake by passes under a rising limit (balanced_pass), elsewhere by
// search over the paths' ends and lengths (star_search); where that stops at its limit of states, the
// plan is the best star found and states the bound proven on the optimum. Worms are label-monotone:
// deadlock-free. Cost: on 2-D meshes near-linear on average; elsewhere exponential in the number of
// ports, up to limits of states (some seconds) and bytes.
// cite: Bouchitté, Cohen, Fleury 1997, section 4.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <limits>

#include "multicast/building_blocks/star_half.hpp"
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "multicast/stars/disjoint_stars.hpp"
#include "multicast/stars/snake/snake_stars.hpp"
#include "multicast/stars/star_flow.hpp"
#include "multicast/stars/star_search.hpp"

namespace wormcast::planner_otms {
namespace {

constexpr std::array<PlannerParameter, 3> parameters = {{
    first_hop_parameter,
    {"tie",
     {"none", "traffic"},
     "traffic: of the stars of least longest path the one of least traffic over both halves together"},
    {"edge-disjoint", {"no", "yes"}, "yes: only stars whose paths share no channel", false},
}};
constexpr std::uint64_t state_limit = 20'000'000;
constexpr std::uint64_t disjoint_state_limit = 5'000'000;

constexpr std::int64_t any_length = std::numeric_limits<std::int64_t>::max();

SearchResult proven(const CostedStar& star) { return {star, star.cost, true}; }

SearchResult shortest(StarHalf& half) {
  return is_plane(half) ? proven(balanced_plane(PlaneHalf(half))) : least_longest_search(half, state_limit);
}

/// The same without shared channels, for the report's open extension.
SearchResult disjoint(StarHalf& half, const SearchResult& shortest_of_all) {
  if (is_disjoint(half, shortest_of_all.best.star)) return shortest_of_all;
  if (half.ports().size() > 2) {
    // Of what is proven of all stars: those of least longest path may have more traffic than longer ones.
    const StarCost bound{shortest_of_all.bound.longest, cost_of(half, least_traffic_flow(half)).traffic};
    return disjoint_sweep(half, Goal::longest_first, any_length, single_path(half), bound,
                          disjoint_state_limit);
  }
  return proven(disjoint_pair(half, Goal::longest_first, shortest_of_all.bound.longest));
}

/// The star of least traffic whose longest path is at most `limit`, which `star` keeps.
SearchResult cheapest(StarHalf& half, const SearchResult& known, std::int64_t limit, bool disjoint_only) {
  if (known.best.cost.longest == limit) return known;
  SearchResult cheaper = is_plane(half) ? proven(*least_traffic_within(PlaneHalf(half), limit))
                                        : least_traffic_search(half, limit, known.best, state_limit);
  if (!disjoint_only || is_disjoint(half, cheaper.best.star)) return cheaper;
  if (half.ports().size() > 2)
    return disjoint_sweep(half, Goal::traffic_first, limit, known.best, cheaper.bound, disjoint_state_limit);
  return proven(disjoint_pair_within(half, limit, known.best, cheaper.bound.traffic));
}

std::vector<Worm> plan_stating(const PlanningContext& context, const Request& request, PlanFacts& facts) {
  LabelHalves split = split_by_label(context.topology, request);
  std::vector<StarHalf> halves;
  const FirstHop rule = first_hop_option(context);
  if (!split.up.empty()) halves.emplace_back(context, request.source, std::move(split.up), true, rule);
  if (!split.down.empty()) halves.emplace_back(context, request.source, std::move(split.down), false, rule);
  const bool disjoint_only = edge_disjoint_option(context);
  std::vector<SearchResult> stars;
  StarBounds bounds;
  std::int64_t longest = 0;
  for (StarHalf& half : halves) {
    stars.push_back(shortest(half));
    if (disjoint_only) stars.back() = disjoint(half, stars.back());
    bounds.longest(stars.back());
    longest = std::max(longest, stars.back().best.cost.longest);
  }
  std::vector<Worm> worms;
  for (std::size_t i = 0; i < halves.size(); ++i) {
    if (context.option("tie") == "traffic") stars[i] = cheapest(halves[i], stars[i], longest, disjoint_only);
    bounds.traffic(stars[i]);
    append_star(halves[i], stars[i].best.star, worms);
  }
  append_local(request.source, split, worms);
  bounds.state(facts);
  return worms;
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "otms",
    .summary = "optimal star: least longest path over all label-ordered stars, then least traffic",
    .topologies = "any with Hamiltonian-path labels",
    .cost = "near-linear on 2-D meshes, exponential in the ports elsewhere, up to 20 million states",
    .cite = "Bouchitte, Cohen, Fleury 1997, section 4",
    .needs = "copy to the processor on the way; label routing (free: the source picks the first port)",
    .parameters = parameters,
    .routings = {"label", "label-shortest", "label-adaptive"},
    .worms = {.from_source = true, .chains = true, .different_ports = true},
    .optimum = Optimum::longest_path,
    .unsupported = no_label_paths,
    .legs = label_legs_by_any_port,
    .plan_stating = plan_stating,
    .front = front_of_stars,
};

}  // namespace wormcast::planner_otms

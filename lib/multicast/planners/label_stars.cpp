// OCMS and OTMS: optimal multicast stars over all label-ordered stars.
//
// The two halves of the destinations use disjoint channels and are solved apart. Worms are label-monotone, so
// the plans are deadlock-free.
//
// OCMS, the optimal channel multicast star, has the least traffic. On the two-dimensional snake a half takes
// linear time (stars/snake/least_traffic); elsewhere it is a minimum-cost flow with as many units as the
// source has ports on that side (star_flow). Options ask for stars whose paths share no channel
// (disjoint_pairs, disjoint_sweep) and for stars of which any number of paths leaves by a port
// (unlimited_star). The unit tests hold all of them against the report's own matching and table. Cost: O(k)
// on 2-D meshes, O(ports · k²) elsewhere. With --tie longest and --edge-disjoint, off 2-D meshes: exponential
// in the number of ports, up to limits of states (some seconds) and bytes.
//
// OTMS, the optimal time multicast star: each half gets the least longest path and, among such stars, the
// least traffic. With --tie traffic the half whose longest path is shorter may use the other's to save
// channels. On the two-dimensional snake by passes under a rising limit (balanced_pass), elsewhere by search
// over the paths' ends and lengths (star_search); where that stops at its limit of states, the plan is the
// best star found and states the bound proven on the optimum. Cost: on 2-D meshes near-linear on average;
// elsewhere exponential in the number of ports, up to limits of states (some seconds) and bytes.
//
// The front of longest path and traffic: in each half the least traffic under a limit on the longest path is
// one pass or one search; lowering the limit just below what was found steps down the front. For a limit on
// both halves the least traffic is the sum of theirs. Cost: one pass for each point.
// cite: Bouchitté, Cohen, Fleury 1997, sections 3 and 4; this project (the front).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <limits>

#include "multicast/building_blocks/star_half.hpp"
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/stars/snake/snake_stars.hpp"
#include "multicast/stars/star_search.hpp"
#include "routing/routing_function.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

constexpr PlannerParameter edge_disjoint_parameter = {
    "edge-disjoint", {"no", "yes"}, "yes: only stars whose paths share no channel", false};
constexpr std::uint64_t label_star_limit = 20'000'000;  ///< of states
constexpr std::uint64_t disjoint_star_limit = 5'000'000;

SearchResult proven(const CostedStar& star) { return {star, star.cost, true}; }

/// The best star without shared channels of at most `limit` hops a path; `known` is one, none is below
/// `bound`.
SearchResult disjoint_star(StarHalf& half, Goal goal, const StarCost& bound, std::int64_t limit,
                           const CostedStar& known) {
  if (half.ports().size() > 2) return disjoint_sweep(half, goal, limit, known, bound, disjoint_star_limit);
  const std::int64_t first = goal == Goal::traffic_first ? bound.traffic : bound.longest;
  return proven(disjoint_pair(half, goal, limit, known, first));
}
SearchResult disjoint_star(StarHalf& half, Goal goal, const StarCost& bound) {
  return disjoint_star(half, goal, bound, std::numeric_limits<std::int64_t>::max(), single_path(half));
}

CostedStar settled(SearchResult result) {
  if (!result.exact) refuse("--front", "is not solved within {} states", label_star_limit);
  return std::move(result.best);
}

/// Points of one half, longest path first.
std::vector<CostedStar> half_front(StarHalf& half) {
  std::vector<CostedStar> points;
  if (is_plane(half)) {
    const PlaneHalf plane(half);
    std::int64_t limit = plane.chain(plane.single_first_leg);
    while (auto star = least_traffic_within(plane, limit)) {
      limit = star->cost.longest - 1;
      points.push_back(std::move(*star));
    }
    return points;
  }
  const CostedStar shortest = settled(least_longest_search(half, label_star_limit));
  std::int64_t limit = half.routing().topology().routers();  // no label-monotone path is longer
  while (limit >= shortest.cost.longest) {
    points.push_back(settled(least_traffic_search(half, limit, shortest, label_star_limit)));
    limit = points.back().cost.longest - 1;
  }
  return points;
}

/// The cheapest star of a half under a limit, or null.
const CostedStar* star_within(const std::vector<CostedStar>& points, std::int64_t limit) {
  for (const CostedStar& point : points)
    if (point.cost.longest <= limit) return &point;
  return nullptr;
}

/// Throws InputError for stars with other rules (--edge-disjoint, --worms-a-port any) and where a search for
/// a point stops at its limit.
std::vector<FrontPoint> front_of_stars(const PlanningContext& context, const Request& request) {
  if (context.option("edge-disjoint") == "yes")
    throw InputError("--front", "edge-disjoint stars have no front");
  if (context.option("worms-a-port") == "any")
    throw InputError("--front", "stars of any number of worms a port (--worms-a-port) have none");
  LabelHalves split = split_by_label(context.topology, request);
  std::vector<StarHalf> halves = star_halves(context, request, split);
  std::vector<std::vector<CostedStar>> stars;
  std::vector<std::int64_t> limits;
  for (StarHalf& half : halves) {
    stars.push_back(half_front(half));
    for (const CostedStar& point : stars.back()) limits.push_back(point.cost.longest);
  }
  std::sort(limits.begin(), limits.end());
  std::vector<FrontPoint> front;
  for (const std::int64_t limit : limits) {
    FrontPoint point{static_cast<std::uint64_t>(limit), 0};
    bool reachable = true;
    for (std::size_t h = 0; h < halves.size() && reachable; ++h) {
      const CostedStar* star = star_within(stars[h], limit);
      reachable = star != nullptr;
      if (!reachable) break;
      point.traffic_channels += static_cast<std::uint64_t>(star->cost.traffic);
      append_star(halves[h], star->star, point.worms);
    }
    if (!reachable || (!front.empty() && point.traffic_channels >= front.back().traffic_channels)) continue;
    append_chain(point.worms, request.source, split.local);
    front.push_back(std::move(point));
  }
  return front;
}

constexpr std::array<PlannerParameter, 4> ocms_parameters = {{
    first_hop_parameter,
    {"tie",
     {"none", "longest"},
     "longest: of the stars of least traffic the one with the least longest path"},
    edge_disjoint_parameter,
    {"worms-a-port",
     {"one", "any"},
     "any: worms may share a port: the least traffic of any label-ordered paths",
     false},
}};
constexpr std::uint64_t shortest_state_limit = 2'000'000;

/// Any number of paths leaves by a port.
Star least_traffic_unlimited(StarHalf& half) {
  half.tabulate();
  const UnlimitedStar legs(half);
  return legs.with_ports(least_traffic_flow(legs));
}

Star least_traffic(StarHalf& half) {
  return is_plane(half) ? least_traffic_plane(PlaneHalf(half)) : least_traffic_flow(half);
}

/// The longest path of any star has its share of the least traffic.
std::int64_t least_longest(const StarHalf& half, const CostedStar& cheapest) {
  const auto ports = static_cast<std::int64_t>(half.ports().size());
  return (cheapest.cost.traffic + ports - 1) / ports;
}

/// The least longest path among stars of least traffic: no path can be longer than all of them.
SearchResult then_least_longest(StarHalf& half, const CostedStar& star) {
  if (is_plane(half)) {
    const CostedStar best = *least_traffic_within(PlaneHalf(half), star.cost.traffic);
    return proven(best);
  }
  // The shortest star of all may have the least traffic, and be found where that search is too large.
  const SearchResult shortest = least_longest_search(half, shortest_state_limit);
  CostedStar known = shortened(half, star.star);
  if (shortest.best.cost.traffic == star.cost.traffic && shortest.best.cost.longest < known.cost.longest)
    known = shortest.best;
  const std::int64_t bound = std::max(shortest.bound.longest, least_longest(half, star));
  if (known.cost.longest == bound) return proven(known);
  SearchResult result = least_traffic_search(half, known.cost.longest, known, label_star_limit);
  if (result.exact) return result;
  result.bound.longest = bound;
  if (half.rule() == FirstHop::strict) return result;
  // Among the stars of the strict rule, which are fewer and stars of this one, the search may get further.
  StarHalf strict = half.strict();
  const CostedStar cheapest = costed(strict, least_traffic_flow(strict));
  if (cheapest.cost.traffic > star.cost.traffic) return result;
  const CostedStar other = costed(half, freed(half, strict, then_least_longest(strict, cheapest).best.star));
  if (other.cost.longest < result.best.cost.longest) result.best = other;
  result.exact = result.best.cost.longest == bound;
  return result;
}

/// True if worms may share ports. Throws InputError for options that make no sense then.
bool shares_ports(const PlanningContext& context) {
  if (context.option("worms-a-port") != "any") return false;
  if (edge_disjoint_option(context))
    throw InputError("--worms-a-port", "excludes --edge-disjoint: worms of one port share its channel");
  if (context.option("tie") != "none")
    refuse("--worms-a-port",
           "excludes --tie: the least longest path is not searched for among any number of worms");
  return true;
}

void plan_half(const PlanningContext& context, StarHalf& half, std::vector<Worm>& worms, StarBounds& bounds) {
  if (shares_ports(context)) {
    append_star(half, least_traffic_unlimited(half), worms);
    return;
  }
  Star star = least_traffic(half);
  const bool tie = context.option("tie") == "longest";
  const bool disjoint_only = edge_disjoint_option(context);
  if (tie || (disjoint_only && !is_disjoint(half, star))) {
    const CostedStar cheapest = costed(half, std::move(star));
    SearchResult result =
        disjoint_only
            ? disjoint_star(half, Goal::traffic_first, {least_longest(half, cheapest), cheapest.cost.traffic})
            : then_least_longest(half, cheapest);
    if (disjoint_only) bounds.traffic(result);
    if (tie) bounds.longest(result);
    star = std::move(result.best.star);
  } else {
    const std::int64_t traffic = disjoint_only ? cost_of(half, star).traffic : 0;
    bounds.traffic({{{}, {0, traffic}}, {0, traffic}, true});
  }
  append_star(half, star, worms);
}

std::vector<Worm> plan_ocms(const PlanningContext& context, const Request& request, PlanFacts& facts) {
  LabelHalves split = split_by_label(context.topology, request);
  std::vector<Worm> worms;
  StarBounds bounds;
  for (StarHalf& half : star_halves(context, request, split)) plan_half(context, half, worms, bounds);
  append_chain(worms, request.source, split.local);
  bounds.state(facts);
  return worms;
}

constexpr std::array<PlannerParameter, 3> otms_parameters = {{
    first_hop_parameter,
    {"tie",
     {"none", "traffic"},
     "traffic: of the stars of least longest path the one of least traffic over both halves together"},
    edge_disjoint_parameter,
}};

SearchResult shortest_star(StarHalf& half) {
  return is_plane(half) ? proven(balanced_plane(PlaneHalf(half)))
                        : least_longest_search(half, label_star_limit);
}

/// The same without shared channels, for the report's open extension.
SearchResult shortest_disjoint(StarHalf& half, const SearchResult& shortest_of_all) {
  if (is_disjoint(half, shortest_of_all.best.star)) return shortest_of_all;
  // Of what is proven of all stars: those of least longest path may have more traffic than longer ones.
  StarCost bound = shortest_of_all.bound;
  if (half.ports().size() > 2) bound.traffic = cost_of(half, least_traffic_flow(half)).traffic;
  return disjoint_star(half, Goal::longest_first, bound);
}

/// The star of least traffic whose longest path is at most `limit`, which `star` keeps.
SearchResult cheapest_within(StarHalf& half, const SearchResult& known, std::int64_t limit,
                             bool disjoint_only) {
  if (known.best.cost.longest == limit) return known;
  SearchResult cheaper = is_plane(half) ? proven(*least_traffic_within(PlaneHalf(half), limit))
                                        : least_traffic_search(half, limit, known.best, label_star_limit);
  if (!disjoint_only || is_disjoint(half, cheaper.best.star)) return cheaper;
  return disjoint_star(half, Goal::traffic_first, cheaper.bound, limit, known.best);
}

std::vector<Worm> plan_otms(const PlanningContext& context, const Request& request, PlanFacts& facts) {
  LabelHalves split = split_by_label(context.topology, request);
  std::vector<StarHalf> halves = star_halves(context, request, split);
  const bool disjoint_only = edge_disjoint_option(context);
  std::vector<SearchResult> stars;
  StarBounds bounds;
  std::int64_t longest = 0;
  for (StarHalf& half : halves) {
    stars.push_back(shortest_star(half));
    if (disjoint_only) stars.back() = shortest_disjoint(half, stars.back());
    bounds.longest(stars.back());
    longest = std::max(longest, stars.back().best.cost.longest);
  }
  std::vector<Worm> worms;
  for (std::size_t i = 0; i < halves.size(); ++i) {
    if (context.option("tie") == "traffic")
      stars[i] = cheapest_within(halves[i], stars[i], longest, disjoint_only);
    bounds.traffic(stars[i]);
    append_star(halves[i], stars[i].best.star, worms);
  }
  append_chain(worms, request.source, split.local);
  bounds.state(facts);
  return worms;
}

}  // namespace

extern const Planner planner_ocms = {
    .name = "ocms",
    .summary = "optimal star: least traffic over all label-ordered stars",
    .topologies = "any with Hamiltonian-path labels",
    .cost =
        "O(k) on 2-D meshes, O(ports * k^2) elsewhere; there --tie, --edge-disjoint up to 20 million states",
    .cite = "Bouchitte, Cohen, Fleury 1997, section 3",
    .needs = "copy to the processor on the way; label routing (free: the source picks the first port)",
    .parameters = ocms_parameters,
    .routings = {"label", "label-shortest", "label-adaptive"},
    .worms = {.from_source = true, .chains = true, .different_ports = true},
    .optimum = Optimum::traffic,
    .unsupported = unlabelled,
    .legs = label_legs_by_any_port,
    .plan_stating = plan_ocms,
    .front = front_of_stars,
};

extern const Planner planner_otms = {
    .name = "otms",
    .summary = "optimal star: least longest path over all label-ordered stars, then least traffic",
    .topologies = "any with Hamiltonian-path labels",
    .cost = "near-linear on 2-D meshes, exponential in the ports elsewhere, up to 20 million states",
    .cite = "Bouchitte, Cohen, Fleury 1997, section 4",
    .needs = "copy to the processor on the way; label routing (free: the source picks the first port)",
    .parameters = otms_parameters,
    .routings = {"label", "label-shortest", "label-adaptive"},
    .worms = {.from_source = true, .chains = true, .different_ports = true},
    .optimum = Optimum::longest_path,
    .unsupported = unlabelled,
    .legs = label_legs_by_any_port,
    .plan_stating = plan_otms,
    .front = front_of_stars,
};

}  // namespace wormcast

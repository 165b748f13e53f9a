// OCMS: the optimal channel multicast star, least traffic over all label-ordered stars.
//
// The two halves of the destinations use disjoint channels and are solved apart. On the
// two-dimensional snake a half takes linear time (stars/snake/least_traffic); elsewhere it is a minimum-cost
// flow with as many units as the source has ports on that side (star_flow). Worms are label-monotone, so the
// plan is deadlock-free. Options ask for stars whose paths share no channel (disjoint_pairs, disjoint_sweep)
// and for stars of which any number of paths leaves by a port (unlimited_star). The unit tests hold all of
// them against the report's own matching and table. Cost: O(k) on 2-D meshes, O(ports · k²) elsewhere. With
// --tie longest and --edge-disjoint, off 2-D meshes: exponential in the number of ports, up to limits of
// states (some seconds) and bytes. cite: Bouchitté, Cohen, Fleury 1997, section 3.
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
#include "topology/error.hpp"

namespace wormcast::planner_ocms {
namespace {

constexpr std::array<PlannerParameter, 4> parameters = {{
    first_hop_parameter,
    {"tie",
     {"none", "longest"},
     "longest: of the stars of least traffic the one with the least longest path"},
    {"edge-disjoint", {"no", "yes"}, "yes: only stars whose paths share no channel", false},
    {"worms-a-port",
     {"one", "any"},
     "any: worms may share a port: the least traffic of any label-ordered paths",
     false},
}};
constexpr std::uint64_t state_limit = 20'000'000;
constexpr std::uint64_t shortest_state_limit = 2'000'000;
constexpr std::uint64_t disjoint_state_limit = 5'000'000;
constexpr std::int64_t any_length = std::numeric_limits<std::int64_t>::max();

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
    return {best, best.cost, true};
  }
  // The shortest star of all may have the least traffic, and be found where the search under that is too
  // large.
  const SearchResult shortest = least_longest_search(half, shortest_state_limit);
  CostedStar known = shortened(half, star.star);
  if (shortest.best.cost.traffic == star.cost.traffic && shortest.best.cost.longest < known.cost.longest)
    known = shortest.best;
  const std::int64_t bound = std::max(shortest.bound.longest, least_longest(half, star));
  if (known.cost.longest == bound) return {known, known.cost, true};
  SearchResult result = least_traffic_search(half, known.cost.longest, known, state_limit);
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

/// The same without shared channels; ties always go to the least longest path.
SearchResult disjoint(StarHalf& half, const CostedStar& cheapest) {
  if (half.ports().size() > 2)
    return disjoint_sweep(half, Goal::traffic_first, any_length, single_path(half),
                          {least_longest(half, cheapest), cheapest.cost.traffic}, disjoint_state_limit);
  const CostedStar best = disjoint_pair(half, Goal::traffic_first, cheapest.cost.traffic);
  return {best, best.cost, true};
}

/// True if worms may share ports. Throws InputError for options that make no sense then.
bool shares_ports(const PlanningContext& context) {
  if (context.option("worms-a-port") != "any") return false;
  const auto refuse = [](const char* why) { throw InputError("--worms-a-port", why); };
  if (edge_disjoint_option(context)) refuse("excludes --edge-disjoint: worms of one port share its channel");
  if (context.option("tie") != "none")
    refuse("excludes --tie: the least longest path is not searched for among any number of worms");
  return true;
}

void plan_half(const PlanningContext& context, HostId source, std::vector<HostId> destinations, bool up,
               std::vector<Worm>& worms, StarBounds& bounds) {
  if (destinations.empty()) return;
  StarHalf half(context, source, std::move(destinations), up, first_hop_option(context));
  if (shares_ports(context)) {
    append_star(half, least_traffic_unlimited(half), worms);
    return;
  }
  Star star = least_traffic(half);
  const bool tie = context.option("tie") == "longest";
  const bool disjoint_only = edge_disjoint_option(context);
  if (tie || (disjoint_only && !is_disjoint(half, star))) {
    const CostedStar cheapest = costed(half, std::move(star));
    SearchResult result = disjoint_only ? disjoint(half, cheapest) : then_least_longest(half, cheapest);
    if (disjoint_only) bounds.traffic(result);
    if (tie) bounds.longest(result);
    star = std::move(result.best.star);
  } else {
    const std::int64_t traffic = disjoint_only ? cost_of(half, star).traffic : 0;
    bounds.traffic({{{}, {0, traffic}}, {0, traffic}, true});
  }
  append_star(half, star, worms);
}

std::vector<Worm> plan_stating(const PlanningContext& context, const Request& request, PlanFacts& facts) {
  LabelHalves halves = split_by_label(context.topology, request);
  std::vector<Worm> worms;
  StarBounds bounds;
  plan_half(context, request.source, std::move(halves.up), true, worms, bounds);
  plan_half(context, request.source, std::move(halves.down), false, worms, bounds);
  append_local(request.source, halves, worms);
  bounds.state(facts);
  return worms;
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "ocms",
    .summary = "optimal star: least traffic over all label-ordered stars",
    .topologies = "any with Hamiltonian-path labels",
    .cost =
        "O(k) on 2-D meshes, O(ports * k^2) elsewhere; there --tie, --edge-disjoint up to 20 million states",
    .cite = "Bouchitte, Cohen, Fleury 1997, section 3",
    .needs = "copy to the processor on the way; label routing (free: the source picks the first port)",
    .parameters = parameters,
    .routings = {"label", "label-shortest", "label-adaptive"},
    .worms = {.from_source = true, .chains = true, .different_ports = true},
    .optimum = Optimum::traffic,
    .unsupported = no_label_paths,
    .legs = label_legs_by_any_port,
    .plan_stating = plan_stating,
    .front = front_of_stars,
};

}  // namespace wormcast::planner_ocms

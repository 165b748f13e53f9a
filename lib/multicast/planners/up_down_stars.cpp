// OCMS and OTMS beyond Hamiltonian networks: optimal stars of up*/down* path worms.
//
// At most one worm leaves by each port, as in the report's stars; down from the first stop not every
// destination lies below every other, so there may be no such star. Then each port may send two worms,
// three, and so on: the least number for which there is a star, which the plan states. Least traffic is
// an assignment, exact at any size. The least longest path is searched for over the ends and lengths of
// all paths (star_search), and, among such stars, the least traffic; where that stops at its limit the
// plan states the bound that is proven.
// Cost: O(W · ports · k²) for W worms a port; the search is exponential in the number of paths.
// cite: Bouchitté, Cohen, Fleury 1997, sections 3, 4 and 6 (other orders asked for); this project.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "multicast/legs.hpp"
#include "multicast/stars/star_search.hpp"

namespace wormcast {
namespace {

constexpr std::array<PlannerParameter, 2> up_down_star_parameters = {{
    first_hop_parameter,
    {"same-router",
     {"apart", "together"},
     "destinations on one router: apart, by different worms; together, at one stop, for buffers that "
     "hold the whole worm"},
}};
constexpr std::uint64_t up_down_state_limit = 500'000;
constexpr std::uint64_t most_ends = 20'000'000;  ///< of the paths of all states together

/// A state holds the end and the length of every path.
std::uint64_t states_of(const UpDownStar& legs) {
  return std::min<std::uint64_t>(up_down_state_limit, most_ends / legs.port_count());
}

template <Goal goal>
std::vector<Worm> plan_up_down_star(const PlanningContext& context, const Request& request,
                                    PlanFacts& facts) {
  UpDownStar legs(context, request, first_hop_option(context), context.option("same-router") == "together");
  std::vector<Worm> worms;
  if (legs.size() > 0) {
    const Star cheapest = fewest_worms_a_port(legs);
    facts.emplace_back("worms_a_port", legs.worms_a_port());
    if constexpr (goal == Goal::traffic_first) {
      legs.append_worms(cheapest, worms);
    } else {
      const SearchResult result =
          least_longest_search(legs, duals_of(legs, cheapest), cheapest, legs.furthest(), states_of(legs));
      StarBounds bounds;
      bounds.longest(result);
      bounds.traffic(result);
      bounds.state(facts);
      legs.append_worms(result.best.star, worms);
    }
  }
  legs.append_local(worms);
  return worms;
}

/// All legal turns, and deliveries after which a worm only goes down. More than stars make; still acyclic.
void legs_of_up_down_stars(const PlanningContext& context, LegSink& sink) {
  up_down_legs(context, sink, true, context.option("same-router") == "together");
}

}  // namespace

extern const Planner planner_ocms_up_down = {
    .name = "ocms-up-down",
    .summary = "optimal star of up*/down* path worms: least traffic",
    .topologies = "any connected",
    .cost = "O(W * ports * k^2), W worms a port",
    .cite = "Bouchitte, Cohen, Fleury 1997, section 6; this project",
    .needs = "copy to the processor on the way; up*/down* routing that only goes down after a delivery",
    .parameters = up_down_star_parameters,
    .routings = {"up-down-path", "up-down-path-adaptive"},
    .worms = {.from_source = true, .chains = true},
    .optimum = Optimum::traffic,
    .unsupported = no_paths_both_ways,
    .legs = legs_of_up_down_stars,
    .plan_stating = plan_up_down_star<Goal::traffic_first>,
};

extern const Planner planner_otms_up_down = {
    .name = "otms-up-down",
    .summary = "optimal star of up*/down* path worms: least longest path, then least traffic",
    .topologies = "any connected",
    .cost = "exponential in the worms, up to a limit of 500,000 states",
    .cite = "Bouchitte, Cohen, Fleury 1997, section 6; this project",
    .needs = "copy to the processor on the way; up*/down* routing that only goes down after a delivery",
    .parameters = up_down_star_parameters,
    .routings = {"up-down-path", "up-down-path-adaptive"},
    .worms = {.from_source = true, .chains = true},
    .optimum = Optimum::longest_path,
    .unsupported = no_paths_both_ways,
    .legs = legs_of_up_down_stars,
    .plan_stating = plan_up_down_star<Goal::longest_first>,
};

}  // namespace wormcast

// Edge-disjoint stars: brute force, and what disjointness costs.
// SPDX-License-Identifier: MIT
#include "unit/multicast/star_cases.hpp"

namespace wormcast::disjoint_test {

using namespace testing;

namespace {

/// Costs of all stars of a half whose paths share no channel.
std::set<std::pair<std::int64_t, std::int64_t>> all_disjoint_costs(const StarHalf& half) {
  std::set<std::pair<std::int64_t, std::int64_t>> costs;
  Star star(half.ports().size());
  for (std::size_t p = 0; p < star.size(); ++p) star[p].port = p;
  const std::function<void(std::size_t)> place = [&](std::size_t j) {
    if (j == half.size()) {
      const StarCost cost = cost_of(half, star);
      if (is_disjoint(half, star)) costs.emplace(cost.longest, cost.traffic);
      return;
    }
    for (StarPath& path : star) {
      if (path.stops.empty() && half.first(path.port, j) == StarHalf::no_leg) continue;
      path.stops.push_back(static_cast<std::uint32_t>(j));
      place(j + 1);
      path.stops.pop_back();
    }
  };
  place(0);
  return costs;
}

void check_disjoint_half(Half& half) {
  const auto costs = all_disjoint_costs(half.star);
  const StarCost shortest{costs.begin()->first, costs.begin()->second};
  StarCost cheapest = shortest;
  for (const auto& [longest, traffic] : costs)
    if (better({longest, traffic}, cheapest, Goal::traffic_first)) cheapest = {longest, traffic};
  constexpr std::int64_t any = 1 << 20;
  for (const Goal goal : {Goal::longest_first, Goal::traffic_first}) {
    const StarCost expected = goal == Goal::longest_first ? shortest : cheapest;
    const CostedStar single = single_path(half.star);
    const SearchResult swept = disjoint_sweep(half.star, goal, any, single, {0, 0}, 1u << 24);
    CHECK(swept.exact);
    const CostedStar& sweep = swept.best;
    // Out of states: the star it was given, and no more than the bound it was given.
    const SearchResult given_up = disjoint_sweep(half.star, goal, any, single, {1, 2}, 1);
    CHECK_FALSE(given_up.exact);
    CHECK(given_up.best.cost == single.cost);
    CHECK(given_up.bound == StarCost{1, 2});
    CHECK(sweep.cost == expected);
    CHECK(cost_of(half.star, sweep.star) == expected);
    CHECK(is_disjoint(half.star, sweep.star));
    check_star(half.star, sweep.star);
    if (half.star.ports().size() > 2) continue;
    const CostedStar pair = disjoint_pair(half.star, goal, any, single, 0);
    CHECK(pair.cost == expected);
    CHECK(cost_of(half.star, pair.star) == expected);
    CHECK(is_disjoint(half.star, pair.star));
    check_star(half.star, pair.star);
  }
  if (half.star.ports().size() > 2) return;
  for (const auto& [longest, traffic] : costs) {
    StarCost within{longest, traffic};
    for (const auto& [l, t] : costs)
      if (l <= longest && better({l, t}, within, Goal::traffic_first)) within = {l, t};
    const CostedStar known = disjoint_pair(half.star, Goal::longest_first, any, single_path(half.star), 0);
    CHECK(disjoint_pair(half.star, Goal::traffic_first, longest, known, 0).cost == within);
  }
}

}  // namespace

TEST_CASE("edge-disjoint optima equal brute force") {
  Dice dice(16);
  std::vector<std::unique_ptr<const Topology>> networks;
  for (auto dims :
       std::vector<std::vector<std::uint64_t>>{{3, 3}, {4, 3}, {5, 2}, {2, 5}, {6, 4}, {2, 2, 2}, {3, 2, 2}})
    networks.push_back(make("mesh", dims));
  for (int i = 0; i < 8; ++i) networks.push_back(random_labelled_graph(9, 2 + dice.below(7), dice));
  for (const auto& network : networks)
    for (int i = 0; i < rounds(15); ++i) {
      const Request request =
          random_request(*network, 1 + dice.below(std::min(8u, network->hosts() - 1)), dice);
      CAPTURE(network->name());
      each_half(*network, {"label", "label-shortest"}, request, [](Half& half) {
        const std::size_t ports = half.star.ports().size();
        if (ports <= 2 || (ports == 3 && half.star.size() <= 6)) check_disjoint_half(half);
      });
    }
}

TEST_CASE("disjointness can cost: the 6x4 example") {
  const auto mesh = make("mesh", {6, 4});
  const auto node = [](std::uint32_t x, std::uint32_t y) { return x + 6 * y; };
  const Request request = request_of(
      node(4, 0), {node(5, 1), node(3, 1), node(1, 1), node(3, 2), node(4, 2), node(5, 3), node(0, 3)});
  const PlanOptions disjoint{{"first-hop", "free"}, {"edge-disjoint", "yes"}};
  CHECK(planned(*mesh, "ocms", request, {{"first-hop", "free"}}).traffic_channels == 15);
  CHECK(planned(*mesh, "ocms", request, disjoint).traffic_channels == 17);
  CHECK(planned(*mesh, "otms", request, {{"first-hop", "free"}}).longest_path_hops == 8);
  CHECK(planned(*mesh, "otms", request, disjoint).longest_path_hops == 9);
}

}  // namespace wormcast::disjoint_test

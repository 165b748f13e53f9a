// Searches that stop at their limit of states: the plan is the best star found, and the gap is stated.
// SPDX-License-Identifier: MIT
#include "multicast/certify.hpp"
#include "multicast/verify.hpp"
#include "topology/generator.hpp"
#include "unit/multicast/star_cases.hpp"

using namespace wormcast;
using namespace wormcast::testing;

namespace {

std::optional<std::uint64_t> fact(const Plan& plan, std::string_view name) {
  for (const auto& [key, value] : plan.facts)
    if (key == name) return value;
  return std::nullopt;
}

}  // namespace

TEST_CASE("a search cut short at any number of states: never above the best found, never below the optimum") {
  Dice dice(71);
  int cut_short = 0;
  int open = 0;
  for (int i = 0; i < rounds(12); ++i) {
    const auto network = i % 2 == 0 ? make("hypercube", {5}) : make("mesh", {3, 3, 3});
    const Request request = random_request(*network, 10 + dice.below(8), dice);
    for (const bool up : {true, false}) {
      Half half(*network, "label-shortest", request, up, FirstHop::free);
      if (half.star.size() == 0) continue;
      const SearchResult whole = least_longest_search(half.star, 1u << 24);
      REQUIRE(whole.exact);
      for (std::uint64_t states = 1; states < 3000; states *= 3) {
        const SearchResult found = least_longest_search(half.star, states);
        check_star(half.star, found.best.star);
        CHECK(cost_of(half.star, found.best.star) == found.best.cost);
        CHECK(found.bound.longest <= whole.best.cost.longest);
        CHECK(found.best.cost.longest >= whole.best.cost.longest);
        if (found.exact) {
          CHECK(found.best.cost == whole.best.cost);
          CHECK(found.bound == found.best.cost);
        }
        cut_short += found.exact ? 0 : 1;
        open += found.bound.longest < found.best.cost.longest ? 1 : 0;
      }
    }
  }
  CHECK(cut_short > 20);
  CHECK(open > 5);
}

TEST_CASE("otms at its own limit of states: the gap is stated, verified as a plan, without a certificate") {
  const auto cube = make("hypercube", {9});
  Dice dice(72);
  const Request request = random_request(*cube, 110, dice);
  const BoundPlanner bound(*find_planner("otms"), *cube, {{"first-hop", "free"}}, "label-shortest");
  Plan plan = bound.plan(request);
  const auto proven = fact(plan, "star_longest_bound_hops");
  REQUIRE(proven);
  CHECK(*proven < *plan.longest_path_hops);
  CHECK_FALSE(PlanVerifier(*cube).check(plan));
  // The bound is one: no destination is further away than it, and ports share the least traffic at best.
  std::uint32_t furthest = 0;
  for (const HostId host : request.destinations)
    furthest = std::max(furthest, cube->distance(NodeId{request.source.value}, NodeId{host.value}));
  CHECK(*plan.longest_path_hops >= furthest);
}

TEST_CASE("otms-up-down at its own limit of states: the gap is stated") {
  const TopologySpec spec =
      generate(*find_generator("irregular"), {{"switches", 16}, {"hosts", 4}, {"ports", 8}, {"seed", 1}});
  const auto network = build_topology(spec);
  const BoundPlanner otms(*find_planner("otms-up-down"), *network, {});
  const BoundPlanner ocms(*find_planner("ocms-up-down"), *network, {});
  Dice dice(73);
  int stopped = 0;
  for (int i = 0; i < 12; ++i) {
    const Request request = random_request(*network, 24 + dice.below(10), dice);
    Plan plan = otms.plan(request);
    CHECK_FALSE(PlanVerifier(*network).check(plan));
    CHECK(*plan.longest_path_hops <= *ocms.plan(request).longest_path_hops);
    const auto proven = fact(plan, "star_longest_bound_hops");
    if (!proven) continue;
    ++stopped;
    CHECK(*proven <= *plan.longest_path_hops);
    // The verifier's own search may settle what the planner's left open; then it says so for itself.
    plan.certificate = certificate_of(otms, plan);
    CHECK_FALSE(PlanVerifier(*network).check(plan));
  }
  CHECK(stopped > 0);
}

// Searches that stop at their limit of states: the plan is the best star found, and the gap is stated.
// SPDX-License-Identifier: MIT
#include "multicast/bounds/bounds.hpp"
#include "multicast/stars/star_search.hpp"
#include "multicast/verification/verify.hpp"
#include "topology/generator.hpp"
#include "unit/multicast/star_cases.hpp"

namespace wormcast::star_limits_test {

using namespace testing;

namespace {

std::optional<std::uint64_t> fact(const PlanFacts& facts, std::string_view name) {
  for (const auto& [key, value] : facts)
    if (key == name) return value;
  return std::nullopt;
}

/// A switch in the middle and `leaves` around it, each with a host.
std::unique_ptr<const Topology> hub(std::uint32_t leaves) {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = leaves + 1;
  for (std::uint32_t leaf = 1; leaf <= leaves; ++leaf) {
    spec.graph.hosts.push_back(leaf);
    GraphLink link;
    link.ends = {0, leaf};
    spec.graph.links.push_back(link);
  }
  return build_topology(std::move(spec));
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
        CHECK(found.bound.traffic <= whole.best.cost.traffic);
        CHECK(found.exact == (found.best.cost == found.bound));
        // What is worse than the optimum is said to be open.
        StarBounds bounds;
        bounds.longest(found);
        bounds.traffic(found);
        PlanFacts facts;
        bounds.state(facts);
        if (found.best.cost.longest > whole.best.cost.longest)
          CHECK(fact(facts, "star_longest_bound_hops"));
        else if (found.best.cost.traffic > whole.best.cost.traffic)
          CHECK(fact(facts, "star_traffic_bound_channels"));
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

TEST_CASE("otms at its own limit of states: the gap is stated, verified as a plan, without a certificate" *
          doctest::test_suite("long")) {
  const auto cube = make("hypercube", {9});
  Dice dice(72);
  Request request = random_request(*cube, few_or_many(70u, 110u), dice);
  if (!long_mode()) {  // one search instead of two: the source has the least label
    request.source = HostId{0};
    std::erase(request.destinations, request.source);
  }
  const BoundPlanner bound(*find_planner("otms"), *cube, {{"first-hop", "free"}}, "label-shortest");
  Plan plan = bound.plan(request);
  const auto proven = fact(plan.facts, "star_longest_bound_hops");
  REQUIRE(proven);
  CHECK(*proven < *plan.longest_path_hops);
  CHECK(fact(plan.facts, "star_traffic_bound_channels").value_or(0) < *plan.traffic_channels);
  CHECK_FALSE(PlanVerifier(*cube).check(plan));
  // The bound is one: no destination is further away than it, and ports share the least traffic at best.
  std::uint32_t furthest = 0;
  for (const HostId host : request.destinations)
    furthest = std::max(furthest, cube->distance(NodeId{request.source.value}, NodeId{host.value}));
  CHECK(*plan.longest_path_hops >= furthest);
}

TEST_CASE("otms-up-down at its own limit of states: each criterion that is open is stated, and no other" *
          doctest::test_suite("long")) {
  const TopologySpec spec =
      generate(*find_generator("irregular"), {{"switches", 16}, {"hosts", 4}, {"ports", 8}, {"seed", 1}});
  const auto network = build_topology(spec);
  const BoundPlanner otms(*find_planner("otms-up-down"), *network, {});
  const BoundPlanner ocms(*find_planner("ocms-up-down"), *network, {});
  Dice dice(78);
  int longest_open = 0;
  int traffic_open = 0;
  for (int i = 0; i < few_or_many(4, 9); ++i) {
    const Request request = random_request(*network, 38 + dice.below(6), dice);
    Plan plan = otms.plan(request);
    const Plan cheapest = ocms.plan(request);
    CHECK_FALSE(PlanVerifier(*network).check(plan));
    CHECK(*plan.longest_path_hops <= *cheapest.longest_path_hops);
    const auto longest = fact(plan.facts, "star_longest_bound_hops");
    const auto traffic = fact(plan.facts, "star_traffic_bound_channels");
    if (!longest && !traffic) continue;
    longest_open += longest ? 1 : 0;
    traffic_open += traffic && !longest ? 1 : 0;
    CHECK(longest.value_or(0) < *plan.longest_path_hops);
    CHECK(traffic.value_or(0) < *plan.traffic_channels);
    if (traffic) CHECK(*traffic == *cheapest.traffic_channels);
    // The verifier's own search may settle what the planner's left open; then it says so for itself.
    plan.certificate = certificate_of(otms, plan);
    CHECK_FALSE(PlanVerifier(*network).check(plan));
  }
  CAPTURE(longest_open);
  CHECK(longest_open > 0);
  CHECK(traffic_open > 0);
}

TEST_CASE("a star that equals both bounds is optimal: nothing is searched, whatever the number of ports") {
  for (const std::uint32_t leaves : {20u, 60u, 120u}) {
    const auto network = hub(leaves);
    std::vector<std::uint32_t> others(leaves - 1);
    std::iota(others.begin(), others.end(), 1u);
    const BoundPlanner otms(*find_planner("otms-up-down"), *network, {});
    const Plan plan = otms.plan(request_of(0, others));
    CHECK(plan.longest_path_hops == 2);
    CHECK(plan.traffic_channels == 2 * (leaves - 1));
    CHECK(plan.facts == PlanFacts{{"worms_a_port", leaves - 1}});
  }
}

TEST_CASE("local search: a star of the same destinations, never worse, never below the optimum") {
  Dice dice(74);
  int better = 0;
  int optimal = 0;
  int stars = 0;
  for (int i = 0; i < rounds(30); ++i) {
    const auto network = i % 3 == 0 ? make("hypercube", {5}) : make("mesh", {3, 3, 3});
    const Request request = random_request(*network, 6 + dice.below(10), dice);
    for (const bool up : {true, false}) {
      Half half(*network, "label-shortest", request, up, FirstHop::free);
      if (half.star.size() == 0) continue;
      const SearchResult best = least_longest_search(half.star, 1u << 24);
      REQUIRE(best.exact);
      for (const Star& start : {least_traffic_flow(half.star), single_path(half.star).star}) {
        const CostedStar found = exchanged(half.star, start);
        check_star(half.star, found.star);
        CHECK(cost_of(half.star, found.star) == found.cost);
        CHECK(found.cost <= cost_of(half.star, start));
        CHECK(found.cost >= best.best.cost);
        better += found.cost < cost_of(half.star, start) ? 1 : 0;
        optimal += found.cost == best.best.cost ? 1 : 0;
        ++stars;
      }
    }
  }
  CHECK(better * 4 > stars);
  CHECK(optimal * 4 > stars);
}

TEST_CASE("a search under the free rule cut short knows the strict rule's star and multi-path's") {
  Dice dice(76);
  int cut_short = 0;
  for (int i = 0; i < rounds(8); ++i) {
    const auto network = random_labelled_graph(12, 24 + dice.below(12), dice);
    const Request request = random_request(*network, 9, dice);
    const Plan multi_path = BoundPlanner(*find_planner("multi-path"), *network, {}).plan(request);
    for (std::uint64_t states = 1; states < 3000; states *= 7) {
      std::int64_t longest = 0;
      for (const bool up : {true, false}) {
        Half free(*network, "label", request, up, FirstHop::free);
        if (free.star.size() == 0) continue;
        Half strict(*network, "label", request, up, FirstHop::strict);
        const SearchResult found = least_longest_search(free.star, states);
        const SearchResult narrower = least_longest_search(strict.star, states);
        check_star(free.star, found.best.star);
        CHECK(cost_of(free.star, found.best.star) == found.best.cost);
        CHECK(found.best.cost <= narrower.best.cost);
        longest = std::max(longest, found.best.cost.longest);
        cut_short += found.exact ? 0 : 1;
      }
      CHECK(longest <= static_cast<std::int64_t>(*multi_path.longest_path_hops));
    }
  }
  CHECK(cut_short > 0);
}

TEST_CASE("the tie that goes to the shorter: never above otms where its traffic is the least" *
          doctest::test_suite("long")) {
  Dice dice(77);
  int same_traffic = 0;
  for (const std::uint64_t seed : {1u, 3u, 5u}) {
    TopologySpec spec = generate(*find_generator("irregular"),
                                 {{"switches", 40}, {"ports", 18}, {"hosts", 2}, {"seed", seed}});
    spec.labels = find_hamiltonian_labels(*build_topology(spec), 1).labels;
    const auto network = build_topology(std::move(spec));
    const Request request = random_request(*network, 60, dice);
    const Plan ocms = BoundPlanner(*find_planner("ocms"), *network, {{"tie", "longest"}}).plan(request);
    const Plan otms = BoundPlanner(*find_planner("otms"), *network, {}).plan(request);
    CHECK_FALSE(PlanVerifier(*network).check(ocms));
    CHECK(*ocms.traffic_channels <= *otms.traffic_channels);
    if (ocms.traffic_channels != otms.traffic_channels) continue;
    CHECK(ocms.longest_path_hops == otms.longest_path_hops);
    ++same_traffic;
  }
  CHECK(same_traffic > 0);
}

TEST_CASE("ports of one kind are not told apart: the search needs fewer states for the same star") {
  /// Ports as numerous kinds, to compare with.
  class Apart final : public StarLegs {
   public:
    explicit Apart(const StarLegs& legs) : legs_(legs) {}
    std::size_t size() const override { return legs_.size(); }
    std::size_t port_count() const override { return legs_.port_count(); }
    std::uint32_t first(std::size_t port, std::size_t j) const override { return legs_.first(port, j); }
    std::uint32_t leg(std::size_t i, std::size_t j) const override { return legs_.leg(i, j); }

   private:
    const StarLegs& legs_;
  };
  Dice dice(75);
  int settled_by_kinds = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto network = build_topology(generate(
        *find_generator("irregular"), {{"switches", 8}, {"hosts", 3}, {"ports", 6}, {"seed", seed}}));
    const auto routing = bind_routing("up-down-path", *network);
    const PlanningContext context{*network, *routing, {}};
    UpDownStar legs(context, random_request(*network, 8, dice), FirstHop::free, false);
    if (legs.size() == 0) continue;
    const Star cheapest = fewest_worms_a_port(legs);
    CHECK(cost_of(legs, cheapest).traffic == cost_of(legs, least_traffic_paths(legs)->star).traffic);
    if (legs.worms_a_port() == 1) continue;
    const AssignmentDuals duals = duals_of(legs, cheapest);
    const auto search = [&](const StarLegs& which, std::uint64_t states) {
      return least_longest_search(which, duals, cheapest, legs.furthest(), states);
    };
    const SearchResult best = search(Apart(legs), 1u << 22);
    REQUIRE(best.exact);
    CHECK(search(legs, 1u << 22).best.cost == best.best.cost);
    for (std::uint64_t states = 16; states < (1u << 14); states *= 2) {
      CHECK(search(legs, states).exact >= search(Apart(legs), states).exact);
      settled_by_kinds += search(legs, states).exact && !search(Apart(legs), states).exact ? 1 : 0;
    }
  }
  CHECK(settled_by_kinds > 10);
}

}  // namespace wormcast::star_limits_test

// U-CCC: the paper's example, every value of the reference multicasts, and the masked order.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "multicast/planners/u_ccc.hpp"
#include "unit/long_mode.hpp"
#include "unit/multicast/ccc_reference.hpp"
#include "unit/source_dir.hpp"

namespace wormcast::u_ccc_test {

using namespace testing;

namespace {

/// "h0 i w" … as the reference spells a hop, for one worm.
std::vector<std::string> letters(const CccCase& one, const WormRoute& worm) {
  std::vector<std::string> hops;
  for (const RouteHop& hop : worm.hops) {
    if (!hop.is_channel()) continue;
    const std::uint32_t port = hop.target % 3;
    const std::uint32_t from = hop.target / 3;
    const std::string name = port == 2 ? "x" : (port == 0 ? "h" : "l") + std::to_string(hop.vc);
    hops.push_back(name + " " + std::to_string(from % one.n) + " " + std::to_string(from / one.n));
  }
  return hops;
}

std::vector<std::string> letters(const nlohmann::json& path) {
  std::vector<std::string> hops;
  for (const auto& hop : path)
    hops.push_back(hop.at(0).get<std::string>() + " " + hop.at(1).dump() + " " + hop.at(2).dump());
  return hops;
}

/// The step in which the last unicast is sent.
std::uint32_t steps_of(const Plan& plan) {
  std::uint32_t steps = 0;
  for (const Send& send : schedule(plan.worms)) steps = std::max(steps, send.step);
  return steps;
}

std::uint64_t shared_links(const Plan& plan) {
  REQUIRE(plan.facts.size() == 1);
  CHECK(plan.facts[0].first == "same_step_shared_links");
  return plan.facts[0].second;
}

}  // namespace

TEST_CASE("u-ccc: chain, unicasts, channels and steps of every reference multicast") {
  for (const CccCase& one : ccc_cases(testing::source_dir())) {
    CAPTURE(one.expected.at("chain").dump());
    const std::vector<HostId> chain = ccc_chain(*one.network, one.request, 0);
    std::vector<HostId> expected_chain;
    for (const auto& pair : one.expected.at("chain")) expected_chain.push_back(HostId{one.node(pair)});
    CHECK(chain == expected_chain);

    const Routes routes = u_ccc_routes(*one.network, one.request);
    const std::vector<Send> sends = schedule(routes.plan.worms);
    const auto& unicasts = one.expected.at("unicasts");
    REQUIRE(routes.worms.size() == unicasts.size());
    for (const auto& unicast : unicasts) {
      const auto found =
          std::find_if(routes.plan.worms.begin(), routes.plan.worms.end(),
                       [&](const Worm& worm) { return worm.stops[0].node == one.node(unicast.at("dst")); });
      REQUIRE(found != routes.plan.worms.end());
      const auto i = static_cast<std::size_t>(found - routes.plan.worms.begin());
      CHECK(found->source.value == one.node(unicast.at("src")));
      CHECK(sends[i].step == unicast.at("step").get<std::uint32_t>());
      CHECK(letters(one, routes.worms[i]) == letters(unicast.at("path")));
      CHECK(chain[sends[i].position].value == found->stops[0].node);
    }
    CHECK(steps_of(routes.plan) == one.expected.at("steps").get<std::uint32_t>());
    CHECK(least_steps(one.request.destinations.size() + 1) ==
          one.expected.at("lower_bound").get<std::uint32_t>());
  }
}

TEST_CASE("u-ccc: the best mask of every reference multicast is the first of the fewest shared links") {
  for (const CccCase& one : ccc_cases(testing::source_dir())) {
    const BoundPlanner planner(*find_planner("u-ccc"), *one.network, {});
    StepSharing sharing(planner.context().routing, one.request.destinations.size() + 1);
    std::uint32_t best = 0;
    std::uint64_t least = UINT64_MAX;
    for (std::uint32_t mask = 0; mask < 1u << one.n; ++mask) {
      const std::uint64_t shared = sharing.count(ccc_chain(*one.network, one.request, mask), UINT64_MAX);
      if (shared < least) best = mask;
      least = std::min(least, shared);
    }
    CHECK(best == one.expected.at("best_mask").at("mask").get<std::uint32_t>());
    CHECK(least == one.expected.at("best_mask").at("shared").get<std::uint64_t>());
    if (least > 0) continue;
    CHECK(clean_ccc_order(planner.context().routing, one.request) ==
          ccc_chain(*one.network, one.request, best));
  }
}

TEST_CASE("u-ccc --order masked: clean wherever it says so, and never more steps than the paper's order") {
  Dice dice(11);
  for (const std::uint32_t n : {3u, 4u, 5u, 6u}) {
    const auto network = make("ccc", {n});
    for (int i = 0; i < 60; ++i) {
      const Request request = random_request(*network, 1 + dice.below(network->hosts() - 1), dice);
      const Routes paper = u_ccc_routes(*network, request);
      const Routes masked = u_ccc_routes(*network, request, "masked");
      CHECK(steps_of(masked.plan) <= steps_of(paper.plan));
      CHECK(shared_links(masked.plan) <= shared_links(paper.plan));
      CHECK(shared_links(masked.plan) == 0);
      std::set<std::pair<std::uint32_t, std::uint32_t>> used;
      const std::vector<Send> sends = schedule(masked.plan.worms);
      for (std::size_t w = 0; w < masked.worms.size(); ++w)
        for (const RouteHop& hop : masked.worms[w].hops)
          if (hop.is_channel()) CHECK(used.emplace(sends[w].step, hop.target).second);
    }
  }
}

TEST_CASE("u-ccc --order masked: how often a mask alone is enough; swaps clean the rest") {
  struct Share {
    std::uint32_t n;
    std::uint32_t m;
    int least_of_100;  ///< sets that a mask cleans; the expectation less three standard deviations
  };
  const int sets = few_or_many(100, 1000);
  Dice dice(12);
  for (const Share& share : {Share{5, 16, 97}, Share{6, 32, 97}, Share{7, 16, 97}, Share{7, 64, 97},
                             Share{7, 96, 97}, Share{7, 128, 82}, Share{8, 64, 97}}) {
    CAPTURE(share.n);
    CAPTURE(share.m);
    const auto network = make("ccc", {share.n});
    const BoundPlanner planner(*find_planner("u-ccc"), *network, {});
    StepSharing sharing(planner.context().routing, share.m);
    int by_mask = 0;
    for (int i = 0; i < sets; ++i) {
      const Request request = random_request(*network, share.m - 1, dice);
      const std::vector<HostId> order = clean_ccc_order(planner.context().routing, request);
      CHECK(sharing.count(order, UINT64_MAX) == 0);
      bool masked = false;
      for (std::uint32_t mask = 0; mask < 1u << share.n && !masked; ++mask)
        masked = order == ccc_chain(*network, request, mask);
      by_mask += masked ? 1 : 0;
    }
    CHECK(by_mask * 100 >= sets * share.least_of_100);
  }
}

TEST_CASE("u-ccc --order masked: swaps clean every set tried at 9-D and 10-D with 512 nodes") {
  const int sets = few_or_many(2, 50);
  Dice dice(13);
  for (const std::uint32_t n : {9u, 10u}) {
    const auto network = make("ccc", {n});
    for (int i = 0; i < sets; ++i) {
      const Plan plan = u_ccc_routes(*network, random_request(*network, 511, dice), "masked").plan;
      CHECK(shared_links(plan) == 0);
      CHECK(steps_of(plan) == 9);
    }
  }
}

TEST_CASE("u-ccc: the plan counts what it says, also where links are shared") {
  for (const CccCase& one : ccc_cases(testing::source_dir())) {
    const Plan plan = u_ccc_routes(*one.network, one.request).plan;
    CHECK(shared_links(plan) ==
          one.expected.at("multiplexed").at("N/older").at("shared").get<std::uint64_t>());
  }
}

}  // namespace wormcast::u_ccc_test

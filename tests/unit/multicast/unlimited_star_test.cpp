// Stars without port limits: brute force over all path covers, the report's matching, certificates.
// SPDX-License-Identifier: MIT
#include "multicast/stars/star_search.hpp"

#include "multicast/bounds/bounds.hpp"
#include "multicast/verification/verify.hpp"
#include "unit/multicast/star_cases.hpp"

namespace wormcast::unlimited_star_test {

using namespace testing;

namespace {

/// The least traffic over every way to put the destinations, in order, behind each other or the source.
std::int64_t least_by_brute_force(const StarHalf& half) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::vector<std::size_t> ends;
  const std::function<void(std::size_t, std::int64_t)> place = [&](std::size_t j, std::int64_t traffic) {
    if (j == half.size()) {
      least = std::min(least, traffic);
      return;
    }
    for (std::size_t e = 0; e < ends.size(); ++e) {
      const std::size_t before = std::exchange(ends[e], j);
      place(j + 1, traffic + half.leg(before, j));
      ends[e] = before;
    }
    for (std::size_t p = 0; p < half.ports().size(); ++p) {
      const std::uint32_t hops = half.first(p, j);
      if (hops == StarHalf::no_leg) continue;
      ends.push_back(j);
      place(j + 1, traffic + hops);
      ends.pop_back();
    }
  };
  place(0, 0);
  return least;
}

const PlanOptions any{{"worms-a-port", "any"}};

}  // namespace

TEST_CASE("stars without port limits equal brute force over all path covers") {
  Dice dice(61);
  std::vector<std::unique_ptr<const Topology>> networks;
  for (const auto& dims : std::vector<std::vector<std::uint64_t>>{{4, 4}, {7, 3}, {2, 8}, {3, 2, 3}})
    networks.push_back(make("mesh", dims));
  networks.push_back(make("hypercube", {4}));
  for (int i = 0; i < 6; ++i) networks.push_back(random_labelled_graph(9, 3 + dice.below(9), dice));
  int below_one_a_port = 0;
  for (const auto& network : networks)
    for (int i = 0; i < rounds(12); ++i) {
      const Request request =
          random_request(*network, 1 + dice.below(std::min(8u, network->hosts() - 1)), dice);
      CAPTURE(network->name());
      each_half(*network, {"label", "label-shortest"}, request, [&](Half& half) {
        const std::int64_t least = least_by_brute_force(half.star);
        half.star.tabulate();
        const UnlimitedStar legs(half.star);
        const Star flow = least_traffic_flow(legs);
        CHECK(cost_of(legs, flow).traffic == least);
        CHECK(cost_of(half.star, legs.with_ports(flow)).traffic == least);
        CHECK(duals_of(legs, flow).bound() == least);
        const auto matched = least_traffic_paths(legs);
        REQUIRE(matched);
        CHECK(cost_of(legs, matched->star).traffic == least);
        // As few paths as that traffic allows: one less costs more, or there is only one.
        CHECK(flow.size() <= matched->star.size());
        below_one_a_port += least < cost_of(half.star, least_traffic_flow(half.star)).traffic ? 1 : 0;
      });
    }
  CHECK(below_one_a_port > 20);
}

TEST_CASE("plans without port limits are verified, certified and never above one worm a port") {
  Dice dice(62);
  for (const auto& network : small_networks()) {
    if (find_planner("ocms")->unsupported(*network)) continue;
    CAPTURE(network->name());
    for (int i = 0; i < 8; ++i) {
      const Request request = random_request(*network, 1 + dice.below(network->hosts() - 1), dice);
      for (const std::string rule : {"strict", "free"}) {
        PlanOptions options{{"first-hop", rule}};
        const Plan one = planned(*network, "ocms", request, options);
        options.emplace_back("worms-a-port", "any");
        const BoundPlanner bound(*find_planner("ocms"), *network, options);
        Plan plan = bound.plan(request);
        plan.certificate = certificate_of(bound, plan);
        CHECK_FALSE(PlanVerifier(*network).check(plan));
        CHECK(*plan.traffic_channels <= *one.traffic_channels);
        if (plan.certificate.empty()) continue;
        Plan tampered = plan;
        tampered.certificate[0].port_rents[0] = 1;
        const auto violation = PlanVerifier(*network).check(tampered);
        REQUIRE(violation);
        CHECK(violation->field == "certificate[0].port_rents");
      }
    }
  }
}

TEST_CASE("options that make no sense without port limits are refused") {
  const auto mesh = make("mesh", {4, 4});
  const Request request = request_of(0, {3, 7, 12});
  for (const std::pair<std::string, std::string>& other :
       {std::pair<std::string, std::string>{"edge-disjoint", "yes"}, {"tie", "longest"}}) {
    PlanOptions options = any;
    options.push_back(other);
    CHECK_THROWS_AS(planned(*mesh, "ocms", request, options), InputError);
  }
}

}  // namespace wormcast::unlimited_star_test

// BTL and T2W without relays: main worms that branch into the columns.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "multicast/verification/verify.hpp"
#include "routing/grid_walk.hpp"
#include "topology/error.hpp"
#include "unit/multicast/random_requests.hpp"
#include "unit/multicast/two_phase_model.hpp"

namespace wormcast::two_phase_trees_test {

using namespace testing;

TEST_CASE("trees without relays deliver once, cost what the relayed plans cost, and lose no startup") {
  Random random = RandomStreams(9, "two-phase trees").stream(0);
  for (const auto& dims : std::vector<std::vector<std::uint64_t>>{
           {2, 2}, {2, 5}, {5, 2}, {3, 3}, {4, 4}, {6, 5}, {5, 6}, {1, 5}, {5, 1}, {8, 8}}) {
    const auto torus = make("torus", dims);
    CAPTURE(torus->name());
    PlanVerifier verifier(*torus);
    for (int round = 0; round < 60; ++round) {
      const auto source = static_cast<std::uint32_t>(random.below(torus->hosts()));
      const auto count = static_cast<std::uint32_t>(random.between(1, torus->hosts() - 1));
      const Request request = random_multicast(random, torus->hosts(), source, count);
      for (const char* planner : {"btl", "t2w"})
        for (const PlanOptions& base : std::vector<PlanOptions>{{}, {{"vc-rule", "single"}}}) {
          const Cost relayed = cost(bind_planner(*torus, planner, base), request);
          for (const char* relay : {"lock-step", "asynchronous"}) {
            PlanOptions options = base;
            options.emplace_back("relay", relay);
            const BoundPlanner bound = bind_planner(*torus, planner, options);
            const Plan plan = bound.plan(request);
            const auto violation = verifier.check(plan);
            if (violation) FAIL_CHECK(violation->field << ": " << violation->message);
            CHECK(plan.worms.size() == 1);
            const Cost tree = cost(bound, request);
            CHECK(tree.traffic == relayed.traffic);
            CHECK(tree.latency_ns <= relayed.latency_ns);
          }
        }
    }
  }
}

TEST_CASE("two main path messages without relays are two trees, each in its VC class") {
  const auto torus = make("torus", {5, 5});
  const PlanOptions options{{"vc-rule", "printed"}, {"hmp-messages", "2"}, {"relay", "lock-step"}};
  const Plan plan = bind_planner(*torus, "btl", options).plan(request_of(0, {1, 6, 21}));
  REQUIRE(plan.worms.size() == 2);
  CHECK(plan.worms[0].vc_class == static_cast<std::uint32_t>(RingClass::first));
  CHECK(plan.worms[1].vc_class == static_cast<std::uint32_t>(RingClass::second));
}

TEST_CASE("options that need relays are refused without them") {
  const auto torus = make("torus", {5, 5});
  const auto planned = [&](PlanOptions options) {
    options.emplace_back("relay", "lock-step");
    return bind_planner(*torus, "btl", options).plan(request_of(0, {6}));
  };
  CHECK_THROWS_AS(planned({{"source-column", "relayed"}}), InputError);
  CHECK_THROWS_AS(planned({{"vc-rule", "printed"}}), InputError);
}

}  // namespace wormcast::two_phase_trees_test

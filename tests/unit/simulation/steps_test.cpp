// The step model: every reading of the reference multicasts, plans without and with conflicts, bounds.
// SPDX-License-Identifier: MIT
#include "simulation/steps.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "unit/long_mode.hpp"
#include "unit/multicast/ccc_reference.hpp"
#include "unit/source_dir.hpp"

namespace wormcast::steps_test {

using namespace testing;

namespace {

void check_reading(const nlohmann::json& expected, const StepRun& run) {
  CHECK(run.steps == expected.at("steps").get<std::uint64_t>());
  CHECK(run.blocked == expected.at("blocked").get<std::uint64_t>());
  CHECK(run.shared_links == expected.at("shared").get<std::uint64_t>());
  CHECK(run.sharing_pairs == expected.at("pairs").get<std::uint64_t>());
}

double mean_steps(std::uint32_t n, std::uint32_t m, const std::string& order, int sets,
                  double* blocked = nullptr) {
  const auto network = make("ccc", {n});
  Dice dice(n * 1000 + m);
  double steps = 0;
  for (int i = 0; i < sets; ++i) {
    const StepRun run = run_steps(u_ccc_routes(*network, random_request(*network, m - 1, dice), order), {});
    CHECK(run.steps >= run.least_steps);
    if (order == "masked") CHECK(run.steps == run.least_steps);
    steps += double(run.steps);
    if (blocked != nullptr) *blocked += double(run.blocked) / sets;
  }
  return steps / sets;
}

}  // namespace

TEST_CASE("steps: every reading of every reference multicast") {
  for (const CccCase& one : ccc_cases(testing::source_dir())) {
    CAPTURE(one.expected.at("chain").dump());
    const Routes routes = u_ccc_routes(*one.network, one.request);
    const auto& expected = one.expected.at("multiplexed");
    check_reading(expected.at("P/older"), run_steps(routes, {StepReading::one_port, StepPriority::older}));
    check_reading(expected.at("P/chain"), run_steps(routes, {StepReading::one_port, StepPriority::chain}));
    check_reading(expected.at("P/subtree"),
                  run_steps(routes, {StepReading::one_port, StepPriority::subtree}));
    check_reading(expected.at("L/older"), run_steps(routes, {StepReading::literal, StepPriority::older}));
    check_reading(expected.at("N/older"), run_steps(routes, {StepReading::nominal, StepPriority::older}));
    const auto& fluid = one.expected.at("fluid_completion");
    CHECK(fluid_millisteps(routes) * fluid.at(1).get<std::uint64_t>() ==
          fluid.at(0).get<std::uint64_t>() * 1000);
  }
}

TEST_CASE(
    "steps: separate addressing takes one a destination, a self-send none, arrivals are where they belong") {
  const auto network = make("ccc", {4});
  Dice dice(31);
  for (int i = 0; i < 20; ++i) {
    const BoundPlanner separate(*find_planner("separate"), *network, {});
    const Request request = random_request(*network, 1 + dice.below(40), dice);
    const StepRun run = run_steps(expand(separate.plan(request), separate.context().routing), {});
    CHECK(run.steps == request.destinations.size());
    CHECK(run.blocked == 0);
    for (std::size_t d = 0; d < run.arrival_steps.size(); ++d) CHECK(run.arrival_steps[d] == d + 1);
    CHECK(run_steps(expand(separate.plan(request_of(7, {7})), separate.context().routing), {}).steps == 0);
  }
}

TEST_CASE("steps: broadcasts on CCC take exactly the lower bound") {
  for (const std::uint32_t n : {3u, 4u, 5u, 6u, 7u, 8u}) {
    const auto network = make("ccc", {n});
    for (std::uint32_t source = 0; source < network->hosts(); source += network->hosts() / 8 + 1) {
      std::vector<std::uint32_t> others;
      for (std::uint32_t i = 0; i < network->hosts(); ++i)
        if (i != source) others.push_back(i);
      const StepRun run = run_steps(u_ccc_routes(*network, request_of(source, others)), {});
      CHECK(run.steps == run.least_steps);
      CHECK(run.blocked == 0);
    }
  }
}

TEST_CASE("steps: the means of the paper's study, within sampling error") {
  struct Point {
    std::uint32_t n;
    std::uint32_t m;
    double steps;
    double blocked;
    double error;  ///< of the mean steps of 1000 sets: three standard deviations of both samples
  };
  const bool all = long_mode();
  const int sets = all ? 1000 : 100;
  const double wider = all ? 1.0 : 2.4;
  for (const Point& point :
       {Point{7, 8, 3.02, 0.02, 0.02}, Point{7, 16, 4.09, 0.09, 0.05}, Point{7, 32, 5.34, 0.44, 0.09},
        Point{7, 64, 6.82, 1.41, 0.11}, Point{8, 64, 6.63, 0.93, 0.11}, Point{9, 128, 8.00, 2.22, 0.12},
        Point{10, 256, 9.22, 4.67, 0.13}, Point{7, 512, 9.97, -1, 0.06}, Point{7, 896, 10.0, 0, 0.0001}}) {
    CAPTURE(point.n);
    CAPTURE(point.m);
    double blocked = 0;
    CHECK(std::abs(mean_steps(point.n, point.m, "paper", sets, &blocked) - point.steps) <=
          point.error * wider);
    if (point.blocked >= 0)
      CHECK(std::abs(blocked - point.blocked) <= 0.03 * wider + 0.12 * wider * point.blocked);
    CHECK(mean_steps(point.n, point.m, "masked", all ? 50 : 4) >= 0);
  }
}

TEST_CASE("steps: adversarial sets take far more than the lower bound, the masked order none" *
          doctest::test_suite("long")) {
  // Hill climbing: exchange one node of the set for another, keep what does not take fewer steps.
  const auto network = make("ccc", {4});
  Dice dice(32);
  std::vector<std::uint32_t> nodes(network->hosts());
  std::iota(nodes.begin(), nodes.end(), 0u);
  const auto request = [&] { return request_of(nodes[0], {nodes.begin() + 1, nodes.begin() + 16}); };
  const auto badness = [&] {
    const StepRun run = run_steps(u_ccc_routes(*network, request()), {});
    return run.steps * 1000 + run.blocked;
  };
  std::uint64_t most = 0;
  for (int climb = 0; climb < 100 && most < 8000; ++climb) {
    for (std::size_t i = nodes.size(); i-- > 1;) std::swap(nodes[i], nodes[dice.below(std::uint32_t(i) + 1)]);
    most = badness();
    for (int i = 0; i < 1000 && most < 8000; ++i) {
      const std::size_t in = dice.below(16);
      const std::size_t out = 16 + dice.below(std::uint32_t(nodes.size()) - 16);
      std::swap(nodes[in], nodes[out]);
      const std::uint64_t now = badness();
      if (now < most)
        std::swap(nodes[in], nodes[out]);
      else
        most = now;
    }
  }
  CHECK(most / 1000 == 8);  // twice the lower bound
  CHECK(run_steps(u_ccc_routes(*network, request(), "masked"), {}).steps == 4);
}

}  // namespace wormcast::steps_test

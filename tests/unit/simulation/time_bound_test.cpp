// What is too long to be counted is refused before anything moves; what is not ends within the bound.
// SPDX-License-Identifier: MIT
#include "simulation/route_check.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "simulation/engine.hpp"
#include "topology/error.hpp"
#include "unit/networks.hpp"
#include "unit/simulation/hand_routes.hpp"
#include "unit/simulation/random_scenario.hpp"

namespace wormcast::time_bound_test {

TEST_CASE("no run ends later than its bound") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    const Scenario scenario = RandomScenario(seed).make();
    TimeBound bound(*scenario.topology, scenario.options.model);
    const Resources resources(*scenario.topology, scenario.options.model);
    for (const Routes& routes : scenario.routes)
      bound.add(routes, check_simulable(resources, routes).latest_request);
    const Summary summary = simulate(make_flit_engine, scenario).summary;
    CHECK(summary.last_cycle <= bound.last());
    CHECK(summary.flit_hops <= bound.last());
  }
}

TEST_CASE("a run that cannot be counted in the integers of a record is refused") {
  const auto mesh = testing::make("mesh", {3, 3});
  const auto refusal = [&](std::uint64_t flits, const RouterModel& model, std::uint64_t times) {
    SimulationOptions options;
    options.model = model;
    const auto engine = make_worm_engine(*mesh, options);
    try {
      for (std::uint64_t id = 0; id < times; ++id)
        engine->push(multicast(id, 0, flits, {path_worm(*mesh, {0, 1, 2, 5}, {2, 5})}));
    } catch (const InputError& error) {
      CHECK(error.field == "length_flits");
      return std::string(error.what());
    }
    return std::string();
  };
  constexpr std::uint64_t most = (std::uint64_t{1} << 53) - 1;
  CHECK(refusal(1'000'000'000'000, {}, 10).empty());
  const std::string too_long = "flits, so far, the run could take more than 9007199254740991 cycles";
  CHECK(refusal(most, {}, 1) == "with 9007199254740991 " + too_long);
  CHECK(refusal(most / 27 - 1, {}, 1).empty());  // 9 hops and ends, 3 cycles
  CHECK(refusal(most / 27 - 1, {}, 2) == "with 333599972397813 " + too_long);
  CHECK(refusal(1'000'000'000, {}, 20'000).empty());  // many worms are no reason
  RouterModel slow;
  slow.hop_cycles = slow.flit_cycles = slow.credit_cycles = UINT32_MAX;
  CHECK(refusal(64, slow, 1).empty());
  CHECK(refusal(most, slow, 1) == "with 9007199254740991 " + too_long);
  slow.startup_cycles = slow.overhead_cycles = most;
  CHECK(refusal(1, slow, 1) == "with 1 " + too_long);
}

TEST_CASE("waits and latencies whose sum a record cannot state are refused, whatever is waited for") {
  const auto mesh = testing::make("mesh", {3, 3});
  const auto refused_field = [&](const RouterModel& model, bool chained) {
    SimulationOptions options;
    options.model = model;
    const auto engine = make_worm_engine(*mesh, options);
    try {
      for (std::uint64_t id = 0; id < 300; ++id) {
        const std::uint32_t from = chained && id % 2 == 1 ? 2 : 0;
        Routes routes =
            multicast(id, 0, 500'000'000'000, {path_worm(*mesh, {from, 1, 2 - from}, {2 - from})});
        if (chained && id > 0) routes.plan.request.depends_on = {id - 1};
        engine->push(std::move(routes));
      }
      engine->finish();
    } catch (const InputError& error) {
      CHECK(std::string(error.what()) == "the sum over the run is above 9007199254740991");
      return error.field;
    }
    return std::string();
  };
  RouterModel one_port;
  one_port.injection_channels = 1;
  CHECK(refused_field(one_port, false) == "source_queueing_cycles");
  CHECK(refused_field({}, false) == "blocked_cycles");
  CHECK(refused_field({}, true) == "latency_cycles_sum");
}

}  // namespace wormcast::time_bound_test

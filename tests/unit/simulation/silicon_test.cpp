// Preset floonoc against what was measured on the register-transfer code of that router: every tail's cycle,
// and what stands still.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/command_line/router_options.hpp"
#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "simulation/engine.hpp"
#include "unit/simulation/scenario.hpp"
#include "unit/source_dir.hpp"

using namespace wormcast;
using nlohmann::json;

namespace {

RouterModel router(const std::string& preset) {
  io::RouterOptions options;
  options.preset = preset;
  return io::router_model(options);
}

Scenario measured_scenario(const json& line) {
  Scenario scenario = mesh_scenario(4, 4);
  if (line.contains("virtual_channels"))
    scenario.topology = build_topology({"mesh", {4, 4}, line.at("virtual_channels"), {}});
  scenario.options.model = router(line.value("router", "floonoc"));
  scenario.options.model.buffer_flits = line.value("buffer_flits", scenario.options.model.buffer_flits);
  const BoundPlanner planner(*find_planner("xy-tree"), *scenario.topology, PlanOptions{});
  for (const json& multicast : line.at("multicasts")) {
    Request request;
    request.id = scenario.routes.size();
    request.source = HostId{multicast.at("source")};
    for (const std::uint32_t host : multicast.at("destinations"))
      request.destinations.push_back(HostId{host});
    std::sort(request.destinations.begin(), request.destinations.end());
    request.length_flits = multicast.value("length_flits", line.value("length_flits", 0U));
    request.start_cycle = multicast.value("start_cycle", 0U);
    scenario.routes.push_back(Expander(planner.context().routing).expand(planner.plan(std::move(request))));
  }
  return scenario;
}

}  // namespace

TEST_CASE("200 scenarios of a published router: every tail to the cycle, complete or stuck as measured") {
  std::ifstream file(testing::source_dir() + "/tests/reference/router_multicast.jsonl");
  REQUIRE(file.is_open());
  std::size_t scenarios = 0;
  std::size_t stuck = 0;
  std::size_t tails = 0;
  for (std::string text; std::getline(file, text); ++scenarios) {
    CAPTURE(scenarios);
    const json line = json::parse(text);
    std::vector<Arrival> expected;  // a node takes a cycle to offer a flit to its router
    for (const json& tail : line.at("tail_ejections"))
      expected.push_back({{tail.at(0), 0}, HostId{tail.at(1)}, tail.at(2).get<Cycle>() - 1});
    std::sort(expected.begin(), expected.end());
    const bool complete = line.at("complete");
    for (const MakeEngine make : {make_flit_engine, make_link_engine}) {
      const Run run = simulate(make, measured_scenario(line));
      CHECK(run.arrivals == expected);
      CHECK(run.summary.outcome == (complete ? Outcome::complete : Outcome::deadlock));
    }
    stuck += complete ? 0 : 1;
    tails += expected.size();
  }
  CHECK(scenarios == 200);
  CHECK(stuck == 25);
  CHECK(tails == 1604);
}

TEST_CASE("191 scenarios of two more routers: every tail to the cycle, complete or stuck as measured") {
  std::ifstream file(testing::source_dir() + "/tests/reference/router_serial_and_lock_step.jsonl");
  REQUIRE(file.is_open());
  std::size_t exact = 0;
  std::size_t stuck = 0;
  for (std::string text; std::getline(file, text);) {
    const json line = json::parse(text);
    CAPTURE(text);
    std::vector<Arrival> expected;
    for (const json& tail : line.at("tail_ejections"))
      expected.push_back({{tail.at(0), 0},
                          HostId{tail.at(1)},
                          tail.at(2).get<Cycle>() - (line.at("router") == "esp" ? 1 : 2)});
    std::sort(expected.begin(), expected.end());
    const bool complete = line.at("complete");
    const Run run = simulate(make_engine, measured_scenario(line));
    CHECK(run.arrivals == expected);
    CHECK(run.summary.outcome == (complete ? Outcome::complete : Outcome::deadlock));
    exact += run.arrivals == expected ? 1 : 0;
    stuck += complete ? 0 : 1;
  }
  CHECK(exact == 191);
  CHECK(stuck == 49);
}

TEST_CASE("first come, first served, or copies as planned, are not that router") {
  std::ifstream file(testing::source_dir() + "/tests/reference/router_multicast.jsonl");
  std::size_t other_arbitration = 0;
  std::size_t other_copies = 0;
  for (std::string text; std::getline(file, text);) {
    Scenario scenario = measured_scenario(json::parse(text));
    const Run run = simulate(make_flit_engine, scenario);
    scenario.options.model.output_arbitration = OutputArbitration::first_come;
    other_arbitration += simulate(make_flit_engine, scenario).arrivals == run.arrivals ? 0 : 1;
    scenario.options.model = router("floonoc");
    scenario.options.model.copies = Copies::unstated;
    other_copies += simulate(make_flit_engine, scenario).arrivals == run.arrivals ? 0 : 1;
  }
  CHECK(other_arbitration == 37);
  CHECK(other_copies == 21);
}

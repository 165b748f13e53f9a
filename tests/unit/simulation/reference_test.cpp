// The flit engine against the reference scenarios: arrivals, deadlocks with cores, waits, contention.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "router/router_model.hpp"
#include "simulation/engine.hpp"
#include "unit/simulation/scenario.hpp"
#include "unit/source_dir.hpp"

namespace wormcast::simulation_reference_test {

using nlohmann::json;

namespace {

RouterModel model_of(const json& params) {
  RouterModel model;
  model.hop_cycles = params.at("H");
  model.flit_cycles = params.at("F");
  model.credit_cycles = params.at("C");
  model.buffer_flits = params.at("B");
  model.startup_cycles = params.at("startup");
  model.relay_startup_cycles = params.at("relay_startup");
  model.overhead_cycles = params.at("overhead");
  model.header_flits = params.at("header_flits");
  model.injection_channels = params.at("injection");
  model.consumption_channels =
      params.at("consumption").is_number() ? params.at("consumption").get<std::uint32_t>() : 0;
  model.shared_links = params.at("shared");
  return model;
}

Scenario scenario_of(const json& line) {
  Scenario scenario;
  scenario.topology = build_topology({"mesh", line.at("dims").get<std::vector<std::uint64_t>>(), 0, {}});
  scenario.options.model = model_of(line.at("params"));
  std::map<std::uint64_t, std::size_t> place;  // multicast id → index in routes
  for (const json& multicast : line.at("multicasts")) {
    place[multicast.at("id")] = scenario.routes.size();
    Request request;
    request.id = multicast.at("id");
    request.source = HostId{multicast.at("source")};
    for (const std::uint32_t host : multicast.at("destinations"))
      request.destinations.push_back(HostId{host});
    std::sort(request.destinations.begin(), request.destinations.end());
    request.length_flits = multicast.at("length");
    request.start_cycle = multicast.at("start");
    scenario.routes.emplace_back().plan.request = request;
  }
  for (const json& worm : line.at("worms")) {
    WormRoute route;
    route.source = HostId{worm.at("source")};
    if (!worm.at("after").is_null())
      route.after = line.at("worms").at(worm.at("after").get<std::size_t>()).at("index");
    if (worm.at("mode") == "lockstep") route.replication = Copies::lock_step;
    if (worm.at("mode") == "async") route.replication = Copies::asynchronous;
    Routes& routes = scenario.routes[place.at(worm.at("id"))];
    for (const json& hop : worm.at("hops")) {
      RouteHop next;
      next.parent = hop.at("p");
      if (hop.contains("ch")) {
        next.target = hop.at("id");
        next.vc = hop.at("ch").at(2);
      } else {
        next.target = hop.at("consume");
        const auto& hosts = routes.plan.request.destinations;
        next.kind = std::binary_search(hosts.begin(), hosts.end(), HostId{next.target})
                        ? RouteHop::Kind::deliver
                        : RouteHop::Kind::relay;
      }
      route.hops.push_back(next);
    }
    routes.worms.push_back(route);
  }
  return scenario;
}

std::vector<WormName> names(const json& list) {
  std::vector<WormName> result;
  for (const json& name : list) result.push_back({name.at(0), name.at(1)});
  return result;
}

ResourceId resource_of(const json& name, const Scenario& scenario) {
  const Resources resources(*scenario.topology, scenario.options.model);
  const auto channel_between = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t port = 0;; ++port)
      if (scenario.topology->neighbour(NodeId{from}, PortId{port}) == NodeId{to})
        return scenario.topology->channel(NodeId{from}, PortId{port});
  };
  if (name.at(0) == "inj") return resources.injection(HostId{name.at(1)});
  if (name.at(0) == "vc") return resources.network(channel_between(name.at(1), name.at(2)), name.at(3));
  if (name.size() == 2) return resources.consumption(HostId{name.at(1)}, std::nullopt, 0);
  return resources.consumption(HostId{name.at(2)}, channel_between(name.at(1), name.at(2)), name.at(3));
}

void check_deadlock(const json& expected, const Deadlock& deadlock, const Scenario& scenario) {
  CHECK(deadlock.cycle == expected.at("cycle").get<Cycle>());
  CHECK(deadlock.blocked == names(expected.at("set")));
  std::vector<WormName> core;
  std::set<std::tuple<WormName, ResourceId>> holds;
  std::set<std::tuple<WormName, ResourceId>> waits;
  for (const StuckWorm& worm : deadlock.core) {
    core.push_back(worm.name);
    for (const ResourceId id : worm.holds) holds.emplace(worm.name, id);
    for (const ResourceId id : worm.waits) waits.emplace(worm.name, id);
  }
  CHECK(core == names(expected.at("core")));
  std::set<std::tuple<WormName, ResourceId>> expected_holds;
  std::set<std::tuple<WormName, ResourceId>> expected_waits;
  for (const json& hold : expected.at("holds"))
    expected_holds.emplace(WormName{hold.at(0), hold.at(1)}, resource_of(hold.at(2), scenario));
  for (const json& wait : expected.at("waits"))
    expected_waits.emplace(WormName{wait.at(0), wait.at(1)}, resource_of(wait.at(2), scenario));
  CHECK(holds == expected_holds);
  CHECK(waits == expected_waits);
}

}  // namespace

namespace {

template <class MakeEngine>
void check_reference(MakeEngine make, bool shared_links) {
  std::ifstream file(testing::source_dir() + "/tests/reference/simulator.jsonl");
  REQUIRE(file.is_open());
  std::size_t scenarios = 0;
  for (std::string text; std::getline(file, text); ++scenarios) {
    const json line = json::parse(text);
    CAPTURE(line.at("name").get<std::string>());
    const json& expected = line.at("expected");
    const Scenario scenario = scenario_of(line);
    if (scenario.options.model.shared_links && !shared_links) continue;
    const Run run = simulate(make, scenario);

    std::vector<Arrival> arrivals;
    for (const json& arrival : expected.at("arrivals"))
      arrivals.push_back({{arrival.at(0), arrival.at(1)}, HostId{arrival.at(2)}, arrival.at(3)});
    std::sort(arrivals.begin(), arrivals.end());
    CHECK(run.arrivals == arrivals);
    CHECK(run.summary.outcome ==
          (expected.at("outcome") == "deadlock" ? Outcome::deadlock : Outcome::complete));
    CHECK(run.summary.blocked_cycles == expected.at("blocked_cycles").get<Cycle>());
    CHECK(run.summary.contention == expected.at("contention").get<std::uint64_t>());
    CHECK(run.summary.source_queueing_cycles == expected.at("injection_wait_cycles").get<Cycle>());
    REQUIRE(run.summary.deadlock.has_value() == !expected.at("deadlock").is_null());
    if (run.summary.deadlock) check_deadlock(expected.at("deadlock"), *run.summary.deadlock, scenario);
  }
  CHECK(scenarios == 100);
}

}  // namespace

TEST_CASE("reference scenarios, flit engine: arrivals, deadlocks, waits and contention") {
  check_reference(make_flit_engine, true);
}

TEST_CASE("reference scenarios, worm engine, where links are not shared") {
  check_reference(make_worm_engine, false);
}

}  // namespace wormcast::simulation_reference_test

// Path reservation against a schedule made by hand: each worm simulated alone says how long it holds what,
// and a list of worms in the order of their requests says when each of them can have all of it.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "router/router_model.hpp"
#include "unit/simulation/random_scenario.hpp"
#include "unit/simulation/scenario.hpp"

namespace wormcast::path_reservation_test {

namespace {

/// A worm alone in the network, in cycles from its injection grant.
struct Alone {
  std::vector<std::pair<ResourceId, Cycle>> released;
  std::vector<std::pair<HostId, Cycle>> arrivals;
};

Alone alone(const Scenario& scenario, const Routes& routes, const WormRoute& route) {
  struct Listener final : Observer {
    void held(WormName, ResourceId resource, Cycle, Cycle to) override {
      result.released.emplace_back(resource, to);
    }
    void arrived(WormName, HostId host, Cycle cycle) override { result.arrivals.emplace_back(host, cycle); }
    Alone result;
  } listener;
  WormRoute worm = route;
  worm.after = -1;
  for (RouteHop& hop : worm.hops)
    if (hop.kind == RouteHop::Kind::relay) hop.kind = RouteHop::Kind::deliver;
  SimulationOptions options;
  options.model = scenario.options.model;
  options.model.path_reservation = false;
  if (route.after >= 0) options.model.startup_cycles = options.model.relay_startup_cycles;
  options.observer = &listener;
  const auto engine = make_flit_engine(*scenario.topology, options);
  engine->push(multicast(0, 0, routes.plan.request.length_flits, {worm}));
  engine->finish();
  return listener.result;
}

/// A worm in the list.
struct Listed {
  Cycle ready = 0;
  std::uint64_t multicast = 0;
  std::uint32_t index = 0;
  bool waits = false;  ///< asks for what it needs
  bool granted = false;
  Alone alone;
  std::vector<std::size_t> followers;
  HostId source;
};

/// Grants cycle by cycle, in the order of the requests; a waiting worm keeps its place in every queue.
std::vector<Arrival> listed_arrivals(const Scenario& scenario, std::vector<Listed> worms) {
  const Resources resources(*scenario.topology, scenario.options.model);
  std::multimap<ResourceId, Cycle> held;  // until when
  std::vector<Arrival> arrivals;
  std::size_t open = worms.size();
  for (Cycle now = 0; open > 0; ++now) {
    REQUIRE(now < 1'000'000);
    std::erase_if(held, [&](const auto& hold) { return hold.second <= now; });
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < worms.size(); ++i)
      if (worms[i].waits && !worms[i].granted && worms[i].ready <= now) order.push_back(i);
    const auto key = [&](std::size_t i) {
      return std::tuple(worms[i].ready, worms[i].multicast, worms[i].index);
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    std::map<ResourceId, int> wanted;  // by those that go on waiting
    for (const std::size_t i : order) {
      Listed& worm = worms[i];
      const bool all = std::all_of(worm.alone.released.begin(), worm.alone.released.end(), [&](auto& need) {
        const std::uint32_t units = resources.units(need.first);
        return units == 0 || (held.count(need.first) < units && wanted[need.first] == 0);
      });
      if (!all) {
        for (const auto& need : worm.alone.released) ++wanted[need.first];
        continue;
      }
      worm.granted = true;
      --open;
      for (const auto& [resource, cycle] : worm.alone.released) held.emplace(resource, now + cycle);
      for (const auto& [host, cycle] : worm.alone.arrivals) {
        arrivals.push_back({{worm.multicast, worm.index}, host, now + cycle});
        for (const std::size_t follower : worm.followers) {
          if (worms[follower].source != host) continue;
          worms[follower].waits = true;
          worms[follower].ready = now + cycle + scenario.options.model.flit_cycles;
        }
      }
    }
  }
  std::sort(arrivals.begin(), arrivals.end());
  return arrivals;
}

std::vector<Listed> list_worms(const Scenario& scenario) {
  std::vector<Listed> worms;
  for (const Routes& routes : scenario.routes) {
    const std::size_t first = worms.size();
    for (std::uint32_t i = 0; i < routes.worms.size(); ++i) {
      const WormRoute& route = routes.worms[i];
      const Request& request = routes.plan.request;
      worms.push_back({request.start_cycle,
                       request.id,
                       i,
                       route.after < 0,
                       false,
                       alone(scenario, routes, route),
                       {},
                       route.source});
      if (route.after >= 0)
        worms[first + static_cast<std::size_t>(route.after)].followers.push_back(worms.size() - 1);
    }
  }
  return worms;
}

}  // namespace

TEST_CASE("path reservation: worms get their paths in the order of their requests, as a list of them says" *
          doctest::test_suite("long")) {
  std::uint64_t waited = 0;
  std::uint64_t deadlocks_without = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Scenario scenario = RandomScenario(seed).make();
    scenario.options.window.reset();
    scenario.options.stop_on_deadlock = false;
    for (Routes& routes : scenario.routes) {
      routes.plan.request.depends_on.clear();
      for (WormRoute& worm : routes.worms)
        for (RouteHop& hop : worm.hops) hop.not_before_cycle = 0;
    }
    scenario.options.model.path_reservation = false;
    deadlocks_without += simulate(make_flit_engine, scenario).summary.outcome == Outcome::deadlock ? 1 : 0;
    scenario.options.model.path_reservation = true;
    const std::vector<Arrival> expected = listed_arrivals(scenario, list_worms(scenario));
    for (const auto make : {make_flit_engine, make_worm_engine}) {
      const Run run = simulate(make, scenario);
      REQUIRE(run.summary.outcome == Outcome::complete);
      CHECK(run.summary.blocked_cycles == 0);
      REQUIRE(run.arrivals == expected);
      waited += run.summary.source_queueing_cycles > 0 ? 1 : 0;
    }
  }
  CHECK(waited > 300);
  CHECK(deadlocks_without > 15);
}

}  // namespace wormcast::path_reservation_test

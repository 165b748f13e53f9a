// A simulation in a test: what goes in, what comes out.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "simulation/engine.hpp"
#include "topology/topology.hpp"

namespace wormcast {

struct Scenario {
  std::unique_ptr<const Topology> topology;
  SimulationOptions options;
  std::vector<Routes> routes;  ///< in start order
};

/// Nothing yet on a mesh of these sides.
inline Scenario mesh_scenario(std::uint64_t width, std::uint64_t height) {
  Scenario scenario;
  scenario.topology = build_topology({"mesh", {width, height}, 0, {}});
  return scenario;
}

struct Arrival {
  WormName worm;
  HostId host;
  Cycle cycle = 0;
  friend auto operator<=>(const Arrival&, const Arrival&) = default;
};

struct Run {
  std::vector<Arrival> arrivals;     ///< sorted
  std::vector<Delivery> deliveries;  ///< in the order of poll()
  std::vector<ChannelLoad> loads;
  Summary summary;
  std::optional<Cycle> flits_moved_from;
};

/// Pushes the scenario's routes one by one, advancing and polling in between. Without an observer there
/// are no arrivals in the result, and engines need not stop at everything that one would see; they also put
/// off two of three advances.
template <class MakeEngine>
Run simulate(MakeEngine make, const Scenario& scenario, bool observed = true) {
  struct Listener final : Observer {
    void held(WormName, ResourceId, Cycle, Cycle) override {}
    void arrived(WormName worm, HostId host, Cycle cycle) override {
      arrivals.push_back({worm, host, cycle});
    }
    std::vector<Arrival> arrivals;
  } listener;
  SimulationOptions options = scenario.options;
  if (observed) options.observer = &listener;
  options.taken_at_once = observed ? 1 : 3;
  if (!options.window) options.channel_loads = LoadsBy::channel;
  const std::unique_ptr<Engine> engine = make(*scenario.topology, options);
  Run run;
  for (const Routes& routes : scenario.routes) {
    engine->push(routes);
    engine->advance();
    while (const Delivery* delivery = engine->poll()) run.deliveries.push_back(*delivery);
  }
  engine->finish();
  while (const Delivery* delivery = engine->poll()) run.deliveries.push_back(*delivery);
  run.summary = engine->summary();
  run.loads = engine->channel_loads();
  run.flits_moved_from = engine->flits_moved_from();
  std::sort(listener.arrivals.begin(), listener.arrivals.end());
  run.arrivals = std::move(listener.arrivals);
  return run;
}

}  // namespace wormcast

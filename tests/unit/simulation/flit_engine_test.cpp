// The flit engine by the rules: closed-form latencies, phases, dependencies, queues, and what the
// reference scenarios leave out (links of hosts, not-before cycles).
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "simulation/engine.hpp"
#include "topology/error.hpp"
#include "topology/random.hpp"
#include "unit/simulation/hand_routes.hpp"
#include "unit/simulation/scenario.hpp"

namespace wormcast::flit_engine_test {

namespace {

RouterModel random_model(Random& random) {
  RouterModel model;
  model.hop_cycles = static_cast<std::uint32_t>(1 + random.below(4));
  model.flit_cycles = static_cast<std::uint32_t>(1 + random.below(3));
  model.credit_cycles = static_cast<std::uint32_t>(1 + random.below(4));
  model.buffer_flits = static_cast<std::uint32_t>(1 + random.below(8));
  model.startup_cycles = random.below(20);
  model.relay_startup_cycles = random.below(20);
  model.overhead_cycles = random.below(5);
  model.header_flits = static_cast<std::uint32_t>(random.below(3));
  model.injection_channels = static_cast<std::uint32_t>(random.below(3));
  model.consumption_channels = static_cast<std::uint32_t>(random.below(3));
  return model;
}

/// Equation (1) of the report, and what slow credits add over at least one hop.
Cycle uncontended(const RouterModel& m, std::uint64_t hops, std::uint64_t length_flits) {
  const std::uint64_t flits = length_flits + m.header_flits;
  Cycle cycles = m.startup_cycles + m.overhead_cycles + hops * m.hop_cycles + (flits - 1) * m.flit_cycles;
  const std::uint64_t loop = m.hop_cycles + m.credit_cycles;
  const std::uint64_t window = std::uint64_t{m.buffer_flits} * m.flit_cycles;
  if (hops > 0 && loop > window) cycles += (flits - 1) / m.buffer_flits * (loop - window);
  return cycles;
}

}  // namespace

TEST_CASE("uncontended worms: the latency equation, exactly, for unicasts, self-sends and paths") {
  Random random = RandomStreams(7, "uncontended").stream(0);
  for (std::uint64_t round = 0; round < 300; ++round) {
    Scenario scenario = mesh_scenario(1 + random.below(6), 1 + random.below(6));
    scenario.options.model = random_model(random);
    const auto nodes = scenario.topology->hosts();
    const auto from = static_cast<std::uint32_t>(random.below(nodes));
    const auto to = static_cast<std::uint32_t>(random.below(nodes));
    const Cycle start = random.below(1000);
    const std::uint64_t flits = 1 + random.below(40);
    const std::vector<std::uint32_t> way = xy_nodes(*scenario.topology, from, to);
    std::vector<std::uint32_t> stops = {to};
    for (std::size_t i = 1; i + 1 < way.size(); ++i)
      if (random.below(3) == 0) stops.push_back(way[i]);
    scenario.routes.push_back(multicast(round, start, flits, {path_worm(*scenario.topology, way, stops)}));
    const Run run = simulate(make_flit_engine, scenario);
    REQUIRE(run.deliveries.size() == 1);
    for (std::size_t i = 0; i < stops.size(); ++i) {
      const auto& hosts = run.deliveries[0].plan.request.destinations;
      const auto place = std::lower_bound(hosts.begin(), hosts.end(), HostId{stops[i]}) - hosts.begin();
      const auto hops = static_cast<std::uint64_t>(std::find(way.begin(), way.end(), stops[i]) - way.begin());
      CHECK(run.deliveries[0].arrival_cycles[static_cast<std::size_t>(place)] ==
            start + uncontended(scenario.options.model, hops, flits));
    }
    CHECK(run.summary.flit_hops == (way.size() - 1) * (flits + scenario.options.model.header_flits));
    CHECK(run.summary.blocked_cycles == 0);
    CHECK(run.summary.outcome == Outcome::complete);
  }
}

TEST_CASE("BookSim 2's zero-load latencies") {
  // T = 4 d + 6 + (L − 1) + ⌊(L − 1) / B⌋ (5 − B) for B < 5.
  const std::vector<std::pair<std::uint32_t, Cycle>> at_zero_hops = {
      {1, 81}, {2, 42}, {3, 31}, {4, 24}, {5, 21}};
  for (const auto& [buffer, cycles] : at_zero_hops)
    for (const std::uint32_t hops : {0U, 1U, 2U, 7U}) {
      Scenario scenario = mesh_scenario(8, 8);
      RouterModel& model = scenario.options.model;
      model.hop_cycles = 3;
      model.routing_cycles = 1;
      model.credit_cycles = 2;
      model.consumption_cycles = 5;
      model.overhead_cycles = 6;
      model.buffer_flits = buffer;
      model.injection_channels = 1;
      model.consumption_channels = 1;
      scenario.routes.push_back(multicast(
          0, 0, 16, {path_worm(*scenario.topology, xy_nodes(*scenario.topology, 0, hops), {hops})}));
      for (const auto make : {make_flit_engine, make_worm_engine})
        CHECK(simulate(make, scenario).deliveries.at(0).latency_cycles() == cycles + 4 * hops);
    }
}

TEST_CASE("uncontended phases: each adds F, the relay's startup and its own way") {
  Random random = RandomStreams(7, "phases").stream(0);
  for (int round = 0; round < 100; ++round) {
    Scenario scenario = mesh_scenario(5, 5);
    scenario.options.model = random_model(random);
    const RouterModel& model = scenario.options.model;
    const std::vector<std::uint32_t> hosts = {0, 13, 4, 22};
    const std::uint64_t flits = 1 + random.below(20);
    const bool relay_only = random.below(2) == 0;
    std::vector<WormRoute> worms;
    Cycle expected = 0;
    RouterModel phase = model;
    for (std::size_t i = 0; i + 1 < hosts.size(); ++i) {
      const auto way = xy_nodes(*scenario.topology, hosts[i], hosts[i + 1]);
      const bool last = i + 2 == hosts.size();
      worms.push_back(path_worm(*scenario.topology, way, {hosts[i + 1]},
                                relay_only && !last ? RouteHop::Kind::relay : RouteHop::Kind::deliver));
      worms.back().after = static_cast<std::int32_t>(i) - 1;
      expected += uncontended(phase, way.size() - 1, flits) + (last ? 0 : model.flit_cycles);
      phase.startup_cycles = model.relay_startup_cycles;
    }
    scenario.routes.push_back(multicast(1, 0, flits, worms));
    const Run run = simulate(make_flit_engine, scenario);
    REQUIRE(run.deliveries.size() == 1);
    CHECK(run.deliveries[0].latency_cycles() == expected);
    CHECK(run.deliveries[0].arrival_cycles.size() == (relay_only ? 1 : 3));
  }
}

TEST_CASE("idle time is skipped") {
  Scenario scenario = mesh_scenario(4, 4);
  const Cycle step = Cycle{1} << 40;
  for (std::uint64_t i = 0; i < 50; ++i)
    scenario.routes.push_back(multicast(
        i, i * step, 3, {path_worm(*scenario.topology, xy_nodes(*scenario.topology, 0, 15), {15})}));
  const Run run = simulate(make_flit_engine, scenario);
  REQUIRE(run.deliveries.size() == 50);
  for (std::uint64_t i = 0; i < 50; ++i) CHECK(run.deliveries[i].completion_cycle == i * step + 8);
}

TEST_CASE("one injection channel: a worm holds it until its tail has crossed the first channel") {
  Scenario scenario = mesh_scenario(3, 1);
  scenario.options.model.injection_channels = 1;
  scenario.options.model.startup_cycles = 10;
  const Topology& net = *scenario.topology;
  scenario.routes.push_back(multicast(0, 0, 5, {path_worm(net, {1, 2}, {2}), path_worm(net, {1, 0}, {0})}));
  const Run run = simulate(make_flit_engine, scenario);
  REQUIRE(run.deliveries.size() == 1);
  // Grant 0, header 10, tail crosses at 14: the second is granted at 15.
  CHECK(run.deliveries[0].arrival_cycles == std::vector<Cycle>{15 + 10 + 1 + 4, 10 + 1 + 4});
  CHECK(run.deliveries[0].source_queueing_cycles == 15);
}

TEST_CASE("depends_on: ready F after the last arrival at the source, not before the start") {
  Scenario scenario = mesh_scenario(4, 1);
  const Topology& net = *scenario.topology;
  scenario.routes.push_back(multicast(0, 0, 4, {path_worm(net, {0, 1, 2}, {2})}));  // arrives at 2 + 3
  scenario.routes.push_back(multicast(1, 0, 9, {path_worm(net, {3, 2}, {2})}));     // arrives at 1 + 8
  scenario.routes.push_back(multicast(2, 1, 4, {path_worm(net, {2, 3}, {3})}));
  scenario.routes.back().plan.request.depends_on = {0, 1};
  scenario.routes.push_back(multicast(3, 100, 4, {path_worm(net, {2, 3}, {3})}));
  scenario.routes.back().plan.request.depends_on = {0};
  const Run run = simulate(make_flit_engine, scenario);
  REQUIRE(run.deliveries.size() == 4);
  CHECK(run.deliveries[2].arrival_cycles[0] == 9 + 1 + 1 + 3);
  CHECK(run.deliveries[3].arrival_cycles[0] == 100 + 1 + 3);

  scenario.routes[3].plan.request.depends_on = {7};
  CHECK_THROWS_WITH_AS(simulate(make_flit_engine, scenario),
                       "multicast 7 does not come earlier in the stream", InputError);
  scenario.routes.pop_back();
  scenario.routes[2].plan.request.depends_on = {0};
  scenario.routes[2].plan.request.source = HostId{1};
  scenario.routes[2].worms[0] = path_worm(net, {1, 2, 3}, {3});
  CHECK_THROWS_WITH_AS(simulate(make_flit_engine, scenario), "multicast 0 does not go to node 1", InputError);
}

TEST_CASE("not_before_cycle: a hop is requested no earlier, and only its own delay counts as waiting") {
  Scenario scenario = mesh_scenario(4, 1);
  const Topology& net = *scenario.topology;
  WormRoute worm = path_worm(net, {0, 1, 2, 3}, {2, 3});
  worm.hops[1].not_before_cycle = 30;
  worm.hops[2].not_before_cycle = 45;  // the consumption at node 2
  scenario.routes.push_back(multicast(0, 0, 1, {worm}));
  const Run run = simulate(make_flit_engine, scenario);
  REQUIRE(run.deliveries.size() == 1);
  CHECK(run.deliveries[0].arrival_cycles == std::vector<Cycle>{45, 46});
  CHECK(run.summary.blocked_cycles == 0);
}

namespace {

/// Two switches joined by one link, two hosts each on links of their own.
class TwoSwitches final : public Topology {
 public:
  TwoSwitches() : Topology({"graph", {}, 0, {}}, 2, 4, 1) { channel_bound_ = 2; }
  std::string whole_name() const override { return "two-switches"; }
  NodeId router_of(HostId host) const override { return NodeId{host.value / 2}; }
  bool hosts_have_links() const override { return true; }
  std::optional<NodeId> neighbour(NodeId node, PortId) const override { return NodeId{1 - node.value}; }
  bool labelled() const override { return false; }
  std::uint32_t distance(NodeId from, NodeId to) const override { return from == to ? 0 : 1; }

 protected:
  Label closed_form_label(NodeId node) const override { return Label{node.value}; }
  NodeId closed_form_node_at(Label label) const override { return NodeId{label.value}; }
};

}  // namespace

TEST_CASE("links of hosts: they count as hops, and the injection channel is free behind the tail") {
  Scenario scenario;
  scenario.topology = std::make_unique<TwoSwitches>();
  scenario.options.model.hop_cycles = 3;
  scenario.options.model.buffer_flits = 8;
  scenario.options.model.startup_cycles = 100;
  scenario.options.model.injection_channels = 1;
  const auto unicast = [](std::uint32_t from, std::uint32_t to) {
    WormRoute worm;
    worm.source = HostId{from};
    if (from / 2 != to / 2) worm.hops.push_back({from / 2, -1});
    worm.hops.push_back({to, static_cast<std::int32_t>(worm.hops.size()) - 1, 0, RouteHop::Kind::deliver});
    return worm;
  };
  scenario.routes.push_back(multicast(0, 0, 33, {unicast(0, 3), unicast(0, 1)}));
  const Run run = simulate(make_flit_engine, scenario);
  REQUIRE(run.deliveries.size() == 1);
  // Host 3 is three hops away; the second worm starts when the first's tail has crossed the host's link.
  CHECK(run.deliveries[0].arrival_cycles == std::vector<Cycle>{133 + 100 + 2 * 3 + 32, 100 + 3 * 3 + 32});
  CHECK(run.summary.blocked_cycles == 0);
  CHECK(run.summary.flit_hops == 33);
}

TEST_CASE("links of hosts: a worm to two hosts at one switch branches there") {
  Scenario scenario;
  scenario.topology = std::make_unique<TwoSwitches>();
  scenario.options.model.buffer_flits = 16;
  WormRoute tree;
  tree.source = HostId{0};
  tree.hops = {{0, -1}, {2, 0, 0, RouteHop::Kind::deliver}, {3, 0, 0, RouteHop::Kind::deliver}};
  scenario.routes.push_back(multicast(0, 0, 10, {tree}));
  CHECK_FALSE(scenario.routes[0].worms[0].is_path());
  const Run run = simulate(make_flit_engine, scenario);
  CHECK(run.deliveries.at(0).arrival_cycles == std::vector<Cycle>{12, 12});
}

TEST_CASE("flits in are flits out: every channel carries each worm whole") {
  Random random = RandomStreams(7, "conservation").stream(0);
  Scenario scenario = mesh_scenario(4, 4);
  std::vector<std::uint64_t> flits_over(scenario.topology->channel_bound());
  for (std::uint64_t id = 0; id < 200; ++id) {
    const auto from = static_cast<std::uint32_t>(random.below(16));
    const auto way = xy_nodes(*scenario.topology, from, static_cast<std::uint32_t>(random.below(16)));
    const std::uint64_t flits = 1 + random.below(12);
    for (std::size_t i = 1; i < way.size(); ++i)
      flits_over[channel_between(*scenario.topology, way[i - 1], way[i]).value] += flits;
    scenario.routes.push_back(multicast(id, id, flits, {path_worm(*scenario.topology, way, {way.back()})}));
  }
  const Run run = simulate(make_flit_engine, scenario);
  CHECK(run.summary.outcome == Outcome::complete);
  CHECK(run.summary.contention > 0);
  std::vector<std::uint64_t> carried(scenario.topology->channel_bound());
  for (const ChannelLoad& load : run.loads) {
    carried[load.channel.value] = load.flits;
    CHECK(load.held_cycles >= load.flits);
  }
  CHECK(carried == flits_over);
}

}  // namespace wormcast::flit_engine_test

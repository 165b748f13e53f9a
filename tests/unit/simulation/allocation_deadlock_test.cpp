// Which worm gets a channel, which blocks: allocation of branches, early reuse, the end on deadlock.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <vector>

#include "router/router_model.hpp"
#include "simulation/engine.hpp"
#include "unit/simulation/hand_routes.hpp"
#include "unit/simulation/scenario.hpp"

namespace wormcast::standstill_test {

namespace {

/// Two lock-step worms from the ends of a row of three meet at each other's outputs: node 1 has
/// channels up and down. Worm 0 asks for up first, worm 1 for down.
Scenario crossing_trees(Allocation allocation) {
  Scenario scenario = mesh_scenario(3, 3);
  scenario.options.model.allocation = allocation;
  const Topology& net = *scenario.topology;
  for (std::uint64_t id = 0; id < 2; ++id) {
    WormRoute tree = path_worm(net, {id == 0 ? 3U : 5U, 4, 7}, {7});
    tree.replication = Copies::lock_step;
    tree.hops.push_back({channel_between(net, 4, 1).value, 0});
    tree.hops.push_back({1, 3, 0, RouteHop::Kind::deliver});
    // Delay one branch of each so that each gets one of the two outputs first.
    tree.hops[id == 0 ? 1 : 3].not_before_cycle = 5;
    scenario.routes.push_back(multicast(id, 0, 20, {tree}));
  }
  return scenario;
}

}  // namespace

TEST_CASE("lock-step trees: incremental allocation deadlocks where atomic allocation does not") {
  const Scenario stuck = crossing_trees(Allocation::incremental);
  const Run run = simulate(make_flit_engine, stuck);
  CHECK(run.summary.outcome == Outcome::deadlock);
  REQUIRE(run.summary.deadlock.has_value());
  CHECK(run.summary.deadlock->cycle == 5);
  const Resources resources(*stuck.topology, stuck.options.model);
  const ResourceId up = resources.network(channel_between(*stuck.topology, 4, 7), 0);
  const ResourceId down = resources.network(channel_between(*stuck.topology, 4, 1), 0);
  REQUIRE(run.summary.deadlock->core.size() == 2);
  CHECK(run.summary.deadlock->core[0].waits == std::vector<ResourceId>{up});
  CHECK(run.summary.deadlock->core[1].waits == std::vector<ResourceId>{down});
  CHECK(run.summary.delivered_multicasts == 0);

  const Run atomic = simulate(make_flit_engine, crossing_trees(Allocation::atomic));
  CHECK(atomic.summary.outcome == Outcome::complete);
  // Both ask at 5; worm 0 goes first, holds the outputs until its tail has left the buffers behind
  // them at 5 + 19 + 1, plus C; its two requests of worm 1 wait 21 cycles each.
  CHECK(atomic.deliveries[0].arrival_cycles == std::vector<Cycle>{25, 25});
  CHECK(atomic.deliveries[1].arrival_cycles == std::vector<Cycle>{46, 46});
  CHECK(atomic.summary.blocked_cycles == 42);
  CHECK(atomic.summary.contention == 2);
}

TEST_CASE("early reuse: the next worm follows the tail, but its header waits for the buffer's front") {
  Scenario scenario = mesh_scenario(3, 1);
  const Topology& net = *scenario.topology;
  scenario.options.model.consumption_channels = 1;
  scenario.routes.push_back(multicast(0, 0, 6, {path_worm(net, {0, 1, 2}, {2})}));
  scenario.routes.push_back(multicast(1, 0, 2, {path_worm(net, {0, 1}, {1})}));
  const Run drained = simulate(make_flit_engine, scenario);
  // The tail of worm 0 crosses 0→1 at 5 and leaves the buffer at 6: granted again at 7.
  CHECK(drained.deliveries[1].arrival_cycles[0] == 7 + 1 + 1);
  scenario.options.model.vc_reuse = VcReuse::early;
  const Run early = simulate(make_flit_engine, scenario);
  // Granted at 6, the header is at the front from 7 on.
  CHECK(early.deliveries[0].arrival_cycles[0] == 7);
  CHECK(early.deliveries[1].arrival_cycles[0] == 7 + 1);
}

TEST_CASE("early reuse: worms behind a stuck tail are part of no core, and a ring still deadlocks") {
  Scenario scenario = mesh_scenario(2, 2);
  scenario.options.model.vc_reuse = VcReuse::early;
  scenario.options.model.buffer_flits = 4;
  const Topology& net = *scenario.topology;
  const std::vector<std::vector<std::uint32_t>> ring = {{0, 1, 3}, {1, 3, 2}, {3, 2, 0}, {2, 0, 1}};
  for (std::uint64_t id = 0; id < 4; ++id)
    scenario.routes.push_back(multicast(id, 0, 3, {path_worm(net, ring[id], {ring[id].back()})}));
  // Three flits fit into a buffer: with early reuse every channel is free again, and all get through.
  CHECK(simulate(make_flit_engine, scenario).summary.outcome == Outcome::complete);
  scenario.options.model.vc_reuse = VcReuse::drained;
  const Run drained = simulate(make_flit_engine, scenario);
  CHECK(drained.summary.outcome == Outcome::deadlock);
  CHECK(drained.summary.deadlock->core.size() == 4);
}

TEST_CASE("early reuse: full buffers behind each other deadlock although every tail has left its sender") {
  Scenario scenario = mesh_scenario(2, 2);
  scenario.options.model.vc_reuse = VcReuse::early;
  scenario.options.model.buffer_flits = 2;
  const Topology& net = *scenario.topology;
  const std::vector<std::vector<std::uint32_t>> ring = {
      {0, 1, 3, 2}, {1, 3, 2, 0}, {3, 2, 0, 1}, {2, 0, 1, 3}};
  for (std::uint64_t id = 0; id < 4; ++id)
    scenario.routes.push_back(multicast(id, 0, 5, {path_worm(net, ring[id], {ring[id].back()})}));
  const Run run = simulate(make_flit_engine, scenario);
  CHECK(run.summary.outcome == Outcome::deadlock);
  REQUIRE(run.summary.deadlock.has_value());
  CHECK(run.summary.deadlock->cycle == 1);
  CHECK(run.summary.deadlock->core.size() == 4);
}

TEST_CASE("stop on deadlock: the run ends with the cycle in which it forms") {
  Scenario scenario = crossing_trees(Allocation::incremental);
  scenario.options.stop_on_deadlock = true;
  scenario.routes.push_back(
      multicast(9, 100, 4, {path_worm(*scenario.topology, xy_nodes(*scenario.topology, 6, 8), {8})}));
  const Run run = simulate(make_flit_engine, scenario);
  CHECK(run.summary.outcome == Outcome::deadlock);
  CHECK(run.deliveries.empty());
  CHECK(run.summary.last_cycle == 1);
  scenario.options.stop_on_deadlock = false;
  CHECK(simulate(make_flit_engine, scenario).deliveries.size() == 1);
}

}  // namespace wormcast::standstill_test

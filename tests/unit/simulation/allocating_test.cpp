// Routers that allocate virtual channels: what one multicast takes, what is conserved, what stands still.
// Every cycle of random runs is compared with a model of its own by tests/suites/allocating.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "simulation/engine.hpp"
#include "topology/random.hpp"
#include "unit/long_mode.hpp"
#include "unit/simulation/hand_routes.hpp"
#include "unit/simulation/random_scenario.hpp"
#include "unit/simulation/scenario.hpp"

using namespace wormcast;

namespace {

RouterModel allocating_router() {
  RouterModel model;
  model.vc_allocation = VcAllocation::islip;
  model.shared_links = true;
  model.copies = Copies::per_flit;
  return model;
}

/// What the scenario says of time, under rules that allocating routers have.
void make_allocating(Scenario& scenario, Random& random) {
  RouterModel& model = scenario.options.model;
  model.flit_cycles = 1;
  model.allocation = Allocation::incremental;
  model.path_reservation = false;
  model.output_arbitration = OutputArbitration::first_come;
  model.copies = Copies::per_flit;
  model.shared_links = true;
  model.vc_allocation = VcAllocation::islip;
  model.vc_allocation_cycles = static_cast<std::uint32_t>(random.below(3));
  model.vc_selection = random.below(2) == 0 ? VcSelection::any : VcSelection::preferred;
  model.vc_reuse = random.below(2) == 0 ? VcReuse::early : VcReuse::drained;
}

Run run(const Scenario& scenario, bool observed = true) {
  return simulate(make_allocating_engine, scenario, observed);
}

std::uint64_t hops_to(const WormRoute& worm, HostId host) {
  for (std::size_t i = 0; i < worm.hops.size(); ++i) {
    if (worm.hops[i].is_channel() || worm.hops[i].target != host.value) continue;
    std::uint64_t hops = 0;
    for (std::int32_t at = worm.hops[i].parent; at >= 0; at = worm.hops[static_cast<std::size_t>(at)].parent)
      ++hops;
    return hops;
  }
  return 0;
}

}  // namespace

TEST_CASE("one worm alone takes (d + 1)·(R + A) + d·H + L − 1 cycles, however it branches") {
  Random random = RandomStreams(5, "allocating").stream(0);
  std::size_t compared = 0;
  for (std::uint64_t round = 0; round < 300; ++round) {
    CAPTURE(round);
    Scenario scenario = mesh_scenario(2 + random.below(4), 2 + random.below(4));
    RouterModel& model = scenario.options.model;
    model = allocating_router();
    model.hop_cycles = 1 + static_cast<std::uint32_t>(random.below(4));
    model.credit_cycles = 1 + static_cast<std::uint32_t>(random.below(4));
    model.routing_cycles = static_cast<std::uint32_t>(random.below(3));
    model.vc_allocation_cycles = static_cast<std::uint32_t>(random.below(3));
    // A slot is used again when its flit has waited with the header, gone on, and its credit has come back.
    model.buffer_flits = model.hop_cycles + model.credit_cycles + model.routing_cycles +
                         model.vc_allocation_cycles + static_cast<std::uint32_t>(random.below(3));
    model.overhead_cycles = random.below(5);
    model.startup_cycles = random.below(5);
    model.consumption_cycles = random.below(2) == 0 ? 0 : model.hop_cycles + model.credit_cycles;
    model.vc_reuse = random.below(2) == 0 ? VcReuse::early : VcReuse::drained;
    const char* const names[] = {"xy-tree", "dual-path", "fixed-path", "separate"};
    const BoundPlanner planner(*find_planner(names[random.below(4)]), *scenario.topology, PlanOptions{});
    Request request;
    request.source = HostId{static_cast<std::uint32_t>(random.below(scenario.topology->hosts()))};
    request.length_flits = 1 + random.below(20);
    request.start_cycle = random.below(9);
    for (std::uint32_t host = 0; host < scenario.topology->hosts(); ++host)
      if (host != request.source.value && random.below(3) == 0) request.destinations.push_back(HostId{host});
    if (request.destinations.empty()) continue;
    Routes routes = Expander(planner.context().routing).expand(planner.plan(request));
    if (routes.worms.size() > 1) continue;  // worms share what leaves the source
    scenario.routes.push_back(routes);
    const Run result = run(scenario);
    REQUIRE(result.deliveries.size() == 1);
    const Delivery& delivery = result.deliveries.front();
    for (std::size_t i = 0; i < request.destinations.size(); ++i) {
      const std::uint64_t d = hops_to(routes.worms.front(), request.destinations[i]);
      const Cycle header = std::uint64_t{model.routing_cycles} + model.vc_allocation_cycles;
      CHECK(delivery.arrival_cycles[i] == request.start_cycle + model.overhead_cycles + model.startup_cycles +
                                              (d + 1) * header + d * model.hop_cycles + request.length_flits -
                                              1);
      ++compared;
    }
    CHECK(result.summary.contention == 0);
  }
  CHECK(compared > 200);
}

TEST_CASE("four worms round a ring stand still on one virtual channel, and pass on two") {
  for (const std::uint32_t vcs : {1U, 2U}) {
    CAPTURE(vcs);
    Scenario scenario;
    scenario.topology = build_topology({"torus", {4}, vcs, {}});
    scenario.options.model = allocating_router();
    scenario.options.model.vc_reuse = VcReuse::drained;
    for (std::uint32_t node = 0; node < 4; ++node) {
      WormRoute worm =
          path_worm(*scenario.topology, {node, (node + 1) % 4, (node + 2) % 4}, {(node + 2) % 4});
      Routes routes = multicast(node, 0, 20, {worm});
      routes.plan.routing = "shortest";  // one class, so that any virtual channel will do
      scenario.routes.push_back(std::move(routes));
    }
    const Run result = run(scenario);
    CHECK(result.summary.outcome == (vcs == 1 ? Outcome::deadlock : Outcome::complete));
    if (vcs == 2) continue;
    REQUIRE(result.summary.deadlock.has_value());
    CHECK(result.summary.deadlock->core.size() == 4);
    // Granted in cycle 0 and across in 1 + 1; each then asks for what the next holds.
    CHECK(result.summary.deadlock->cycle == 2);
    for (const StuckWorm& worm : result.summary.deadlock->core) CHECK(worm.waits.size() == 1);
  }
}

TEST_CASE("random runs end complete or in a deadlock, whose worms are never delivered; loads add up" *
          doctest::test_suite("long")) {
  std::size_t deadlocks = 0;
  std::size_t contended = 0;
  for (std::uint64_t seed = 0; seed < (testing::long_mode() ? 40'000 : 2'000); ++seed) {
    CAPTURE(seed);
    Scenario scenario = RandomScenario(seed).make();
    Random random = RandomStreams(seed, "allocating rules").stream(0);
    make_allocating(scenario, random);
    const Run result = run(scenario);
    const Run unobserved = run(scenario, false);
    CHECK(unobserved.summary.last_cycle == result.summary.last_cycle);
    CHECK(unobserved.summary.blocked_cycles == result.summary.blocked_cycles);
    CHECK(unobserved.deliveries.size() == result.deliveries.size());
    contended += result.summary.contention > 0 ? 1 : 0;
    if (result.summary.deadlock) {
      ++deadlocks;
      std::set<std::uint64_t> delivered;
      for (const Delivery& delivery : result.deliveries) delivered.insert(delivery.plan.request.id);
      for (const StuckWorm& worm : result.summary.deadlock->core) {
        CHECK_FALSE(delivered.contains(worm.name.multicast));
        CHECK_FALSE(worm.waits.empty());
      }
      CHECK_FALSE(result.summary.deadlock->blocked.empty());
      CHECK_FALSE(result.summary.deadlock->core.empty());
      continue;
    }
    if (result.summary.outcome != Outcome::complete || scenario.options.window) continue;
    CHECK(result.summary.finished_worms == result.summary.worms);
    std::uint64_t flits = 0;
    for (const ChannelLoad& load : result.loads) flits += load.flits;
    CHECK(flits == result.summary.flit_hops);
  }
  CHECK(deadlocks > 20);
  CHECK(contended > 400);
}

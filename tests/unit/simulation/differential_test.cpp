// The faster engines against the flit engine on random scenarios: the same records, byte for byte.
// WORMCAST_DIFFERENTIAL=20000 runs that many; WORMCAST_DIFFERENTIAL_SEED=n begins with scenario n.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "io/records/delivery_record.hpp"
#include "multicast/check.hpp"
#include "multicast/reply_tracker.hpp"
#include "simulation/engine.hpp"
#include "topology/error.hpp"
#include "topology/random.hpp"
#include "unit/long_mode.hpp"
#include "unit/simulation/random_scenario.hpp"
#include "unit/simulation/scenario.hpp"

namespace wormcast::differential_test {

namespace {

/// Everything a run says, as the tool would write it.
std::string records(const Scenario& scenario, const Run& run) {
  io::RecordLine line;
  std::string text;
  for (const Delivery& delivery : run.deliveries) text += io::write_delivery_record(delivery, line);
  for (const ChannelLoad& load : run.loads)
    text += io::write_channel_load_record(load, *scenario.topology, line);
  const io::SummaryRecord summary{
      scenario.options.model, scenario.options.stop_on_deadlock, run.summary, {}, {}};
  text += io::write_summary_record(summary, *scenario.topology, line);
  return text;
}

/// The same worm with its consumption hops behind all channels.
WormRoute consumption_last(const WormRoute& worm) {
  WormRoute moved = worm;
  moved.hops.clear();
  std::vector<std::int32_t> place(worm.hops.size());
  for (const bool channels : {true, false})
    for (std::size_t i = 0; i < worm.hops.size(); ++i) {
      if (worm.hops[i].is_channel() != channels) continue;
      place[i] = static_cast<std::int32_t>(moved.hops.size());
      moved.hops.push_back(worm.hops[i]);
      std::int32_t& parent = moved.hops.back().parent;
      if (parent >= 0) parent = place[static_cast<std::size_t>(parent)];
    }
  return moved;
}

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

TEST_CASE("worm engine = flit engine, byte for byte" * doctest::test_suite("long")) {
  const std::uint64_t first = number("WORMCAST_DIFFERENTIAL_SEED", 1);
  const std::uint64_t count = number("WORMCAST_DIFFERENTIAL", testing::few_or_many(2000u, 600'000u));
  std::uint64_t deadlocks = 0;
  std::uint64_t contended = 0;
  std::uint64_t deliveries = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    const Scenario scenario = RandomScenario(seed).make();
    const Run flit = simulate(make_flit_engine, scenario);
    const Run worm = simulate(make_worm_engine, scenario);
    REQUIRE(records(scenario, worm) == records(scenario, flit));
    REQUIRE(records(scenario, simulate(make_worm_engine, scenario, false)) == records(scenario, flit));
    // A run that is stopped has reported tails that come later, if at all.
    if (!scenario.options.stop_on_deadlock && !scenario.options.window)
      REQUIRE(worm.arrivals == flit.arrivals);
    deadlocks += flit.summary.outcome == Outcome::deadlock ? 1 : 0;
    contended += flit.summary.contention > 0 ? 1 : 0;
    deliveries += flit.deliveries.size();
  }
  MESSAGE(count << " scenarios, " << deliveries << " deliveries, " << contended << " with contention, "
                << deadlocks << " deadlocks");
  if (count >= 400) {  // the generator must reach what it is for
    CHECK(deadlocks * 20 > count);
    CHECK(contended * 2 > count);
  }
}

namespace {

/// Virtual channels that share links, and links of different speeds.
void share_links(Scenario& scenario, std::uint64_t seed) {
  RouterModel& model = scenario.options.model;
  Random random = RandomStreams(seed, "shared links").stream(0);
  model.shared_links = random.below(4) > 0;
  model.arbitration = random.below(3) == 0 ? Arbitration::first_come : Arbitration::round_robin;
  if (!model.shared_links) return;
  // A worm may cross a link once only.
  std::erase_if(scenario.routes, [&](const Routes& routes) {
    try {
      check_links_once(*scenario.topology, routes);
      return false;
    } catch (const InputError&) {
      return true;
    }
  });
  std::set<std::uint64_t> left;
  for (Routes& routes : scenario.routes) {
    left.insert(routes.plan.request.id);
    std::erase_if(routes.plan.request.depends_on, [&](std::uint64_t id) { return !left.contains(id); });
  }
}

}  // namespace

TEST_CASE("link engine = flit engine, byte for byte, whatever shares links" * doctest::test_suite("long")) {
  const std::uint64_t first = number("WORMCAST_DIFFERENTIAL_SEED", 1);
  const std::uint64_t count = number("WORMCAST_DIFFERENTIAL", testing::few_or_many(2000u, 600'000u));
  std::uint64_t shared = 0;
  std::uint64_t handed_over = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    Scenario scenario = RandomScenario(seed).make();
    share_links(scenario, seed);
    const std::string expected = records(scenario, simulate(make_flit_engine, scenario));
    const Run link = simulate(make_link_engine, scenario);
    REQUIRE(records(scenario, link) == expected);
    REQUIRE(records(scenario, simulate(make_link_engine, scenario, false)) == expected);
    const Run fastest = simulate(make_engine, scenario, false);
    REQUIRE(records(scenario, fastest) == expected);
    shared += scenario.options.model.shared_links ? 1 : 0;
    handed_over += fastest.flits_moved_from ? 1 : 0;
  }
  MESSAGE(count << " scenarios, " << shared << " with shared links, " << handed_over << " handed over");
  CHECK(shared * 2 > count);
  CHECK(handed_over * 10 > count);
}

namespace {

/// Routers that copy flit by flit: one time in four the published one, else whatever parameters there are.
void copy_by_flits(Scenario& scenario, std::uint64_t seed) {
  RouterModel& model = scenario.options.model;
  Random random = RandomStreams(seed, "copies flit by flit").stream(0);
  model.copies = Copies::per_flit;
  model.allocation = Allocation::incremental;
  if (random.below(3) > 0) model.vc_reuse = VcReuse::early;
  if (random.below(2) == 0) model.routing_cycles = 0;
  if (random.below(4) > 0) return;
  model = RouterModel{};
  model.copies = Copies::per_flit;
  model.vc_reuse = VcReuse::early;
  model.output_arbitration = OutputArbitration::round_robin;
  model.buffer_flits = 2 + static_cast<std::uint32_t>(random.below(3));
  model.injection_channels = 1;
  model.consumption_channels = 1;
}

}  // namespace

TEST_CASE("copy engine = flit engine, byte for byte" * doctest::test_suite("long")) {
  const std::uint64_t first = number("WORMCAST_DIFFERENTIAL_SEED", 1);
  const std::uint64_t count = number("WORMCAST_DIFFERENTIAL", testing::few_or_many(3000u, 600'000u));
  std::uint64_t deadlocks = 0;
  std::uint64_t contended = 0;
  std::uint64_t free = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    Scenario scenario = RandomScenario(seed).make();
    copy_by_flits(scenario, seed);
    const Run flit = simulate(make_flit_engine, scenario);
    const std::string expected = records(scenario, flit);
    const Run copy = simulate(make_copy_engine, scenario);
    REQUIRE(records(scenario, copy) == expected);
    REQUIRE(records(scenario, simulate(make_copy_engine, scenario, false)) == expected);
    if (!scenario.options.stop_on_deadlock && !scenario.options.window)
      REQUIRE(copy.arrivals == flit.arrivals);
    deadlocks += flit.summary.outcome == Outcome::deadlock ? 1 : 0;
    contended += flit.summary.contention > 0 ? 1 : 0;
    free += flit.summary.contention == 0 ? 1 : 0;
  }
  MESSAGE(count << " scenarios, " << contended << " with contention, " << deadlocks << " deadlocks");
  if (count >= 400) {
    CHECK(deadlocks * 20 > count);
    CHECK(contended * 2 > count);
    CHECK(free * 20 > count);
  }
}

namespace {

/// One node's answer to a multicast, by whatever way the network's unicasts take.
Routes answer_of(const BoundPlanner& unicasts, const Request& asked, HostId from, std::uint64_t id,
                 std::uint64_t flits) {
  Request request;
  request.id = id;
  request.source = from;
  request.destinations = {asked.source};
  request.length_flits = flits;
  request.start_cycle = asked.start_cycle;
  request.depends_on = {asked.id};
  request.workload.add(std::string(workload_answer), "true");
  return Expander(unicasts.context().routing).expand(unicasts.plan(std::move(request)));
}

/// Half of the multicasts are answered; their nodes are busy until then. Some answers come with a later
/// record. How many there are.
std::uint64_t answer_some(Scenario& scenario, std::uint64_t seed) {
  const Planner& separate = *find_planner("separate");
  if (scenario.topology->hosts() < 2 || separate.unsupported(*scenario.topology)) return 0;
  scenario.options.model.consumption_release = ConsumptionRelease::answered;
  scenario.options.model.allocation = Allocation::incremental;
  scenario.options.model.path_reservation = false;
  const BoundPlanner unicasts(separate, *scenario.topology, PlanOptions{});
  Random random = RandomStreams(seed, "answers").stream(0);
  std::vector<Routes> all, late;
  std::uint64_t id = 100'000;
  for (Routes& routes : scenario.routes) {
    const Cycle start = routes.plan.request.start_cycle;
    Request& request = routes.plan.request;
    const bool answered = random.below(2) == 0;
    if (answered) request.workload.add(std::string(workload_answers), "1");
    all.push_back(routes);
    for (Routes& answer : late) {
      answer.plan.request.start_cycle = start;
      all.push_back(std::move(answer));
    }
    late.clear();
    for (const HostId host : request.destinations) {
      if (!answered || host == request.source) continue;
      Routes answer = answer_of(unicasts, request, host, id++, 1 + random.below(6));
      (random.below(4) == 0 ? late : all).push_back(std::move(answer));
    }
  }
  all.insert(all.end(), late.begin(), late.end());
  scenario.routes = std::move(all);
  return id - 100'000;
}

}  // namespace

TEST_CASE("nodes that are busy until they have answered: every engine = flit engine, byte for byte" *
          doctest::test_suite("long")) {
  const std::uint64_t first = number("WORMCAST_DIFFERENTIAL_SEED", 1);
  const std::uint64_t count = number("WORMCAST_DIFFERENTIAL", testing::few_or_many(3000u, 300'000u));
  std::uint64_t answers = 0;
  std::uint64_t otherwise = 0;  // runs that are others where nodes take whatever arrives
  std::uint64_t deadlocks = 0, more_deadlocks = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    Scenario scenario = RandomScenario(seed).make();
    MakeEngine make = make_worm_engine;
    if (seed % 3 == 1) copy_by_flits(scenario, seed), make = make_copy_engine;
    if (seed % 3 == 2) share_links(scenario, seed), make = make_link_engine;
    const std::uint64_t given = answer_some(scenario, seed);
    if (given == 0) continue;
    answers += given;
    const Run flit = simulate(make_flit_engine, scenario);
    const std::string expected = records(scenario, flit);
    const Run other = simulate(make, scenario);
    REQUIRE(records(scenario, other) == expected);
    REQUIRE(records(scenario, simulate(make, scenario, false)) == expected);
    REQUIRE(records(scenario, simulate(make_engine, scenario, false)) == expected);
    if (!scenario.options.stop_on_deadlock && !scenario.options.window)
      REQUIRE(other.arrivals == flit.arrivals);
    scenario.options.model.consumption_release = ConsumptionRelease::arrived;
    const Run free = simulate(make_flit_engine, scenario);
    otherwise += free.arrivals == flit.arrivals ? 0 : 1;
    deadlocks += flit.summary.outcome == Outcome::deadlock ? 1 : 0;
    more_deadlocks +=
        flit.summary.outcome == Outcome::deadlock && free.summary.outcome == Outcome::complete ? 1 : 0;
  }
  MESSAGE(answers << " answers, " << otherwise << " runs that they change, " << deadlocks << " deadlocks, "
                  << more_deadlocks << " by answers alone");
  if (count < 400) return;
  CHECK(answers > count);
  CHECK(otherwise * 4 > count);
  CHECK(more_deadlocks * 20 > count);
}

TEST_CASE("a run that a deadlock ends has the same records whatever engine there is") {
  const std::uint64_t first = number("WORMCAST_DIFFERENTIAL_SEED", 1);
  const std::uint64_t count = number("WORMCAST_DIFFERENTIAL", testing::few_or_many(3000u, 600'000u));
  std::uint64_t deadlocks = 0, delivered = 0, shared = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    Scenario scenario = RandomScenario(seed, true).make();
    if (seed % 3 == 1) copy_by_flits(scenario, seed);
    if (seed % 3 == 2) share_links(scenario, seed);
    if (seed % 6 == 5) scenario.options.model.vc_reuse = VcReuse::early;
    const Run flit = simulate(make_flit_engine, scenario);
    const std::string expected = records(scenario, flit);
    for (const std::string_view name : engine_names())
      for (const bool observed : {true, false}) {
        CAPTURE(name);
        try {
          const Run run = simulate(engine_named(name), scenario, observed);
          REQUIRE(records(scenario, run) == expected);
        } catch (const InputError&) {  // it is not exact here
        }
      }
    deadlocks += flit.summary.deadlock ? 1 : 0;
    delivered += flit.summary.deadlock && flit.summary.delivered_destinations > 0 ? 1 : 0;
    shared += flit.summary.deadlock && scenario.options.model.shared_links ? 1 : 0;
  }
  MESSAGE(count << " scenarios, " << deadlocks << " deadlocks, " << delivered << " after some destination, "
                << shared << " where links are shared");
  if (count < 400) return;
  CHECK(deadlocks * 4 > count);
  CHECK(delivered * 10 > count);
  CHECK(shared * 20 > count);
}

TEST_CASE("the worm engine hands over in any cycle, and nothing changes" * doctest::test_suite("long")) {
  const std::uint64_t first = number("WORMCAST_DIFFERENTIAL_SEED", 1);
  const std::uint64_t count = number("WORMCAST_DIFFERENTIAL", testing::few_or_many(2000u, 600'000u));
  std::uint64_t handed_over = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    Scenario scenario = RandomScenario(seed).make();
    const std::string expected = records(scenario, simulate(make_flit_engine, scenario, false));
    const Routes& middle = scenario.routes[seed % scenario.routes.size()];
    scenario.options.hand_over = middle.plan.request.start_cycle + seed % 3;
    const Run run = simulate(make_engine, scenario, false);
    REQUIRE(records(scenario, run) == expected);
    handed_over += run.flits_moved_from ? 1 : 0;
  }
  CHECK(handed_over * 2 > count);
}

TEST_CASE(
    "scenarios in which engines have differed: not-before cycles, and grants given back in the last cycle") {
  for (const std::uint64_t seed : {21730u, 193405u}) {
    CAPTURE(seed);
    const Scenario scenario = RandomScenario(seed).make();
    const std::string expected = records(scenario, simulate(make_flit_engine, scenario));
    CHECK(records(scenario, simulate(make_worm_engine, scenario)) == expected);
    CHECK(records(scenario, simulate(make_worm_engine, scenario, false)) == expected);
  }
}

TEST_CASE("a path is the same worm in whatever order its record names the hops") {
  std::uint64_t moved = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    const Scenario scenario = RandomScenario(seed).make();
    Scenario other = RandomScenario(seed).make();
    for (Routes& routes : other.routes)
      for (WormRoute& worm : routes.worms) {
        if (!worm.is_path()) continue;
        const auto consumed = std::count_if(worm.hops.begin(), worm.hops.end(),
                                            [](const auto& hop) { return !hop.is_channel(); });
        worm = consumption_last(worm);
        moved += consumed > 1 ? 1 : 0;
      }
    const std::string expected = records(scenario, simulate(make_flit_engine, scenario));
    REQUIRE(records(other, simulate(make_flit_engine, other)) == expected);
    REQUIRE(records(other, simulate(make_worm_engine, other)) == expected);
  }
  CHECK(moved > 300);
}

}  // namespace wormcast::differential_test

// The engines against a plain reading of the rules on random scenarios: the same records, byte for byte.
// WORMCAST_DIFFERENTIAL=20000 runs that many; WORMCAST_DIFFERENTIAL_SEED=n begins with scenario n.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/records/delivery_record.hpp"
#include "multicast/check.hpp"
#include "multicast/reply_tracker.hpp"
#include "router/router_parameters.hpp"
#include "router/router_rules.hpp"
#include "simulation/engine.hpp"
#include "topology/error.hpp"
#include "topology/random.hpp"
#include "unit/long_mode.hpp"
#include "unit/simulation/random_scenario.hpp"
#include "unit/simulation/reference_engine.hpp"
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

/// A parameter of allocating routers.
bool allocates(const RouterParameter& parameter) {
  return parameter.key.starts_with("vc_allocation") || parameter.key == "vc_selection";
}

/// Any router that routes decide the virtual channels of: each parameter of the table as usual or not,
/// numbers small.
RouterModel any_router(std::uint64_t seed) {
  Random random = RandomStreams(seed, "router").stream(0);
  while (true) {
    RouterModel model;
    for (const RouterParameter& parameter : router_parameters) {
      if (allocates(parameter) || random.below(2) == 0) continue;
      std::uint64_t values = random.below(4) == 0 ? 12 : 4;
      if (parameter.kind == RouterParameter::Kind::words) values = parameter.known_words().size();
      if (parameter.kind == RouterParameter::Kind::flag) values = 2;
      const std::uint64_t least = parameter.kind == RouterParameter::Kind::channels ? 0 : parameter.least;
      parameter.set(model, least + random.below(values));
    }
    try {
      check_router(model, false);
      return model;
    } catch (const InputError&) {  // two parameters exclude each other
    }
  }
}

/// Without the multicasts that `check` refuses, as these routers do.
template <class Check>
void leave_out(Scenario& scenario, Check check) {
  std::erase_if(scenario.routes, [&](const Routes& routes) {
    try {
      check(routes);
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

/// Some multicasts run backwards, with parts that start one by one, and wait for what comes to their nodes.
/// How many do.
std::uint64_t reduce_some(Scenario& scenario, std::uint64_t seed) {
  if (scenario.topology->ways() != Ways::both) return 0;
  Random random = RandomStreams(seed, "reductions").stream(0);
  const std::uint64_t one_in = 1 + random.below(3);
  std::uint64_t reductions = 0;
  for (std::size_t i = 0; i < scenario.routes.size(); ++i) {
    Request& request = scenario.routes[i].plan.request;
    if (random.below(one_in) == 0) {
      ++reductions;
      for (std::size_t part = 0; part < request.destinations.size(); ++part)
        request.start_cycles.push_back(request.start_cycle + (part == 0 ? 0 : random.below(30)));
      for (WormRoute& worm : scenario.routes[i].worms)
        for (RouteHop& hop : worm.hops)
          if (hop.is_channel()) hop.target = scenario.topology->opposite(ChannelId{hop.target}).value;
      for (std::size_t before = 0; before < i; ++before)
        if (random.below(20) == 0) request.depends_on.push_back(scenario.routes[before].plan.request.id);
      std::sort(request.depends_on.begin(), request.depends_on.end());
      const auto again = std::unique(request.depends_on.begin(), request.depends_on.end());
      request.depends_on.erase(again, request.depends_on.end());
    }
    const std::vector<HostId> senders =
        request.reduces() ? request.destinations : std::vector<HostId>{request.source};
    std::erase_if(request.depends_on, [&](std::uint64_t id) {
      const auto receivers = scenario.routes[id].plan.request.receivers();
      return std::none_of(senders.begin(), senders.end(), [&](HostId sender) {
        return std::binary_search(receivers.begin(), receivers.end(), sender);
      });
    });
  }
  return reductions;
}

}  // namespace

TEST_CASE("every engine = the reference, byte for byte, for every router that it is exact for" *
          doctest::test_suite("long")) {
  const std::uint64_t first = number("WORMCAST_DIFFERENTIAL_SEED", 1);
  const std::uint64_t count = number("WORMCAST_DIFFERENTIAL", testing::few_or_many(3'000u, 600'000u));
  std::map<std::string_view, std::uint64_t> exact;                              // by engine: scenarios
  std::map<std::pair<std::string_view, std::uint64_t>, std::uint64_t> routers;  // by parameter and value
  std::uint64_t contended = 0, deadlocks = 0, delivered = 0, answers = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    Scenario scenario = RandomScenario(seed, seed % 3 == 0).make();
    RouterModel& model = scenario.options.model = any_router(seed);
    if (model.shared_links)
      leave_out(scenario, [&](const Routes& routes) {
        check_links_once(*scenario.topology, scenario.options.model, routes);
      });
    leave_out(scenario, [&](const Routes& routes) {
      for (const WormRoute& worm : routes.worms)
        check_slots(*scenario.topology, model, worm,
                    worm.flits(routes.plan.request.length_flits, model.header_flits), 0);
    });
    if (model.consumption_release == ConsumptionRelease::answered) answers += answer_some(scenario, seed);
    for (const RouterParameter& parameter : router_parameters)
      ++routers[{parameter.key, parameter.get(model)}];
    const Run flit = simulate(make_reference_engine, scenario);
    const std::string expected = records(scenario, flit);
    for (const std::string_view name : engine_names()) {
      CAPTURE(name);
      if (engine_lack(name, *scenario.topology, scenario.options) != nullptr) {
        CHECK_THROWS_AS(engine_named(name)(*scenario.topology, scenario.options), InputError);
        continue;
      }
      ++exact[name];
      const Run run = simulate(engine_named(name), scenario);
      REQUIRE(records(scenario, run) == expected);
      REQUIRE(records(scenario, simulate(engine_named(name), scenario, false)) == expected);
      // A run that is stopped has reported tails that come later, if at all.
      if (!scenario.options.stop_on_deadlock && !scenario.options.window)
        REQUIRE(run.arrivals == flit.arrivals);
    }
    contended += flit.summary.contention > 0 ? 1 : 0;
    deadlocks += flit.summary.deadlock ? 1 : 0;
    delivered += flit.summary.deadlock && flit.summary.delivered_destinations > 0 ? 1 : 0;
  }
  MESSAGE(count << " scenarios, " << exact["worm"] << " of the worm engine, " << contended
                << " with contention, " << deadlocks << " deadlocks, " << delivered
                << " after some destination, " << answers << " answers");
  if (count < 400) return;  // the generator must reach what it is for
  CHECK(exact["worm"] * 4 > count);
  CHECK(contended * 2 > count);
  CHECK(deadlocks * 10 > count);
  CHECK(delivered * 20 > count);
  CHECK(answers > count / 10);
  for (const RouterParameter& parameter : router_parameters)
    for (std::uint64_t value = 0; !allocates(parameter) && value < parameter.known_words().size(); ++value) {
      CAPTURE(parameter.key);
      CHECK(routers[{parameter.key, value}] * 100 > count);
    }
}

TEST_CASE("the worm engine hands over in any cycle, and nothing changes" * doctest::test_suite("long")) {
  const std::uint64_t first = number("WORMCAST_DIFFERENTIAL_SEED", 1);
  const std::uint64_t count = number("WORMCAST_DIFFERENTIAL", testing::few_or_many(2000u, 600'000u));
  std::uint64_t handed_over = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    Scenario scenario = RandomScenario(seed).make();
    if (seed % 2 == 0) {
      scenario.options.model.shared_links = true;
      leave_out(scenario, [&](const Routes& routes) {
        check_links_once(*scenario.topology, scenario.options.model, routes);
      });
    }
    if (scenario.routes.empty()) continue;
    const std::string expected = records(scenario, simulate(make_reference_engine, scenario, false));
    const Routes& middle = scenario.routes[seed % scenario.routes.size()];
    if (seed % 4 != 2) scenario.options.hand_over = middle.plan.request.start_cycle + seed % 3;
    const Run run = simulate(make_engine, scenario, false);
    REQUIRE(records(scenario, run) == expected);
    handed_over += run.flits_moved_from ? 1 : 0;
  }
  CHECK(handed_over * 2 > count);
}

TEST_CASE("reductions beside multicasts: the worm and flit engines = the reference, byte for byte" *
          doctest::test_suite("long")) {
  const std::uint64_t first = number("WORMCAST_DIFFERENTIAL_SEED", 1);
  const std::uint64_t count = number("WORMCAST_DIFFERENTIAL", testing::few_or_many(3000u, 600'000u));
  std::uint64_t reductions = 0, contended = 0, deadlocks = 0, complete = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    Scenario scenario = RandomScenario(seed, seed % 4 == 0).make();
    RouterModel& model = scenario.options.model;
    model.allocation = Allocation::incremental;
    model.output_arbitration = OutputArbitration::first_come;
    model.path_reservation = false;
    reductions += reduce_some(scenario, seed);
    scenario.options.reductions = true;
    const Run flit = simulate(make_reference_engine, scenario);
    const std::string expected = records(scenario, flit);
    REQUIRE(records(scenario, simulate(make_flit_engine, scenario)) == expected);
    const Run run = simulate(make_worm_engine, scenario);
    REQUIRE(records(scenario, run) == expected);
    REQUIRE(records(scenario, simulate(make_engine, scenario, false)) ==
            records(scenario, simulate(make_reference_engine, scenario, false)));
    if (!scenario.options.stop_on_deadlock && !scenario.options.window)
      REQUIRE(run.arrivals == flit.arrivals);
    model.shared_links = seed % 2 == 0;
    model.vc_reuse = seed % 3 == 0 ? VcReuse::early : VcReuse::drained;
    if (model.shared_links)
      leave_out(scenario, [&](const Routes& routes) {
        check_links_once(*scenario.topology, scenario.options.model, routes);
      });
    const std::string later = records(scenario, simulate(make_reference_engine, scenario, false));
    for (const MakeEngine make : {make_engine, make_link_engine})
      REQUIRE(records(scenario, simulate(make, scenario, false)) == later);
    contended += flit.summary.contention > 0 ? 1 : 0;
    deadlocks += flit.summary.deadlock ? 1 : 0;
    complete += flit.summary.outcome == Outcome::complete ? 1 : 0;
  }
  MESSAGE(reductions << " reductions, " << contended << " scenarios with contention, " << deadlocks
                     << " deadlocks, " << complete << " complete");
  if (count < 400) return;
  CHECK(reductions > count);
  CHECK(contended * 2 > count);
  CHECK(deadlocks * 10 > count);
  CHECK(complete * 4 > count);
}

TEST_CASE("nodes that are busy until they have answered change runs, and some into a deadlock") {
  const std::uint64_t count = testing::few_or_many(600u, 60'000u);
  std::uint64_t answers = 0;
  std::uint64_t otherwise = 0;  // runs that are others where nodes take whatever arrives
  std::uint64_t more_deadlocks = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    CAPTURE(seed);
    Scenario scenario = RandomScenario(seed).make();
    RouterModel& model = scenario.options.model;
    model.consumption_release = ConsumptionRelease::answered;
    model.allocation = Allocation::incremental;
    model.path_reservation = false;
    answers += answer_some(scenario, seed);
    const Run busy = simulate(make_engine, scenario);
    model.consumption_release = ConsumptionRelease::arrived;
    const Run free = simulate(make_engine, scenario);
    otherwise += free.arrivals == busy.arrivals ? 0 : 1;
    more_deadlocks +=
        busy.summary.outcome == Outcome::deadlock && free.summary.outcome == Outcome::complete ? 1 : 0;
  }
  CHECK(answers > count);
  CHECK(otherwise * 4 > count);
  CHECK(more_deadlocks * 20 > count);
}

TEST_CASE(
    "scenarios in which engines have differed: not-before cycles, and grants given back in the last cycle") {
  for (const std::uint64_t seed : {21730u, 193405u}) {
    CAPTURE(seed);
    const Scenario scenario = RandomScenario(seed).make();
    const std::string expected = records(scenario, simulate(make_reference_engine, scenario));
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
    const std::string expected = records(scenario, simulate(make_reference_engine, scenario));
    REQUIRE(records(other, simulate(make_reference_engine, other)) == expected);
    REQUIRE(records(other, simulate(make_worm_engine, other)) == expected);
  }
  CHECK(moved > 300);
}

}  // namespace wormcast::differential_test

// Open loop: the window's sums by hand, batches and percentiles, the end of a run, saturation.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "io/records/delivery_record.hpp"
#include "io/text/json_text.hpp"
#include "simulation/engine.hpp"
#include "topology/error.hpp"
#include "unit/long_mode.hpp"
#include "unit/networks.hpp"
#include "unit/simulation/hand_routes.hpp"
#include "unit/simulation/random_scenario.hpp"
#include "unit/simulation/scenario.hpp"

namespace wormcast::window_test {

namespace {

/// A unicast of `flits` from node 0 to 1 of a row of four, every `gap` cycles.
Scenario row(std::uint64_t count, Cycle gap, std::uint64_t flits) {
  Scenario scenario = mesh_scenario(4, 1);
  for (std::uint64_t id = 0; id < count; ++id)
    scenario.routes.push_back(multicast(id, id * gap, flits, {path_worm(*scenario.topology, {0, 1}, {1})}));
  return scenario;
}

}  // namespace

TEST_CASE("window: only what starts in it is measured, and the run ends when that is delivered") {
  Scenario scenario = row(100, 10, 4);  // each arrives 1 + 3 cycles after its start
  scenario.options.window = WindowOptions{200, 100, 100};
  for (const auto make : {make_flit_engine, make_worm_engine}) {
    const Run run = simulate(make, scenario);
    REQUIRE(run.summary.window.has_value());
    const WindowSummary& window = *run.summary.window;
    CHECK(run.summary.outcome == Outcome::complete);
    CHECK(run.deliveries.size() == 10);
    CHECK(run.deliveries.front().plan.request.start_cycle == 200);
    CHECK(window.multicasts == 10);
    CHECK(window.delivered_multicasts == 10);
    CHECK(window.length_flits_sum == 40);
    CHECK(window.delivery_flits_sum == 40);
    CHECK(window.arrived_flits == 40);
    CHECK(window.latency_cycles_sum == 40);
    CHECK(window.latency_cycles_p50 == 4);
    CHECK(window.latency_cycles_p99 == 4);
    CHECK(run.summary.multicasts == 31);  // the 300th cycle's is the first after the window
    CHECK(std::count_if(window.batches.begin(), window.batches.end(),
                        [](const auto& batch) { return batch.delivered == 1; }) == 10);
  }
}

TEST_CASE("window: classes of traffic add up to the whole; one alone, and more than 16, are not told apart") {
  Scenario scenario = row(100, 10, 4);  // each arrives 1 + 3 cycles after its start
  scenario.options.window = WindowOptions{200, 100, 100};
  const auto stated = [&](std::size_t classes) {
    for (Routes& routes : scenario.routes) {
      Request& request = routes.plan.request;
      const std::string rate = fmt::format("0.0{}", request.id % classes + 1);
      request.workload = SharedValues{{"pattern", "uniform"}, {"rate", rate}, {"seed", "1"}};
    }
    return *simulate(make_worm_engine, scenario).summary.window;
  };
  CHECK(stated(1).classes.empty());
  const WindowSummary window = stated(3);
  REQUIRE(window.classes.size() == 3);
  WindowClass all;
  for (const WindowClass& one : window.classes) {
    CHECK(one.name == "uniform");
    CHECK(one.destinations == "1");
    CHECK(one.length_flits == 4);
    CHECK(one.latency_cycles_max == 4);
    all.multicasts += one.multicasts;
    all.delivered_multicasts += one.delivered_multicasts;
    all.delivery_flits_sum += one.delivery_flits_sum;
    all.arrived_flits += one.arrived_flits;
    all.latency_cycles_sum += one.latency_cycles_sum;
  }
  CHECK(all.multicasts == window.multicasts);
  CHECK(all.delivered_multicasts == window.delivered_multicasts);
  CHECK(all.delivery_flits_sum == window.delivery_flits_sum);
  CHECK(all.arrived_flits == window.arrived_flits);
  CHECK(all.latency_cycles_sum == window.latency_cycles_sum);
  CHECK(io::window_load(window) == "0.06");
  scenario.options.window->measure_cycles = 200;
  CHECK(stated(16).classes.size() == 16);
  CHECK(stated(20).classes.empty());
}

TEST_CASE("window: a channel's load is what crosses it within the window") {
  // Flits cross channel 0 in the four cycles from each start; it is free two cycles after the last.
  Scenario scenario = row(100, 10, 4);
  scenario.options.window = WindowOptions{202, 100, 100};
  scenario.options.channel_loads = LoadsBy::channel;
  for (const auto make : {make_flit_engine, make_worm_engine}) {
    const std::vector<ChannelLoad> loads = simulate(make, scenario).loads;
    REQUIRE(loads.size() == 1);
    CHECK(loads[0].channel == ChannelId{0});
    CHECK(loads[0].worms == 11);
    CHECK(loads[0].flits == 2 + 9 * 4 + 2);
    CHECK(loads[0].held_cycles == 3 + 9 * 5 + 2);
    CHECK(loads[0].observed_cycles == 100);
    CHECK(io::flits_per_cycle(loads[0]) == "0.400000");
  }
  scenario.options.channel_loads.reset();
  CHECK(simulate(make_worm_engine, scenario).loads.empty());
}

TEST_CASE("window: a worm that waits crosses with what its buffers hold") {
  // 40 flits from 0 to 3; another worm has the last channel, from 2 to 3, for good as far as the window goes.
  Scenario scenario = mesh_scenario(4, 1);
  const Topology& mesh = *scenario.topology;
  scenario.routes.push_back(multicast(0, 0, 1000, {path_worm(mesh, {2, 3}, {3})}));
  scenario.routes.push_back(multicast(1, 10, 40, {path_worm(mesh, {0, 1, 2, 3}, {3})}));
  scenario.routes.push_back(multicast(2, 400, 1, {path_worm(mesh, {3, 2}, {2})}));
  scenario.options.window = WindowOptions{11, 200, 100};
  scenario.options.channel_loads = LoadsBy::channel;
  for (const auto make : {make_flit_engine, make_worm_engine}) {
    const std::vector<ChannelLoad> loads = simulate(make, scenario).loads;
    REQUIRE(loads.size() == 3);
    CHECK(loads[0].flits == 7);  // two buffers of four, but for the header, which crossed before
    CHECK(loads[1].flits == 4);
    CHECK(loads[2].flits == 200);
    CHECK(loads[0].held_cycles == 200);
    CHECK(loads[1].held_cycles == 200);  // from cycle 11 on
  }
}

TEST_CASE("window: queueing shows in latencies, percentiles by nearest rank") {
  Scenario scenario = row(10, 0, 8);  // all at once: each holds the channel for 9 cycles
  scenario.options.model.buffer_flits = 8;
  scenario.options.window = WindowOptions{0, 1000, 0};
  const Run run = simulate(make_worm_engine, scenario);
  const WindowSummary& window = *run.summary.window;
  CHECK(window.delivered_multicasts == 10);
  std::vector<Cycle> latencies;
  for (const Delivery& delivery : run.deliveries) latencies.push_back(delivery.latency_cycles());
  std::sort(latencies.begin(), latencies.end());
  CHECK(latencies[0] == 8);
  CHECK(latencies[1] == 17);
  CHECK(window.latency_cycles_p50 == latencies[4]);
  CHECK(window.latency_cycles_p95 == latencies[9]);
  CHECK(window.latency_cycles_max == latencies[9]);
  CHECK(window.blocked_cycles_sum == run.summary.blocked_cycles);
  CHECK(window.batches[0].delivered == 10);
}

TEST_CASE("window: network latency is that of the last arrival, without its wait for an injection channel") {
  Scenario scenario = mesh_scenario(4, 2);
  const Topology& mesh = *scenario.topology;
  // Three worms want the one injection channel of node 1 in turn; the last of them takes 1 + 7 cycles.
  scenario.routes.push_back(multicast(
      0, 0, 8,
      {path_worm(mesh, {1, 2, 3}, {3}), path_worm(mesh, {1, 0}, {0}), path_worm(mesh, {1, 5}, {5})}));
  // A relay at node 2 sends twice, and its second worm waits; then 2 + 7 cycles.
  Routes relayed = multicast(
      1, 500, 8,
      {path_worm(mesh, {1, 2}, {2}), path_worm(mesh, {2, 3}, {3}), path_worm(mesh, {2, 6, 5}, {5})});
  relayed.worms[1].after = relayed.worms[2].after = 0;
  scenario.routes.push_back(relayed);
  scenario.options.model.injection_channels = 1;
  scenario.options.model.buffer_flits = 8;
  scenario.options.window = WindowOptions{0, 1000, 0};
  for (const auto make : {make_flit_engine, make_worm_engine}) {
    const Run run = simulate(make, scenario);
    REQUIRE(run.deliveries.size() == 2);
    const Delivery& first = run.deliveries[0];
    CHECK(first.network_latency_cycles == 8);
    // The waits of the second worm and of the third, twice as long, are added up there.
    CHECK(first.source_queueing_cycles * 2 == 3 * (first.latency_cycles() - 8));
    const Delivery& second = run.deliveries[1];
    CHECK(second.network_latency_cycles == second.latency_cycles() - second.source_queueing_cycles);
    CHECK(second.source_queueing_cycles > 0);
    CHECK(run.summary.window->network_latency_cycles_sum == 8 + second.network_latency_cycles);
  }
}

TEST_CASE("window: more load than a channel takes is saturation, an answer in bounded time") {
  Scenario scenario = row(5000, 5, 8);  // a worm holds the channel for 9 cycles
  scenario.options.window = WindowOptions{100, 20000, 10};
  const Run flit = simulate(make_flit_engine, scenario);
  const Run worm = simulate(make_worm_engine, scenario);
  CHECK(flit.summary.outcome == Outcome::saturated);
  CHECK(flit.summary.multicasts < 200);  // 40 pile up at a rate of 1/5 − 1/9
  CHECK(flit.summary.window->arrived_flits > 0);
  for (const Run* run : {&flit, &worm}) CHECK(run->summary.finished_worms == flit.summary.finished_worms);
  CHECK(worm.summary.last_cycle == flit.summary.last_cycle);
  CHECK(worm.summary.blocked_cycles == flit.summary.blocked_cycles);
  CHECK(worm.deliveries.size() == flit.deliveries.size());
}

TEST_CASE("window: a tree queues at its source until its last copy leaves it") {
  Scenario scenario = mesh_scenario(3, 1);
  const Topology& mesh = *scenario.topology;
  scenario.routes.push_back(multicast(0, 0, 300, {path_worm(mesh, {1, 2}, {2})}));
  for (std::uint64_t id = 1; id < 8; ++id) {
    WormRoute tree = path_worm(mesh, {1, 0}, {0});  // nothing is in the way of this copy
    tree.hops.push_back({channel_between(mesh, 1, 2).value, -1});
    tree.hops.push_back({2, 2, 0, RouteHop::Kind::deliver});
    scenario.routes.push_back(multicast(id, id * 20, 4, {tree}));
  }
  scenario.options.window = WindowOptions{0, 200, 1};  // three hosts: more than three may not wait
  for (const auto make : {make_flit_engine, make_link_engine, make_worm_engine}) {
    const Run run = simulate(make, scenario);
    CHECK(run.summary.outcome == Outcome::saturated);
    CHECK(run.summary.window->saturated.value().waiting == 4);
  }
}

TEST_CASE(
    "window: a run given up for its backlog is saturated if what has started can be delivered, else a "
    "deadlock") {
  std::uint64_t saturated = 0, later = 0;
  for (std::uint64_t seed = 1; seed <= testing::few_or_many(600u, 20'000u); ++seed) {
    CAPTURE(seed);
    Scenario scenario = RandomScenario(seed, true).make();
    scenario.options.window = WindowOptions{0, 10'000, 1};
    const Run run = simulate(make_engine, scenario, seed % 2 == 0);
    const Run flit = simulate(make_flit_engine, scenario);
    CHECK(run.summary.outcome == flit.summary.outcome);
    CHECK(run.deliveries.size() == flit.deliveries.size());
    CHECK(run.summary.delivered_destinations == flit.summary.delivered_destinations);
    if (run.summary.outcome == Outcome::complete) continue;
    Scenario closed = std::move(scenario);
    closed.routes.resize(run.summary.multicasts);
    closed.options.window.reset();
    const Run alone = simulate(make_flit_engine, closed);
    if (run.summary.outcome == Outcome::saturated) {
      ++saturated;
      CHECK(alone.summary.outcome == Outcome::complete);
      continue;
    }
    REQUIRE(alone.summary.deadlock);
    for (const Run* one : {&run, &flit}) {
      CHECK(one->summary.deadlock->cycle == alone.summary.deadlock->cycle);
      CHECK(one->summary.deadlock->blocked == alone.summary.deadlock->blocked);
    }
    later += run.summary.deadlock->cycle >= run.summary.window->observed_cycles ? 1 : 0;
  }
  CHECK(saturated > 30);
  CHECK(later > 30);
}

TEST_CASE("window member: what is written is read back, and false means are refused") {
  Scenario scenario = row(100, 10, 4);
  scenario.options.window = WindowOptions{200, 200, 100};
  const Run run = simulate(make_worm_engine, scenario);
  io::RecordLine line;
  io::SummaryRecord record;
  record.model = scenario.options.model;
  record.summary = run.summary;
  const std::string text(io::write_summary_record(record, *scenario.topology, line));
  CHECK(text.find(
            "\"offered_flits_per_node_cycle\":0.100000,"
            "\"offered_delivery_flits_per_node_cycle\":0.100000,\"accepted_flits_per_node_cycle\":0.100000,"
            "\"latency_cycles_mean\":4.000,\"latency_cycles_interval95\":0.000}") != std::string::npos);
  io::JsonText json;
  json.parse(text);
  io::SummaryRecord back;
  io::read_summary_record(json.root(), *scenario.topology, back);
  CHECK(std::string(io::write_summary_record(back, *scenario.topology, line)) == text);

  std::string wrong = text;
  wrong.replace(wrong.find("\"accepted_flits_per_node_cycle\":0.1"), 35,
                "\"accepted_flits_per_node_cycle\":0.2");
  json.parse(wrong);
  CHECK_THROWS_WITH_AS(io::read_summary_record(json.root(), *scenario.topology, back),
                       "0.200000, but the sums say 0.100000", InputError);
}

TEST_CASE("window member: the interval is of batches that are ten mean latencies long, or there is none") {
  // Batch b has one delivery of latency 10 + b: the mean is 19.5, a batch needs 195 cycles.
  WindowSummary window;
  window.options.measure_cycles = 20 * 195;
  window.multicasts = window.delivered_multicasts = WindowSummary::kBatches;
  for (std::size_t b = 0; b < WindowSummary::kBatches; ++b) {
    window.batches[b] = {1, 10 + b};
    window.latency_cycles_sum += 10 + b;
  }
  const auto interval = [&]() -> std::string {
    for (const auto& [name, text] : io::window_figures(window, 4))
      if (name == "latency_cycles_interval95") return text;
    return "none";
  };
  // t · √(s² / n) of n consecutive numbers apart by 20 / n: s² = (20 / n)² · n(n + 1) / 12.
  CHECK(interval() == "2.769");  // 20: 2.09302405 · √(35 / 20)
  --window.options.measure_cycles;
  CHECK(interval() == "4.332");  // 10: 2.26215716 · 2 · √(110 / 12 / 10)
  window.options.measure_cycles = 10 * 195 - 1;
  CHECK(interval() == "7.853");  // 5: 2.77644511 · 4 · √(30 / 12 / 5)
  window.options.measure_cycles = 5 * 195;
  CHECK(interval() == "7.853");
  --window.options.measure_cycles;
  CHECK(interval() == "none");
  window.options.measure_cycles = 20 * 195;
  ++window.multicasts;  // one did not get through
  CHECK(interval() == "none");
}

TEST_CASE("window member: the interval of older records is read, another one is refused") {
  WindowSummary window;
  window.options.measure_cycles = 100;
  window.multicasts = window.delivered_multicasts = WindowSummary::kBatches;
  window.latency_cycles_sum = 30 * WindowSummary::kBatches;
  for (std::size_t b = 0; b < WindowSummary::kBatches; ++b) window.batches[b] = {1, b % 2 == 0 ? 29u : 31u};
  io::RecordLine line;
  const auto network = testing::make("mesh", {4, 1});
  const io::Scope scope{network.get()};
  io::WindowMember::write(window, line.begin("summary").key("window"), scope);
  const std::string text(line.end());
  REQUIRE(text.find("interval95") == std::string::npos);
  const std::string mean = "\"latency_cycles_mean\":30.000";
  const auto read_with = [&](const std::string& interval) {
    std::string record = text;
    record.insert(record.find(mean) + mean.size(), ",\"latency_cycles_interval95\":" + interval);
    io::JsonText json;
    json.parse(record);
    json.root().members([&](std::string_view key, const io::Value& value) {
      std::optional<WindowSummary> read;
      if (key == "window") io::WindowMember::read(value, read, scope);
    });
  };
  read_with("0.480");  // 2.09302405 · √(20 / 19 / 20)
  CHECK_THROWS_WITH_AS(read_with("0.481"), "0.481, but the sums say none", InputError);
}

TEST_CASE("window: a run that ends before its window has the rate of all that came") {
  Scenario scenario = mesh_scenario(4, 1);
  const Topology& mesh = *scenario.topology;
  const std::vector<std::string> rates = {"0.9", "0.5", "0.9"};
  for (std::uint64_t id = 0; id < rates.size(); ++id) {
    scenario.routes.push_back(multicast(id, id, 6, {path_worm(mesh, {0, 1, 2, 3}, {1, 2, 3})}));
    scenario.routes.back().plan.request.workload = {{"rate", rates[id]}};
  }
  const auto rate_with_window_from = [&](Cycle warmup) {
    scenario.options.window = WindowOptions{warmup, 10, 0};
    return io::window_stated(*simulate(make_worm_engine, scenario).summary.window, "rate");
  };
  CHECK(rate_with_window_from(100) == "0.5+0.9");
  CHECK(rate_with_window_from(2) == "0.9");
  CHECK(rate_with_window_from(1) == "0.5+0.9");
  scenario.options.window = WindowOptions{0, 1, 0};
  CHECK(io::window_stated(*simulate(make_worm_engine, scenario).summary.window, "rate") == "0.9");
}

TEST_CASE("window: what was offered counts every destination, and every rate is named once") {
  Scenario scenario = mesh_scenario(4, 1);
  const Topology& mesh = *scenario.topology;
  const std::vector<std::string> rates = {"0.1", "", "0.05", "0.1"};
  for (std::uint64_t id = 0; id < rates.size(); ++id) {
    scenario.routes.push_back(multicast(id, id * 50, 6, {path_worm(mesh, {0, 1, 2, 3}, {1, 2, 3})}));
    if (!rates[id].empty()) scenario.routes.back().plan.request.workload = {{"rate", rates[id]}};
  }
  scenario.routes.push_back(multicast(9, 300, 6, {path_worm(mesh, {0, 1}, {1})}));
  scenario.routes.back().plan.request.workload = {{"rate", "0.9"}};  // after the window
  scenario.options.window = WindowOptions{0, 200, 0};
  const WindowSummary window = *simulate(make_worm_engine, scenario).summary.window;
  CHECK(window.length_flits_sum == 24);
  CHECK(window.delivery_flits_sum == 72);
  CHECK(window.arrived_flits == 72);
  CHECK(io::window_stated(window, "rate") == "0.05+0.1");
  const auto figures = io::window_figures(window, 4);
  CHECK(figures[0] == std::pair<std::string_view, std::string>("offered_flits_per_node_cycle", "0.030000"));
  CHECK(figures[1] ==
        std::pair<std::string_view, std::string>("offered_delivery_flits_per_node_cycle", "0.090000"));
  CHECK(figures[2] == std::pair<std::string_view, std::string>("accepted_flits_per_node_cycle", "0.090000"));
  io::RecordLine line;
  const auto network = testing::make("mesh", {4, 1});
  const io::Scope scope{network.get()};
  io::WindowMember::write(window, line.begin("summary").key("window"), scope);
  const std::string text(line.end());
  io::JsonText json;
  const auto rate_again = [&](const std::string& record) {
    std::string rate;
    json.parse(record);
    json.root().members([&](std::string_view key, const io::Value& value) {
      if (key != "window") return;
      std::optional<WindowSummary> read;
      io::WindowMember::read(value, read, scope);
      rate = io::window_stated(*read, "rate");
    });
    return rate;
  };
  CHECK(rate_again(text) == "0.05+0.1");
  const std::string sum = "\"delivery_flits_sum\":72,";
  std::string older = text;  // a record of before: neither the sum nor what follows from it
  older.erase(older.find(sum), sum.size());
  CHECK_THROWS_WITH_AS(rate_again(older), doctest::Contains("but the sums say none"), InputError);
  const std::string figure = "\"offered_delivery_flits_per_node_cycle\":0.090000,";
  older.erase(older.find(figure), figure.size());
  CHECK(rate_again(older) == "0.05+0.1");
}

}  // namespace wormcast::window_test

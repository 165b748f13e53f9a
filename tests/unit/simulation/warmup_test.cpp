// The end of the warm-up: MSER by its definition, by brute force; the search by all deliveries of a run
// without a window; and in every engine the same run as with that warm-up given.
// SPDX-License-Identifier: MIT
#include "simulation/window.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "io/records/delivery_record.hpp"
#include "simulation/allocating/allocating_engine.hpp"
#include "simulation/engine.hpp"
#include "topology/random.hpp"
#include "unit/simulation/hand_routes.hpp"
#include "unit/simulation/scenario.hpp"

namespace wormcast::warmup_test {

namespace {

using Numbers = std::vector<std::uint64_t>;

/// Σ (m·y − S)² / m⁴ for every number of first values dropped, compared by cross products; small values only.
std::size_t truncation_by_definition(const Numbers& values) {
  std::size_t best = 0;
  std::uint64_t best_sum = 0, best_fourth = 0;
  for (std::size_t dropped = 0; dropped + 5 <= values.size(); ++dropped) {
    const std::uint64_t left = values.size() - dropped;
    std::uint64_t sum = 0, squares = 0;
    for (std::size_t i = dropped; i < values.size(); ++i) sum += values[i];
    for (std::size_t i = dropped; i < values.size(); ++i) {
      const std::uint64_t scaled = left * values[i];
      const std::uint64_t apart = scaled > sum ? scaled - sum : sum - scaled;
      squares += apart * apart;
    }
    const std::uint64_t fourth = left * left * left * left;
    if (best_fourth != 0 && squares * best_fourth >= best_sum * fourth) continue;
    best = dropped;
    best_sum = squares;
    best_fourth = fourth;
  }
  return best;
}

struct Found {
  std::uint64_t deliveries = 0, batch = 0, dropped = 0;
};

/// The first look at which no more than half is dropped; nothing if there is none.
std::optional<Found> search_by_definition(const Numbers& latencies, std::uint64_t batches,
                                          std::uint64_t first_batch) {
  for (std::uint64_t batch = first_batch; batch * batches <= latencies.size(); batch *= 2) {
    Numbers sums(batches);
    for (std::uint64_t i = 0; i < batch * batches; ++i) sums[i / batch] += latencies[i];
    const std::size_t dropped = truncation_by_definition(sums);
    if (dropped <= batches / 2) return Found{batch * batches, batch, dropped * batch};
  }
  return std::nullopt;
}

/// Unicasts at random on a mesh, more of them in the beginning.
Scenario busy_mesh(std::uint64_t seed, std::uint64_t count) {
  Scenario scenario = mesh_scenario(4, 4);
  Random random = RandomStreams(seed, "busy mesh").stream(0);
  const auto below = [&](std::uint64_t bound) { return random.below(bound); };
  Cycle start = 0;
  for (std::uint64_t id = 0; id < count; ++id) {
    const auto from = static_cast<std::uint32_t>(below(16));
    const auto to = static_cast<std::uint32_t>((from + 1 + below(15)) % 16);
    scenario.routes.push_back(
        multicast(id, start, 1 + below(8),
                  {path_worm(*scenario.topology, xy_nodes(*scenario.topology, from, to), {to})}));
    start += below(id < count / 8 ? 3 : 6);
  }
  return scenario;
}

std::string records(const Scenario& scenario, const Run& run) {
  io::RecordLine line;
  std::string text;
  for (const Delivery& delivery : run.deliveries) text += io::write_delivery_record(delivery, line);
  for (const ChannelLoad& load : run.loads)
    text += io::write_channel_load_record(load, *scenario.topology, line);
  Summary summary = run.summary;
  if (summary.window) summary.window->warmup.reset();
  return text + std::string(io::write_summary_record({scenario.options.model, false, summary, {}, {}},
                                                     *scenario.topology, line));
}

}  // namespace

TEST_CASE("MSER drops what the definition says, for random series with steps and ties") {
  Random random = RandomStreams(1, "series").stream(0);
  std::size_t some = 0;
  for (int round = 0; round < 20'000; ++round) {
    Numbers values(5 + random.below(30));
    const std::uint64_t spread = 1 + random.below(4) * random.below(60);
    const std::size_t step = random.below(values.size());
    const std::uint64_t before = random.below(2) * random.below(200);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = random.below(spread) + (i < step ? before : 0);
    const std::size_t dropped = truncation_by_definition(values);
    CHECK(mser_truncation(values) == dropped);
    some += dropped > 0 ? 1 : 0;
  }
  CHECK(some > 5'000);
}

TEST_CASE("MSER on the largest sums, and on one value for ever") {
  constexpr std::uint64_t most = (std::uint64_t{1} << 40) - 1;
  Numbers values(512, most);
  CHECK(mser_truncation(values) == 0);
  for (std::size_t i = 100; i < values.size(); ++i) values[i] = most / 2 + i % 2;
  CHECK(mser_truncation(values) == 100);
}

TEST_CASE("the search: a step is dropped, sums that are too large are rounded, growth has no end") {
  for (const std::uint64_t scale : {std::uint64_t{1}, std::uint64_t{1} << 45}) {
    WarmupSearch search({}, 64);
    for (std::uint64_t i = 0; i < 1000; ++i) {
      CHECK_FALSE(search.found());
      search.add((i < 300 ? 400 : 100 + i % 7) * scale);
    }
    REQUIRE(search.found());
    CHECK(search.summary().deliveries == 1000);
    CHECK(search.summary().batch_deliveries == 5);
    CHECK(*search.summary().dropped == 300);
    search.add(1);
    CHECK(search.summary().deliveries == 1000);  // nothing more is looked at
  }
  WarmupSearch growing({}, 1000);
  for (std::uint64_t i = 0; i < 100'000; ++i) growing.add(i);
  CHECK_FALSE(growing.found());
  CHECK(growing.summary().deliveries == 100'000);
  CHECK(growing.summary().batch_deliveries ==
        50 * 16);  // first 10,000, then 20,000, 40,000, 80,000 are looked at
}

TEST_CASE("the search looks when the definition says, after batches have been joined too") {
  Random random = RandomStreams(2, "series").stream(0);
  std::size_t joined = 0, none = 0;
  for (int round = 0; round < 2'000; ++round) {
    const std::uint64_t batches = 10 + 2 * random.below(8), batch = 1 + random.below(3);
    const std::uint64_t slope = random.below(4), length = 400, end = random.below(length);
    Numbers latencies(length);
    for (std::uint64_t i = 0; i < length; ++i)
      latencies[i] = random.below(10) + slope * (i < end ? end - i : 0) / 4;
    WarmupSearch search({static_cast<std::uint32_t>(batches), batch}, 1);
    for (const std::uint64_t latency : latencies) search.add(latency);
    const auto found = search_by_definition(latencies, batches, batch);
    REQUIRE(search.found() == found.has_value());
    none += found ? 0 : 1;
    if (!found) continue;
    CHECK(search.summary().deliveries == found->deliveries);
    CHECK(search.summary().batch_deliveries == found->batch);
    CHECK(*search.summary().dropped == found->dropped);
    joined += found->batch > batch ? 1 : 0;
  }
  CHECK(joined > 200);
  CHECK(none > 20);
}

TEST_CASE("every engine begins its window where all deliveries say, and measures what it would if told" *
          doctest::test_suite("long")) {
  struct Case {
    std::unique_ptr<Engine> (*make)(const Topology&, const SimulationOptions&);
    bool shared_links, allocates, per_flit;
  };
  const Case cases[] = {{make_flit_engine, false, false, false}, {make_worm_engine, false, false, false},
                        {make_link_engine, false, false, false}, {make_flit_engine, false, false, true},
                        {make_link_engine, false, false, true},  {make_allocating_engine, true, true, true},
                        {make_engine, true, false, false}};
  std::size_t begun = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    for (const Case& each : cases) {
      CAPTURE(seed);
      Scenario scenario = busy_mesh(seed, 600);
      RouterModel& model = scenario.options.model;
      model.hop_cycles = 1 + static_cast<std::uint32_t>(seed % 3);
      model.injection_channels = 1;
      model.shared_links = each.shared_links;
      if (each.per_flit) model.copies = Copies::per_flit;
      if (each.allocates) model.vc_allocation = VcAllocation::islip;
      scenario.options.channel_loads = LoadsBy::channel;
      const Run whole = simulate(each.make, scenario, false);
      const WarmupOptions find{20, 2};
      scenario.options.window = WindowOptions{WindowOptions::kSought, 300, 0, find};
      const Run found = simulate(each.make, scenario, false);
      REQUIRE(found.summary.window);
      REQUIRE(found.summary.window->warmup);

      // By definition: a delivery counts for a start F or more after its completion.
      Numbers latencies;
      for (const Delivery& delivery : whole.deliveries) latencies.push_back(delivery.latency_cycles());
      const auto expected = search_by_definition(latencies, find.batches, find.batch_deliveries);
      const Routes* last = nullptr;
      if (expected) {
        const Cycle known = whole.deliveries[expected->deliveries - 1].completion_cycle + model.flit_cycles;
        const auto place =
            std::find_if(scenario.routes.begin(), scenario.routes.end(),
                         [&](const Routes& routes) { return routes.plan.request.start_cycle >= known; });
        if (place != scenario.routes.end()) last = &*place;
      }
      if (last == nullptr) {
        CHECK(found.deliveries.empty());
        CHECK(found.summary.window->options.warmup_cycles ==
              scenario.routes.back().plan.request.start_cycle + 1);
        continue;
      }
      CHECK(*found.summary.window->warmup->dropped == expected->dropped);
      CHECK(found.summary.window->warmup->deliveries == expected->deliveries);
      const Cycle begins = last->plan.request.start_cycle + 1;
      CHECK(found.summary.window->options.warmup_cycles == begins);
      ++begun;
      Scenario told = busy_mesh(seed, 600);
      told.options = scenario.options;
      told.options.window = WindowOptions{begins, 300, 0};
      CHECK(records(told, simulate(each.make, told, false)) == records(scenario, found));
    }
  CHECK(begun > 100);
}

}  // namespace wormcast::warmup_test

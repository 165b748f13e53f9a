// T2W, BTL, dual-arm: the reference instances, the worked example, and what holds of all.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "simulation/engine.hpp"
#include "topology/error.hpp"
#include "unit/long_mode.hpp"
#include "unit/multicast/random_requests.hpp"
#include "unit/multicast/two_phase_model.hpp"
#include "unit/source_dir.hpp"

namespace wormcast::torus_planners_test {

using namespace testing;
using nlohmann::json;

namespace {

using Points = std::vector<std::array<std::uint32_t, 2>>;

struct Instance {
  json line;
  std::unique_ptr<const Topology> torus;
  Request request;

  std::array<std::uint32_t, 2> point(std::uint32_t node) const {
    const std::uint32_t width = torus->grid()->dims()[0];
    return {node % width, node / width};
  }
};

std::vector<Instance> reference() {
  std::ifstream file(testing::source_dir() + "/tests/reference/torus.jsonl");
  std::vector<Instance> all;
  for (std::string text; std::getline(file, text);) {
    Instance instance;
    instance.line = json::parse(text);
    const auto width = instance.line["n"].get<std::uint32_t>();
    instance.torus = make("torus", {width, instance.line["m"].get<std::uint32_t>()});
    const auto node = [&](const json& at) {
      return at[0].get<std::uint32_t>() + width * at[1].get<std::uint32_t>();
    };
    std::vector<std::uint32_t> destinations;
    for (const json& at : instance.line["dests"]) destinations.push_back(node(at));
    instance.request = request_of(node(instance.line["source"]), destinations);
    all.push_back(std::move(instance));
  }
  return all;
}

/// Column arms as the reference lists them: [[x, y] of the relay, direction, hops], sorted.
json branches(const Instance& instance, const Plan& plan) {
  std::vector<std::tuple<std::uint32_t, std::string, std::uint64_t>> arms;
  const Routes routes = expand(plan, *bind_routing(plan.routing, *instance.torus));
  for (const WormRoute& worm : routes.worms) {
    if (worm.hops.empty() || !worm.hops[0].is_channel()) continue;
    const std::uint32_t port = instance.torus->ends(ChannelId{worm.hops[0].target})->port.value;
    if (port < 2) continue;
    const auto channels = std::count_if(worm.hops.begin(), worm.hops.end(),
                                        [](const RouteHop& hop) { return hop.is_channel(); });
    arms.emplace_back(worm.source.value, port == 2 ? "+y" : "-y", channels);
  }
  std::sort(arms.begin(), arms.end());
  json list = json::array();
  for (const auto& [node, direction, hops] : arms)
    list.push_back(json::array({instance.point(node), direction, hops}));
  return list;
}

json sorted(json list) {
  std::sort(list.begin(), list.end(), [](const json& a, const json& b) {
    return std::tuple(a[0][1], a[0][0], a[1]) < std::tuple(b[0][1], b[0][0], b[1]);
  });
  return list;
}

/// Nodes of the main path and those that receive from it upwards or downwards, in the order of Olist.
json order_list(const Instance& instance, const Plan& plan, bool first) {
  json list = json::array();
  const auto add = [&](std::uint32_t node) { list.push_back(instance.point(node)); };
  const Request& request = plan.request;
  const auto is_destination = [&](std::uint32_t node) {
    return node == request.source.value ||
           std::binary_search(request.destinations.begin(), request.destinations.end(), HostId{node});
  };
  std::vector<std::uint32_t> path{request.source.value};
  for (const Worm& worm : plan.worms)
    if (worm.after < 0 && worm.first_port && worm.first_port->value < 2)
      for (const Stop& stop : worm.stops) path.push_back(stop.node);
  for (const std::uint32_t node : path) {
    const Worm* arm = nullptr;
    for (const Worm& worm : plan.worms)
      if (worm.source.value == node && worm.first_port->value >= 2 && (worm.vc_class == 1) == first)
        arm = &worm;
    if (arm == nullptr && !is_destination(node)) continue;
    add(node);
    if (arm != nullptr)
      for (const Stop& stop : arm->stops) add(stop.node);
  }
  return list;
}

}  // namespace

TEST_CASE("torus reference: T2W and BTL, corrected and literal") {
  const auto instances = reference();
  CHECK(instances.size() == 34);
  for (const Instance& instance : instances) {
    CAPTURE(instance.line["tag"].get<std::string>());
    CAPTURE(instance.torus->name());
    for (const std::string rule : {"le", "ge"}) {
      CAPTURE(rule);
      const json& expected = instance.line[rule];
      const PlanOptions literal{{"literal", rule == "ge" ? "yes" : "no"}};
      for (const std::string name : {"btl", "t2w"}) {
        CAPTURE(name);
        PlanOptions relayed = literal;
        relayed.emplace_back("source-column", "relayed");
        const Cost by_model = cost(bind_planner(*instance.torus, name, relayed), instance.request);
        CHECK(by_model.latency_ns == expected[name]["latency_ns"]);
        CHECK(by_model.traffic == expected[name]["traffic"]);
        CHECK(cost(bind_planner(*instance.torus, name, relayed), instance.request, true).latency_ns ==
              expected[name]["latency_one_port_ns"]);
        const BoundPlanner planner = bind_planner(*instance.torus, name, literal);
        CHECK(cost(planner, instance.request).latency_ns ==
              expected[name]["latency_source_branch_phase1_ns"]);
        CHECK(branches(instance, planner.plan(instance.request)) == sorted(expected[name]["branches"]));
      }
      const Plan plan = bind_planner(*instance.torus, "btl", literal).plan(instance.request);
      CHECK(order_list(instance, plan, true) == expected["olist1"]);
      CHECK(order_list(instance, plan, false) == expected["olist2"]);
      const Worm& main = plan.worms.front();
      const bool moves = main.first_port->value < 2;
      const std::uint32_t end = moves ? main.stops.back().node : instance.request.source.value;
      CHECK(instance.point(end)[0] == expected["x_e"]);
      if (moves) CHECK((main.first_port->value == 0) == (expected["move_hmp"] == 1));
    }
  }
}

TEST_CASE("torus reference: dual-arm, rows first as the reference has it") {
  for (const Instance& instance : reference())
    for (const std::string cut : {"short", "gap", "slack"}) {
      CAPTURE(instance.torus->name());
      CAPTURE(cut);
      const Cost rows =
          cost(bind_planner(*instance.torus, "dual-arm",
                            {{"cut", cut}, {"orientation", "rows-first"}, {"source-column", "relayed"}}),
               instance.request);
      CHECK(rows.latency_ns == instance.line["dual"][cut]["latency_ns"]);
      CHECK(rows.traffic == instance.line["dual"][cut]["traffic"]);
    }
}

TEST_CASE("the paper's 8x8 example: traffic and latency of every scheme") {
  const auto torus = make("torus", {8, 8});
  const Points points = {{2, 1}, {2, 5}, {3, 0}, {3, 4}, {4, 1}, {4, 6},
                         {5, 0}, {6, 5}, {7, 2}, {0, 3}, {1, 3}, {1, 7}};
  std::vector<std::uint32_t> nodes;
  for (const auto& [x, y] : points) nodes.push_back(x + 8 * y);
  const Request request = request_of(2 + 8 * 2, nodes);
  const Cost btl = cost(bind_planner(*torus, "btl"), request);
  CHECK(btl.traffic == 30);
  CHECK(btl.latency_ns == 1540);
  CHECK(cost(bind_planner(*torus, "btl", {{"hmp-messages", "2"}}), request).traffic == 37);
  const Cost t2w = cost(bind_planner(*torus, "t2w"), request);
  CHECK(t2w.traffic == 42);
  CHECK(t2w.latency_ns == 1600);
}

TEST_CASE("traffic of BTL can exceed T2W's: the smallest counterexample") {
  const auto torus = make("torus", {5, 5});
  const Request request = request_of(0, {10, 15});
  CHECK(cost(bind_planner(*torus, "btl"), request).traffic == 4);
  CHECK(cost(bind_planner(*torus, "t2w"), request).traffic == 3);
}

TEST_CASE(
    "random tori: BTL is never later than T2W, dual-arm slack never than BTL, cuts keep their promises") {
  Random random = RandomStreams(1, "two-phase").stream(0);
  const std::uint32_t rounds = few_or_many(3000u, 100'000u);
  std::uint64_t btl_traffic = 0;
  std::uint64_t t2w_traffic = 0;
  std::uint64_t slack_traffic = 0;
  const auto options = [](std::string cut, std::string orientation) {
    return PlanOptions{{"cut", cut}, {"orientation", orientation}, {"source-column", "relayed"}};
  };
  const PlanOptions relayed{{"source-column", "relayed"}};
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const std::uint64_t width = 1 + random.below(16);
    const std::uint64_t height = width == 1 ? 2 + random.below(15) : 1 + random.below(16);
    const auto torus = make("torus", {width, height});
    CAPTURE(torus->name());
    const auto source = static_cast<std::uint32_t>(random.below(torus->hosts()));
    const auto count = static_cast<std::uint32_t>(
        1 + random.below(random.below(2) == 0 ? std::min(8u, torus->hosts() - 1) : torus->hosts() - 1));
    const Request request = random_multicast(random, torus->hosts(), source, count);
    const Cost btl = cost(bind_planner(*torus, "btl", relayed), request);
    const Cost t2w = cost(bind_planner(*torus, "t2w", relayed), request);
    CHECK(btl.latency_ns <= t2w.latency_ns);
    std::map<std::string, std::array<Cost, 3>> arms;
    for (const std::string cut : {"short", "gap", "slack"}) {
      const Cost rows = cost(bind_planner(*torus, "dual-arm", options(cut, "rows-first")), request);
      const Cost columns = cost(bind_planner(*torus, "dual-arm", options(cut, "columns-first")), request);
      const Cost best = cost(bind_planner(*torus, "dual-arm", options(cut, "best")), request);
      arms[cut] = {rows, columns, best};
      const auto key = [&](const Cost& c) {
        return cut == "gap" ? std::pair(c.traffic, c.latency_ns) : std::pair(c.latency_ns, c.traffic);
      };
      CHECK(key(best) == std::min(key(rows), key(columns)));
    }
    for (const int orientation : {0, 1}) {
      const auto at = [&](const char* cut) { return arms[cut][static_cast<std::size_t>(orientation)]; };
      CHECK(at("slack").latency_ns == at("short").latency_ns);
      CHECK(at("slack").traffic <= at("short").traffic);
      CHECK(at("gap").traffic <= at("slack").traffic);
      CHECK(at("gap").latency_ns >= at("slack").latency_ns);
    }
    CHECK(arms["gap"][0].traffic <= std::min(btl.traffic, t2w.traffic));
    CHECK(arms["slack"][0].latency_ns <= btl.latency_ns);
    CHECK(arms["slack"][2].latency_ns <= btl.latency_ns);
    btl_traffic += btl.traffic;
    t2w_traffic += t2w.traffic;
    slack_traffic += arms["slack"][2].traffic;
  }
  CHECK(btl_traffic < t2w_traffic);
  CHECK(slack_traffic < btl_traffic);
}

TEST_CASE("random tori: two phases at most, no channel twice, columns of BTL at most half of the ring") {
  Random random = RandomStreams(3, "two-phase").stream(0);
  std::uint32_t longer = 0;  // columns of T2W
  for (std::uint32_t round = 0; round < few_or_many(500u, 20'000u); ++round) {
    const std::uint64_t width = 2 + random.below(15);
    const std::uint64_t height = 2 + random.below(15);
    const auto torus = make("torus", {width, height});
    const auto source = static_cast<std::uint32_t>(random.below(torus->hosts()));
    const auto count = static_cast<std::uint32_t>(1 + random.below(torus->hosts() - 1));
    const Request request = random_multicast(random, torus->hosts(), source, count);
    for (const std::string name : {"btl", "t2w", "dual-arm"})
      for (const std::string column : {"at-once", "relayed"}) {
        CAPTURE(torus->name());
        CAPTURE(name);
        CAPTURE(column);
        const Plan plan = bind_planner(*torus, name, {{"source-column", column}}).plan(request);
        const Routes routes = expand(plan, *bind_routing(plan.routing, *torus));
        std::set<std::uint32_t> used;
        for (std::size_t w = 0; w < routes.worms.size(); ++w) {
          const std::int64_t before = plan.worms[w].after;
          if (before >= 0) CHECK(plan.worms[static_cast<std::size_t>(before)].after < 0);
          std::uint64_t in_column = 0;
          for (const RouteHop& hop : routes.worms[w].hops) {
            if (!hop.is_channel()) continue;
            CHECK(used.insert(hop.target).second);
            in_column += torus->ends(ChannelId{hop.target})->port.value >= 2 ? 1 : 0;
          }
          if (name == "btl") CHECK(in_column <= height / 2);
          if (name == "t2w" && in_column > height / 2) ++longer;
        }
      }
  }
  CHECK(longer > 0);
}

namespace {

/// Least latency of any two-phase plan, rows first: each column from either side, each destination of
/// a column from either side, by trying all cuts of all rings (also those that do not cut at a gap).
std::uint64_t least_latency_ns(std::uint32_t width, std::uint32_t height, const Request& request) {
  std::uint64_t last = 0;
  for (const HostId host : request.destinations) {
    const std::uint32_t dx = (host.value % width + width - request.source.value % width) % width;
    const std::uint32_t dy = (host.value / width + height - request.source.value / width) % height;
    std::uint64_t best = UINT64_MAX;
    for (const std::uint32_t h : {dx, width - dx})
      for (const std::uint32_t v : {dy, height - dy})
        best = std::min<std::uint64_t>(
            best, first_startup_ns + (dy == 0 ? hop_ns * std::min(dx, h)
                                              : second_startup_ns + hop_ns * ((dx == 0 ? 0 : h) + v)));
    last = std::max(last, best);
  }
  return last;
}

}  // namespace

TEST_CASE("dual-arm slack has the least traffic of all cuts that keep the least latency, by exhaustion") {
  Random random = RandomStreams(2, "two-phase").stream(0);
  for (int round = 0; round < 200; ++round) {
    const auto width = static_cast<std::uint32_t>(2 + random.below(5));
    const auto height = static_cast<std::uint32_t>(2 + random.below(5));
    const auto torus = make("torus", {width, height});
    const auto source = static_cast<std::uint32_t>(random.below(torus->hosts()));
    const Request request =
        random_multicast(random, torus->hosts(), source,
                         static_cast<std::uint32_t>(1 + random.below(std::min(7u, torus->hosts() - 1))));
    const Cost slack =
        cost(bind_planner(*torus, "dual-arm", {{"orientation", "rows-first"}, {"source-column", "relayed"}}),
             request);
    const std::uint64_t limit = least_latency_ns(width, height, request);
    CHECK(slack.latency_ns == limit);
    // Every destination column on either row arm, every destination on either column arm.
    const std::size_t k = request.destinations.size();
    std::uint64_t least = UINT64_MAX;
    for (std::uint32_t rows = 0; rows < 1u << width; ++rows)
      for (std::uint32_t columns = 0; columns < 1u << k; ++columns) {
        std::array<std::uint32_t, 2> main{};
        std::vector<std::array<std::uint32_t, 2>> cross(width);
        std::uint64_t latency = 0;
        for (std::size_t i = 0; i < k; ++i) {
          const std::uint32_t node = request.destinations[i].value;
          const std::uint32_t dx = (node % width + width - source % width) % width;
          const std::uint32_t dy = (node / width + height - source / width) % height;
          const bool left = (rows >> dx & 1) != 0;
          const bool down = (columns >> i & 1) != 0;
          const std::uint32_t h = dx == 0 ? 0 : left ? width - dx : dx;
          const std::uint32_t v = dy == 0 ? 0 : down ? height - dy : dy;
          main[left] = std::max(main[left], h);
          cross[dx][down] = std::max(cross[dx][down], v);
          latency = std::max<std::uint64_t>(
              latency, first_startup_ns + hop_ns * (h + v) + (dy == 0 ? 0 : second_startup_ns));
        }
        if (latency > limit) continue;
        std::uint64_t traffic = main[0] + main[1];
        for (const auto& reach : cross) traffic += reach[0] + reach[1];
        least = std::min(least, traffic);
      }
    CHECK(slack.traffic == least);
  }
}

TEST_CASE("one flit in the simulator is the paper's model, to the nanosecond") {
  RouterModel model;
  model.hop_cycles = 3;  // 1 cycle = 10 ns
  model.startup_cycles = 100;
  model.relay_startup_cycles = 23;  // and one cycle in which the flit is consumed
  Random random = RandomStreams(3, "two-phase").stream(0);
  for (int round = 0; round < 60; ++round) {
    const auto torus = make("torus", {2 + random.below(9), 2 + random.below(9)});
    const auto source = static_cast<std::uint32_t>(random.below(torus->hosts()));
    const Request request = random_multicast(
        random, torus->hosts(), source, static_cast<std::uint32_t>(1 + random.below(torus->hosts() - 1)));
    for (const std::string name : {"t2w", "btl", "dual-arm"}) {
      const BoundPlanner planner = bind_planner(*torus, name, {{"source-column", "relayed"}});
      Routes routes = expand(planner.plan(request), planner.context().routing);
      const std::uint64_t expected = model_latency_ns(routes);
      SimulationOptions options;
      options.model = model;
      const auto engine = make_flit_engine(*torus, options);
      engine->push(std::move(routes));
      engine->finish();
      const auto delivery = engine->poll();
      REQUIRE(delivery);
      CHECK(10 * delivery->latency_cycles() == expected);
      CHECK(delivery->contention == 0);
    }
  }
}

TEST_CASE("two-phase planners refuse other networks in words") {
  CHECK_THROWS_WITH(bind_planner(*make("torus", {3, 3, 3}), "btl"),
                    "btl does not apply to torus-3x3x3: it needs a two-dimensional torus");
  CHECK_THROWS_WITH(bind_planner(*make("mesh", {3, 3}), "dual-arm"),
                    "dual-arm does not apply to mesh-3x3: it needs a two-dimensional torus");
  CHECK_THROWS_WITH(bind_planner(*make("mesh", {3, 3}), "u-torus"),
                    "u-torus does not apply to mesh-3x3: it needs a torus");
}

TEST_CASE("VC rules that need more virtual channels than the torus has are refused before any multicast") {
  const auto torus = [](std::uint32_t virtual_channels) {
    TopologySpec spec;
    spec.family = "torus";
    spec.sizes = {4, 4};
    spec.virtual_channels = virtual_channels;
    return build_topology(std::move(spec));
  };
  const auto refused = [&](std::uint32_t virtual_channels, const char* planner, const PlanOptions& options) {
    const auto network = torus(virtual_channels);
    try {
      BoundPlanner(*find_planner(planner), *network, options);
      return std::string();
    } catch (const InputError& error) {
      return error.field + ": " + error.what();
    }
  };
  for (const char* planner : {"t2w", "btl", "dual-arm"}) {
    CHECK(refused(1, planner, {}) ==
          "--vc-rule: 'dateline': class 0 needs 2 virtual channels a channel, the topology has 1");
    CHECK(refused(1, planner, {{"vc-rule", "single"}}).empty());
    CHECK(refused(2, planner, {}).empty());
  }
  CHECK(refused(1, "dual-arm", {{"vc-rule", "printed"}}).find("--vc-rule: 'printed': class 2 needs 2") == 0);
  const PlanOptions two{{"vc-rule", "dateline-by-message"}, {"hmp-messages", "2"}};
  CHECK(refused(2, "btl", two).find("--vc-rule: 'dateline-by-message': class 3 needs 4") == 0);
  CHECK(refused(2, "btl", {{"vc-rule", "dateline-by-message"}, {"hmp-messages", "1"}}).empty());
  CHECK(refused(4, "btl", two).empty());
}

}  // namespace wormcast::torus_planners_test

// Expansion: exact hops of paths, trees, phases and self-sends; measures; every refusal.
// SPDX-License-Identifier: MIT
#include "multicast/expansion/expand.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "topology/error.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::expand_test {

using namespace testing;

namespace {

/// 4x3 mesh, node = x + 4y; channel = 4 node + port (+x −x +y −y).
struct Case {
  std::unique_ptr<const Topology> mesh = make("mesh", {4, 3});
  std::unique_ptr<const RoutingFunction> label = bind_routing("label", *mesh);
  std::unique_ptr<const RoutingFunction> xy = bind_routing("xy", *mesh);
  Plan plan;

  explicit Case(std::uint32_t source, std::vector<std::uint32_t> destinations) {
    plan.request = request_of(source, std::move(destinations));
  }
  Worm& worm(std::uint32_t source, std::vector<Stop> stops, std::int32_t after = -1) {
    Worm worm;
    worm.source = HostId{source};
    worm.after = after;
    worm.stops = std::move(stops);
    plan.worms.push_back(std::move(worm));
    return plan.worms.back();
  }
};

using Hops = std::vector<std::pair<std::int64_t, std::int32_t>>;

/// Channel ids as they are, consumption of host h as ~h, with parents.
Hops hops(const WormRoute& route) {
  Hops result;
  for (const RouteHop& hop : route.hops)
    result.emplace_back(hop.is_channel() ? std::int64_t{hop.target} : ~std::int64_t{hop.target}, hop.parent);
  return result;
}

constexpr StopAction branch = StopAction::branch;
constexpr StopAction relay = StopAction::relay;

}  // namespace

TEST_CASE("a path worm: channels, intermediate consumption, measures") {
  Case c(1, {3, 6});
  c.worm(1, {{3, -1}, {6, 0}});
  const Routes routes = expand(c.plan, *c.label);
  // 1 -> 2 -> 3, consumed, then 3 -> 7 -> 6.
  CHECK(hops(routes.worms[0]) == Hops{{4, -1}, {8, 0}, {~3, 1}, {14, 1}, {29, 3}, {~6, 4}});
  CHECK(routes.worms[0].is_path());
  CHECK(routes.plan.traffic_channels == 4);
  CHECK(routes.plan.longest_path_hops == 4);
  CHECK(routes.plan.longest_chain_hops == 4);
  CHECK(measure(c.plan.worms, *c.label) == PlanMeasures{4, 4, 4});
}

TEST_CASE("a path is one wherever its consumption hops stand") {
  WormRoute route;
  const auto hop = [&](std::uint32_t target, std::int32_t parent, RouteHop::Kind kind) {
    route.hops.push_back({target, parent, 0, kind});
  };
  hop(4, -1, RouteHop::Kind::channel);
  hop(8, 0, RouteHop::Kind::channel);
  hop(14, 1, RouteHop::Kind::channel);
  hop(3, 1, RouteHop::Kind::deliver);
  hop(7, 2, RouteHop::Kind::deliver);
  CHECK(route.is_path());
  hop(2, 0, RouteHop::Kind::deliver);
  CHECK(route.is_path());
  hop(9, 1, RouteHop::Kind::deliver);  // a second one after the same channel
  CHECK_FALSE(route.is_path());
  route.hops.pop_back();
  hop(20, 1, RouteHop::Kind::channel);  // a branch
  CHECK_FALSE(route.is_path());
}

TEST_CASE("what a path is: nothing is followed by two channels, nor by two consumption channels") {
  Dice dice(41);
  std::uint64_t paths = 0;
  for (int round = 0; round < 20'000; ++round) {
    WormRoute route;
    std::vector<std::int32_t> ends = {-1};  // the source, and channels
    const std::uint32_t size = 1 + dice.below(6);
    for (std::uint32_t i = 0; i < size; ++i) {
      const bool near = dice.below(3) > 0;
      const std::int32_t parent =
          near ? ends.back() : ends[dice.below(static_cast<std::uint32_t>(ends.size()))];
      const bool channel = dice.below(2) == 0;
      route.hops.push_back({i, parent, 0,
                            channel      ? RouteHop::Kind::channel
                            : i % 3 == 0 ? RouteHop::Kind::relay
                                         : RouteHop::Kind::deliver});
      if (channel) ends.push_back(static_cast<std::int32_t>(i));
    }
    std::set<std::pair<std::int32_t, bool>> followed;
    bool path = true;
    for (const RouteHop& hop : route.hops) path &= followed.insert({hop.parent, hop.is_channel()}).second;
    REQUIRE(route.is_path() == path);
    paths += path ? 1 : 0;
  }
  CHECK(paths > 1000);
}

TEST_CASE("expanded worms state a replication where their hops ask for one") {
  Dice dice(7);
  std::uint64_t asked = 0;
  TopologySpec ring;  // of six routers with two hosts each
  ring.family = "graph";
  ring.graph.routers = 6;
  for (std::uint32_t router = 0; router < 6; ++router) {
    ring.graph.hosts.insert(ring.graph.hosts.end(), 2, router);
    ring.graph.links.emplace_back().ends = {router, (router + 1) % 6};
  }
  std::vector<std::pair<std::unique_ptr<const Topology>, std::string>> networks;
  networks.emplace_back(make("mesh", {4, 4}), "label");
  networks.emplace_back(build_topology(ring), "up-down");
  for (const auto& [network, routing_name] : networks) {
    const auto routing = bind_routing(routing_name, *network);
    for (int round = 0; round < 300; ++round) {
      Plan plan;
      plan.request = random_request(*network, 1 + dice.below(6), dice);
      Worm& worm = plan.worms.emplace_back();
      worm.source = plan.request.source;
      for (const HostId host : plan.request.destinations) {
        const auto before = static_cast<std::int32_t>(worm.stops.size());
        worm.stops.push_back({host.value, dice.below(5) > 0 ? before - 1 : -1});
      }
      Routes routes;
      try {
        routes = expand(plan, *routing);
      } catch (const InputError&) {  // it came back to a channel of its own
        continue;
      }
      WormRoute same = routes.worms[0];
      same.replication = Copies::unstated;
      REQUIRE((routes.worms[0].replication == Copies::unstated) == same.is_path());
      asked += same.is_path() ? 0 : 1;
    }
  }
  CHECK(asked > 50);
}

TEST_CASE("a tree worm with a branch stop and a delivery that is passed on") {
  Case c(0, {5, 9, 2});
  c.worm(0, {{1, -1, branch}, {2, 0}, {5, 0}, {9, 2}});
  const Routes routes = expand(c.plan, *c.xy);
  CHECK(hops(routes.worms[0]) == Hops{{0, -1}, {4, 0}, {~2, 1}, {6, 0}, {~5, 3}, {22, 3}, {~9, 5}});
  CHECK_FALSE(routes.worms[0].is_path());
  CHECK(routes.plan.traffic_channels == 4);
  CHECK(routes.plan.longest_path_hops == 3);
  CHECK(measure(c.plan.worms, *c.xy) == PlanMeasures{4, 3, 3});
}

TEST_CASE("phases: the chain runs from source to source, not over whole worms") {
  Case c(0, {3, 1, 9});
  c.worm(0, {{1, -1}, {3, 0}});
  c.worm(1, {{9, -1}}, 0);
  const Routes routes = expand(c.plan, *c.xy);
  CHECK(routes.worms[1].after == 0);
  CHECK(routes.plan.traffic_channels == 5);
  CHECK(routes.plan.longest_path_hops == 3);
  CHECK(routes.plan.longest_chain_hops == 3);
  CHECK(measure(c.plan.worms, *c.xy) == PlanMeasures{5, 3, 3});
  c.plan.worms[0].stops = {{3, -1}, {1, 0}};
  CHECK(measure(c.plan.worms, *c.xy) == PlanMeasures{7, 5, 7});
}

TEST_CASE("relays are consumed but not delivered") {
  Case c(0, {5});
  c.worm(0, {{1, -1, relay}});
  c.worm(1, {{5, -1}}, 0);
  const Routes routes = expand(c.plan, *c.xy);
  CHECK(routes.worms[0].hops.back().kind == RouteHop::Kind::relay);
  CHECK(routes.plan.longest_chain_hops == 2);
}

TEST_CASE("a forced first port, also where it is not the routing function's") {
  Case c(1, {10});
  c.worm(1, {{10, -1}}).first_port = PortId{0};
  const Routes routes = expand(c.plan, *c.label);
  CHECK(hops(routes.worms[0]) == Hops{{4, -1}, {10, 0}, {26, 1}, {~10, 2}});
  CHECK(measure(c.plan.worms, *c.label) == PlanMeasures{3, 3, 3});
}

TEST_CASE("a self-send is one consumption hop") {
  Case c(7, {7});
  c.worm(7, {{7, -1}});
  const Routes routes = expand(c.plan, *c.label);
  CHECK(hops(routes.worms[0]) == Hops{{~7, -1}});
  CHECK(routes.plan.traffic_channels == 0);
  CHECK(routes.plan.longest_path_hops == 0);
}

TEST_CASE("worms that would use a channel twice are refused, and the expander stays usable") {
  Case c(0, {2, 1, 3});
  c.worm(0, {{2, -1}, {1, 0}, {3, 1}});
  Expander expander(*c.xy);
  CHECK_THROWS_WITH_AS(
      expander.expand(c.plan),
      "on the way to node 3 the worm would use channel 4 (virtual channel 0) out of router 1 a second time",
      InputError);
  c.plan.worms[0].stops = {{1, -1}, {2, 0}, {3, 1}};
  CHECK(expander.expand(c.plan).plan.traffic_channels == 3);
}

TEST_CASE("stops, worms and measures that do not fit are refused with their place") {
  const auto refusal = [](auto change) {
    Case c(0, {1, 5});
    c.worm(0, {{1, -1}});
    c.worm(1, {{5, -1}}, 0);
    change(c.plan);
    try {
      expand(c.plan, *c.xy);
    } catch (const InputError& error) {
      return error.field + ": " + error.what();
    }
    return std::string("accepted");
  };
  CHECK(refusal([](Plan&) {}) == "accepted");
  CHECK(refusal([](Plan& p) { p.worms[0].stops[0].node = 12; }) ==
        "worms[0].stops[0]: node 12 is not in topology mesh-4x3 (12 nodes)");
  CHECK(refusal([](Plan& p) { p.worms[1].stops[0].node = 2; }) ==
        "worms: host 2 is delivered to but is not a destination");
  CHECK(refusal([](Plan& p) { p.worms[0].stops[0].parent = 0; }) ==
        "worms[0].parents[0]: stop 0 is not before stop 0");
  CHECK(refusal([](Plan& p) { p.worms[0].stops.clear(); }) == "worms[0].stops: a worm without stops");
  CHECK(refusal([](Plan& p) { p.worms[0].source = HostId{4}; }) ==
        "worms[0].source: host 4 starts a worm that is after none, but the multicast's source is 0");
  CHECK(refusal([](Plan& p) { p.worms[1].after = 1; }) == "worms[1].after: worm 1 is not before worm 1");
  CHECK(refusal([](Plan& p) { p.worms[1].source = HostId{2}; }) ==
        "worms[1].source: host 2 does not receive the message from worm 0");
  CHECK(refusal([](Plan& p) { p.worms[0].first_port = PortId{1}; }) ==
        "worms[0].first_port: router 0 has no link at port 1");
  CHECK(refusal([](Plan& p) { p.worms[0].first_port = PortId{7}; }) ==
        "worms[0].first_port: router 0 has no link at port 7");
  CHECK(refusal([](Plan& p) {
          p.worms[0].stops.push_back({5, -1});
          p.worms[0].first_port = PortId{0};
        }) == "worms[0].first_port: the worm leaves its source by several branches");
  CHECK(refusal([](Plan& p) {
          p.worms[0].stops.push_back({5, 0});
        }) == "worms: host 5 is delivered to twice");
  CHECK(refusal([](Plan& p) { p.worms[1].stops[0].action = relay; }) ==
        "worms: destination 5 is not delivered to");
  CHECK(refusal([](Plan& p) {
          p.worms[0].stops.push_back({2, 0, relay});
          p.worms[0].stops.push_back({2, 1, relay});
        }) == "worms[0].stops: the worm is consumed twice at node 2");
  CHECK(refusal([](Plan& p) { p.traffic_channels = 3; }) ==
        "traffic_channels: the plan says 3, its routes have 2");
  CHECK(refusal([](Plan& p) { p.longest_path_hops = 2; }) ==
        "longest_path_hops: the plan says 2, its routes have 1");
  CHECK(refusal([](Plan& p) { p.longest_chain_hops = 1; }) ==
        "longest_chain_hops: the plan says 1, its routes have 2");
  CHECK(refusal([](Plan& p) { p.longest_chain_hops = 2; }) == "accepted");
}

}  // namespace wormcast::expand_test

// Properties of every planner: coverage, chains of channels, label order, measures, edge cases.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "topology/error.hpp"
#include "unit/long_mode.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::planners_test {

using namespace testing;

namespace {

/// The table is for two ports a half, and edge-disjoint stars of many ports are for small instances:
/// both are tried on 2-D meshes with the closed-form snake.
bool fits(const Topology& topology, std::string_view name, std::string_view value) {
  if (value != "table" && name != "edge-disjoint") return true;
  const bool plane = topology.spec().family == "mesh" && topology.spec().labels.empty() &&
                     topology.grid()->dimensions() <= 2;
  return plane || value == "no";
}

/// All option combinations of a planner that fit a network.
std::vector<PlanOptions> all_options(const Planner& planner, const Topology& topology) {
  std::vector<PlanOptions> all{{}};
  for (const PlannerParameter& parameter : planner.parameters) {
    std::vector<PlanOptions> longer;
    for (const PlanOptions& options : all)
      for (const std::string_view value : parameter.values) {
        if (!fits(topology, parameter.name, value)) continue;
        longer.push_back(options);
        longer.back().emplace_back(parameter.name, value);
      }
    all = std::move(longer);
  }
  return all;
}

/// Every planner, routing function and option set that fits `topology`.
template <class Visit>
void every_planner(const Topology& topology, Visit visit) {
  for (const Planner* planner : planners()) {
    if (planner->unsupported(topology)) continue;
    for (const std::string_view routing : planner->joined_by()) {
      if (find_routing_function(routing)->unsupported(topology)) continue;
      for (const PlanOptions& options : all_options(*planner, topology))
        visit(BoundPlanner(*planner, topology, options, routing));
    }
  }
}

void check_hops(const Topology& topology, const Request& request, const Routes& routes) {
  std::multiset<std::uint32_t> delivered;
  for (const WormRoute& worm : routes.worms) {
    std::set<std::uint32_t> channels;
    for (std::size_t i = 0; i < worm.hops.size(); ++i) {
      const RouteHop& hop = worm.hops[i];
      REQUIRE(hop.parent < static_cast<std::int32_t>(i));
      NodeId at = topology.router_of(worm.source);
      if (hop.parent >= 0) {
        REQUIRE(worm.hops[static_cast<std::size_t>(hop.parent)].is_channel());
        at = topology.ends(ChannelId{worm.hops[static_cast<std::size_t>(hop.parent)].target})->to;
      }
      if (hop.is_channel()) {
        const auto ends = topology.ends(ChannelId{hop.target});
        REQUIRE(ends);
        CHECK(ends->from == at);
        CHECK(channels.insert(hop.target).second);
      } else {
        CHECK(topology.router_of(HostId{hop.target}) == at);
        if (hop.kind == RouteHop::Kind::deliver) delivered.insert(hop.target);
      }
    }
  }
  std::multiset<std::uint32_t> wanted;
  for (const HostId host : request.destinations) wanted.insert(host.value);
  CHECK(delivered == wanted);
}

/// Worms that are routed on the way visit their stops whatever routers choose, by as many hops as the plan
/// states.
void check_on_the_way(const RoutingFunction& routing, const Plan& plan, const Routes& routes, Dice& dice) {
  const Topology& topology = routing.topology();
  CHECK(routes.routed_on_the_way());
  CHECK_FALSE(routes.plan.traffic_channels);
  std::multiset<std::uint32_t> delivered;
  std::uint64_t hops = 0;
  for (std::size_t w = 0; w < plan.worms.size(); ++w) {
    const Worm& worm = plan.worms[w];
    CHECK(routes.worms[w].hops.empty());
    CHECK(routes.worms[w].source == worm.source);
    CHECK(routes.worms[w].after == worm.after);
    NodeId at = topology.router_of(worm.source);
    RoutingState state =
        routing.first(at, topology.router_of(HostId{worm.stops.front().node}), worm.vc_class);
    bool forced = worm.first_port.has_value();
    for (const Stop& stop : worm.stops) {
      const NodeId to = topology.router_of(HostId{stop.node});
      std::vector<RoutingCandidate> all;
      for (; at != to; ++hops) {
        if (forced)
          routing.forced_candidates(at, *worm.first_port, state, to, all);
        else
          routing.candidates(at, state, to, all);
        forced = false;
        REQUIRE_FALSE(all.empty());
        const RoutingCandidate& taken = all[dice.below(static_cast<std::uint32_t>(all.size()))];
        at = taken.to;
        state = taken.state;
      }
      delivered.insert(stop.node);
    }
  }
  CHECK(hops == plan.traffic_channels);
  std::multiset<std::uint32_t> wanted;
  for (const HostId host : plan.request.destinations) wanted.insert(host.value);
  CHECK(delivered == wanted);
}

/// Any number of worms a port, with an option that knows of one only; no shared channels where routers
/// choose.
bool refuses_options(const PlanningContext& context) {
  if (context.routing.adaptive() && context.option("edge-disjoint") == "yes") return true;
  return context.option("worms-a-port") == "any" &&
         (context.option("edge-disjoint") == "yes" || context.option("tie") == "longest");
}

void check_plan(const BoundPlanner& bound, const Request& request) {
  CAPTURE(bound.planner().name);
  CAPTURE(bound.routing_name());
  CAPTURE(request.source.value);
  CAPTURE(request.destinations.size());
  const Topology& topology = bound.context().topology;
  if (bound.planner().name == "unicast" && request.destinations.size() > 1) {
    CHECK_THROWS_AS(bound.plan(request), InputError);
    return;
  }
  const PlanningContext& context = bound.context();
  const bool branches = !context.option("relay").empty();  // not the default, which is not stated
  const bool two_classes = context.option("vc-rule") == "printed" && context.option("hmp-messages") == "1";
  if (branches && (two_classes || context.option("source-column") == "relayed") &&
      request.destinations.front() != request.source) {
    CHECK_THROWS_AS(bound.plan(request), InputError);  // no relays then, and one VC class for each tree
    return;
  }
  if (refuses_options(context) && request.destinations.front() != request.source) {
    CHECK_THROWS_AS(bound.plan(request), InputError);
    return;
  }
  const Plan plan = bound.plan(request);
  CHECK(plan.planner == bound.planner().name);
  CHECK(plan.routing == bound.routing_name());
  const Routes routes = expand(plan, bound.context().routing);  // compares the measures
  if (bound.context().routing.adaptive()) {
    Dice choices(request.source.value);
    for (int i = 0; i < 3; ++i) check_on_the_way(bound.context().routing, plan, routes, choices);
    return;
  }
  check_hops(topology, request, routes);
}

std::uint64_t ceil_log2(std::uint64_t m) {
  std::uint64_t steps = 0;
  while ((std::uint64_t{1} << steps) < m) ++steps;
  return steps;
}

BoundPlanner bind(const Topology& topology, std::string_view name, const PlanOptions& options = {},
                  std::string_view routing = {}) {
  return BoundPlanner(*find_planner(name), topology, options, routing);
}

/// One-port steps: a node sends its next worm a step after the last, or after it was informed.
std::vector<std::uint64_t> steps_of(const Plan& plan) {
  std::map<std::uint32_t, std::uint64_t> free_at{{plan.request.source.value, 0}};
  std::vector<std::uint64_t> steps;
  for (const Worm& worm : plan.worms) {
    const std::uint64_t step = ++free_at.at(worm.source.value);
    free_at[worm.stops[0].node] = step;
    steps.push_back(step);
  }
  return steps;
}

}  // namespace

TEST_CASE("every planner on every small network: each destination once, over chains of channels" *
          doctest::test_suite("long")) {
  Dice dice(1);
  for (const auto& topology : small_networks()) {
    CAPTURE(topology->name());
    every_planner(*topology, [&](const BoundPlanner& bound) {
      for (std::uint32_t i = 0; i < few_or_many(5u, 12u); ++i)
        check_plan(bound, random_request(*topology, 1 + dice.below(topology->hosts() - 1), dice));
    });
  }
}

TEST_CASE("every planner: single destinations, broadcasts, corners, self-sends" *
          doctest::test_suite("long")) {
  Dice dice(2);
  for (const auto& topology : small_networks()) {
    CAPTURE(topology->name());
    const std::uint32_t n = topology->hosts();
    every_planner(*topology, [&](const BoundPlanner& bound) {
      check_plan(bound, random_request(*topology, 1, dice));
      for (const std::uint32_t source : {0u, n / 2, n - 1}) {
        if (source == n - 1 && n > 12 && !long_mode()) continue;
        std::vector<std::uint32_t> others;
        for (std::uint32_t i = 0; i < n; ++i)
          if (i != source) others.push_back(i);
        check_plan(bound, request_of(source, others));
        check_plan(bound, request_of(source, {source}));
      }
    });
  }
}

TEST_CASE("a self-send is one worm without channels under every planner") {
  const auto mesh = make("mesh", {3, 3});
  every_planner(*mesh, [&](const BoundPlanner& bound) {
    const Plan plan = bound.plan(request_of(4, {4}));
    CHECK(plan.worms.size() == 1);
    CHECK(plan.traffic_channels == 0);
    CHECK(plan.longest_path_hops == 0);
  });
}

TEST_CASE("label planners: labels are strictly monotone along every worm") {
  Dice dice(3);
  for (const auto& topology : small_networks()) {
    if (!topology->labelled()) continue;
    every_planner(*topology, [&](const BoundPlanner& bound) {
      const std::string_view routing = bound.routing_name();
      if (!routing.starts_with("label") && routing != "hamiltonian-path") return;
      if (bound.context().routing.adaptive()) return;  // no hops: routing/adaptive_test
      if (bound.planner().name == "unicast" || refuses_options(bound.context())) return;
      for (int i = 0; i < 10; ++i) {
        const Request request = random_request(*topology, 1 + dice.below(topology->hosts() - 1), dice);
        for (const WormRoute& worm : expand(bound.plan(request), bound.context().routing).worms) {
          if (worm.after >= 0) continue;
          bool up = true;
          for (std::size_t h = 0; h < worm.hops.size(); ++h) {
            if (!worm.hops[h].is_channel()) continue;
            const auto ends = topology->ends(ChannelId{worm.hops[h].target});
            const bool grows = topology->label(ends->from) < topology->label(ends->to);
            if (h == 0) up = grows;
            CHECK(grows == up);
          }
        }
      }
    });
  }
}

TEST_CASE("unicast trees take ceil(log2 m) steps; those in dimension order share no channel in a step") {
  Dice dice(4);
  for (const auto& topology : small_networks())
    for (const std::string_view name : {"binomial", "u-mesh", "u-cube"}) {
      if (find_planner(name)->unsupported(*topology)) continue;
      const BoundPlanner bound = bind(*topology, name);
      for (int i = 0; i < 20; ++i) {
        const Request request = random_request(*topology, 1 + dice.below(topology->hosts() - 1), dice);
        const Routes routes = expand(bound.plan(request), bound.context().routing);
        const auto steps = steps_of(routes.plan);
        CHECK(*std::max_element(steps.begin(), steps.end()) == ceil_log2(request.destinations.size() + 1));
        CHECK(std::is_sorted(steps.begin(), steps.end()));
        if (name == "binomial") continue;
        std::set<std::pair<std::uint64_t, std::uint32_t>> used;
        for (std::size_t w = 0; w < routes.worms.size(); ++w)
          for (const RouteHop& hop : routes.worms[w].hops)
            if (hop.is_channel()) CHECK(used.emplace(steps[w], hop.target).second);
      }
    }
}

TEST_CASE("worms of single planners, by hand on the 4x3 mesh") {
  const auto mesh = make("mesh", {4, 3});
  const auto stops = [](const Plan& plan) {
    std::vector<std::vector<std::uint32_t>> all;
    for (const Worm& worm : plan.worms) {
      all.emplace_back();
      for (const Stop& stop : worm.stops) all.back().push_back(stop.node);
    }
    return all;
  };
  using Lists = std::vector<std::vector<std::uint32_t>>;
  const Request request = request_of(6, {0, 3, 4, 5, 7, 9, 11});  // (2,1), label 5
  CHECK(stops(bind(*mesh, "dual-path").plan(request)) == Lists{{5, 4, 9, 11}, {7, 3, 0}});
  CHECK(stops(bind(*mesh, "fixed-path").plan(request)) == Lists{{5, 4, 9, 11}, {7, 3, 0}});
  CHECK(bind(*mesh, "fixed-path").plan(request).traffic_channels == 6 + 5);
  CHECK(stops(bind(*mesh, "multi-path").plan(request)) == Lists{{5, 4, 9}, {11}, {7, 3}, {0}});
  CHECK(stops(bind(*mesh, "column-path").plan(request)) == Lists{{4, 0}, {5, 9}, {7, 11}, {3}});
  CHECK(stops(bind(*mesh, "xy-path").plan(request)) == Lists{{5, 4, 9, 11}, {7, 3, 0}});
  CHECK(stops(bind(*mesh, "xy-tree").plan(request)) == Lists{{7, 11, 3, 5, 4, 0, 9}});
  CHECK(stops(bind(*mesh, "separate").plan(request)) == Lists{{0}, {3}, {4}, {5}, {7}, {9}, {11}});
}

TEST_CASE("column-path and xy-tree follow XY routes only: no worm turns from y to x") {
  Dice dice(5);
  for (const auto& dims : std::vector<std::vector<std::uint64_t>>{{4, 3}, {1, 6}, {6, 1}, {5, 5}}) {
    const auto mesh = make("mesh", dims);
    for (const std::string_view name : {"column-path", "xy-tree", "separate", "u-mesh"}) {
      const BoundPlanner bound = bind(*mesh, name);
      for (int i = 0; i < 20; ++i) {
        const Request request = random_request(*mesh, 1 + dice.below(mesh->hosts() - 1), dice);
        const Routes routes = expand(bound.plan(request), bound.context().routing);
        if (name == "xy-tree") CHECK(routes.worms.size() == 1);
        for (const WormRoute& worm : routes.worms)
          for (const RouteHop& hop : worm.hops) {
            if (!hop.is_channel() || hop.parent < 0) continue;
            const std::uint32_t before = worm.hops[static_cast<std::size_t>(hop.parent)].target % 4 / 2;
            CHECK(before <= hop.target % 4 / 2);
          }
      }
    }
  }
}

TEST_CASE("multi-path leaves by different ports and never costs more than one channel a hop to force them") {
  Dice dice(6);
  for (const auto& topology : small_networks()) {
    if (!topology->labelled()) continue;
    for (const std::string_view routing : {"label", "label-shortest"}) {
      const BoundPlanner bound = bind(*topology, "multi-path", {}, routing);
      for (int i = 0; i < 30; ++i) {
        const Request request = random_request(*topology, 1 + dice.below(topology->hosts() - 1), dice);
        std::set<std::uint32_t> first;
        for (const WormRoute& worm : expand(bound.plan(request), bound.context().routing).worms)
          CHECK(first.insert(worm.hops[0].target).second);
      }
    }
  }
}

TEST_CASE("binding refuses what does not fit, in words") {
  const auto mesh = make("mesh", {4, 3});
  const auto solid = make("mesh", {3, 3, 3});
  const auto cube = make("hypercube", {3});
  CHECK_THROWS_WITH(bind(*cube, "u-mesh"),
                    "u-mesh does not apply to hypercube-3: it needs a mesh or a cmesh");
  CHECK_THROWS_WITH(bind(*mesh, "u-cube"), "u-cube does not apply to mesh-4x3: it needs a hypercube");
  CHECK_THROWS_WITH(bind(*solid, "column-path"),
                    "column-path does not apply to mesh-3x3x3: it needs a two-dimensional mesh or a cmesh");
  CHECK_THROWS_WITH(bind(*mesh, "dual-path", {{"first-hop", "free"}}), "dual-path has no options");
  CHECK_THROWS_WITH(bind(*mesh, "xy-tree", {{"replication", "lockstep"}}),
                    "unknown value 'lockstep'; did you mean 'lock-step'? (known: lock-step asynchronous)");
  CHECK_THROWS_WITH(bind(*mesh, "xy-tree", {{"replicatio", "lock-step"}}),
                    "unknown xy-tree option 'replicatio'; did you mean 'replication'? (known: replication)");
  CHECK_THROWS_WITH(
      bind(*mesh, "dual-path", {}, "xy"),
      "unknown routing function for dual-path 'xy' (known: label label-shortest label-adaptive)");
  CHECK_THROWS_WITH(bind(*mesh, "unicast").plan(request_of(0, {1, 2})),
                    "unicast takes one destination, this multicast has 2 (separate takes any number)");
  for (const Planner* planner : planners()) {
    CAPTURE(planner->name);
    CHECK_FALSE(planner->summary.empty());
    CHECK_FALSE(planner->topologies.empty());
    CHECK_FALSE(planner->cost.empty());
    CHECK_FALSE(planner->cite.empty());
    CHECK_FALSE(planner->needs.empty());
    CHECK_FALSE(planner->joined_by().empty());
    for (const std::string_view routing : planner->joined_by())
      CHECK(find_routing_function(routing) != nullptr);
  }
}

}  // namespace wormcast::planners_test

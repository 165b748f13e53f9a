// What is plainly right is seen at once: against the checks that look at everything, on plans and routes of
// all shapes of worms in which a little has been changed.
// SPDX-License-Identifier: MIT
#include "multicast/checks/route_check.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "multicast/check.hpp"
#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "topology/error.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::route_check_test {

using namespace testing;

namespace {

std::string refusal(const std::function<void()>& check) {
  try {
    check();
  } catch (const InputError& error) {
    return error.field + ": " + error.what();
  }
  return "";
}

/// As check_plan() says of itself, with sets; no worm may ask for a port.
bool is_in_order(const Plan& plan, const Topology& topology) {
  std::vector<std::multiset<std::uint32_t>> receivers;
  std::multiset<std::uint32_t> delivered;
  for (const Worm& worm : plan.worms) {
    if (worm.after < 0 ? worm.source != plan.request.source
                       : worm.after >= static_cast<std::int32_t>(receivers.size()) ||
                             receivers[static_cast<std::size_t>(worm.after)].count(worm.source.value) == 0)
      return false;
    std::multiset<std::uint32_t>& received = receivers.emplace_back();
    std::set<std::int32_t> followed;
    for (const Stop& stop : worm.stops) followed.insert(stop.parent);
    bool relays = false;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(worm.stops.size()); ++i) {
      const Stop& stop = worm.stops[static_cast<std::size_t>(i)];
      const bool branch = stop.action == StopAction::branch;
      if (stop.parent < -1 || stop.parent >= i) return false;
      if (stop.node >= (branch ? topology.routers() : topology.hosts())) return false;
      if (branch && followed.count(i) == 0) return false;
      if (!branch) received.insert(stop.node);
      if (stop.action == StopAction::deliver) delivered.insert(stop.node);
      relays |= stop.action == StopAction::relay;
    }
    if (worm.stops.empty()) return false;
    if (relays && std::set(received.begin(), received.end()).size() < received.size()) return false;
  }
  std::multiset<std::uint32_t> wanted;
  for (const HostId host : plan.request.destinations) wanted.insert(host.value);
  return delivered == wanted;
}

void change(Plan& plan, const Topology& topology, Dice& dice) {
  Worm& worm = plan.worms[dice.below(static_cast<std::uint32_t>(plan.worms.size()))];
  const auto size = static_cast<std::uint32_t>(worm.stops.size());
  const std::uint32_t at = dice.below(size);
  Stop& stop = worm.stops[at];
  switch (dice.below(9)) {
    case 0:
      stop.node = dice.below(topology.hosts() + 2);
      break;
    case 1:
      stop.parent = static_cast<std::int32_t>(dice.below(size + 2)) - 2;
      break;
    case 2:
      stop.action = static_cast<StopAction>(dice.below(3));
      break;
    case 3:
      worm.stops.insert(worm.stops.begin() + dice.below(size), stop);
      break;
    case 4:
      worm.stops.erase(worm.stops.begin() + at);
      break;
    case 5:
      std::swap(stop, worm.stops[dice.below(size)]);
      break;
    case 6:
      worm.after =
          static_cast<std::int32_t>(dice.below(static_cast<std::uint32_t>(plan.worms.size()) + 2)) - 1;
      break;
    case 7:  // a branch that does no harm, as far as it is followed
      worm.stops.insert(worm.stops.begin(), {dice.below(topology.routers() + 1), -1, StopAction::branch});
      for (std::size_t i = 1; i < worm.stops.size(); ++i) ++worm.stops[i].parent;
      break;
    default:
      worm.source = HostId{dice.below(topology.hosts())};
      break;
  }
}

void change(Routes& routes, const Topology& topology, Dice& dice) {
  WormRoute& worm = routes.worms[dice.below(static_cast<std::uint32_t>(routes.worms.size()))];
  const auto size = static_cast<std::uint32_t>(worm.hops.size());
  const std::uint32_t at = dice.below(size);
  RouteHop& hop = worm.hops[at];
  switch (dice.below(10)) {
    case 0:
      hop.target = dice.below(hop.is_channel() ? topology.channel_bound() + 1 : topology.hosts() + 1);
      break;
    case 1:
      hop.parent = static_cast<std::int32_t>(dice.below(size + 2)) - 2;
      break;
    case 2:
      hop.kind = static_cast<RouteHop::Kind>(dice.below(3));
      break;
    case 3:
      worm.hops.insert(worm.hops.begin() + dice.below(size), hop);
      break;
    case 4:
      worm.hops.erase(worm.hops.begin() + at);
      break;
    case 5:
      std::swap(hop, worm.hops[dice.below(size)]);
      break;
    case 6:
      worm.after =
          static_cast<std::int32_t>(dice.below(static_cast<std::uint32_t>(routes.worms.size()) + 2)) - 1;
      break;
    case 7:
      hop.vc = dice.below(3);
      break;
    case 8:  // a channel where nobody consumes the worm
      if (const auto ends = hop.is_channel() ? topology.ends(ChannelId{hop.target}) : std::nullopt) {
        const PortId port{dice.below(topology.ports())};
        if (topology.neighbour(ends->to, port))
          worm.hops.push_back({topology.channel(ends->to, port).value, static_cast<std::int32_t>(at)});
      }
      break;
    default:
      worm.source = HostId{dice.below(topology.hosts())};
      break;
  }
}

/// How often something was accepted and refused.
using Tally = std::map<bool, int>;

void compare_plans(const Plan& original, const Topology& topology, Dice& dice, Tally& tally) {
  for (int round = 0; round < 150; ++round) {
    Plan plan = original;
    for (std::uint32_t changes = dice.below(3); changes > 0; --changes) {
      if (std::any_of(plan.worms.begin(), plan.worms.end(), [](const Worm& w) { return w.stops.empty(); }))
        break;
      change(plan, topology, dice);
    }
    const bool right = refusal([&] { check_plan(plan, topology); }).empty();
    REQUIRE(right == is_in_order(plan, topology));
    ++tally[right];
  }
}

void compare_routes(const Routes& original, const Topology& topology, RouteCheck& check, Dice& dice,
                    Tally& tally) {
  for (int round = 0; round < 150; ++round) {
    Routes routes = original;
    for (std::uint32_t changes = dice.below(3); changes > 0; --changes) {
      if (std::any_of(routes.worms.begin(), routes.worms.end(),
                      [](const WormRoute& w) { return w.hops.empty(); }))
        break;
      change(routes, topology, dice);
    }
    const std::string refused = refusal([&] { check_routes(routes, topology); });
    REQUIRE(refusal([&] { check.check(routes); }) == refused);
    ++tally[refused.empty()];
  }
}

}  // namespace

TEST_CASE("changed plans and routes of all shapes are refused by the quick checks as by the whole ones") {
  Dice dice(11);
  Tally plans;
  Tally routes;
  for (const TopologySpec& spec : {TopologySpec{"mesh", {5, 4}, 0, {}}, TopologySpec{"torus", {4, 4}, 2, {}},
                                   TopologySpec{"hypercube", {4}, 2, {}}}) {
    const auto topology = build_topology(spec);
    RouteCheck check(*topology);
    for (const std::string_view name :
         {"separate", "binomial", "dual-path", "shortest-path-tree", "opm", "switch-ordered", "mpm-ssr"}) {
      CAPTURE(topology->name());
      CAPTURE(name);
      const BoundPlanner planner(*find_planner(name), *topology, PlanOptions{});
      for (const std::uint32_t size : {1u, 2u, 5u, 9u}) {
        const Plan plan = planner.plan(random_request(*topology, size, dice));
        compare_plans(plan, *topology, dice, plans);
        Routes expanded = Expander(planner.context().routing).expand(plan);
        for (Worm& worm : expanded.plan.worms) worm.stops.clear();  // check() looks at the routes alone
        compare_routes(expanded, *topology, check, dice, routes);
      }
    }
  }
  CHECK(plans[true] > 3000);
  CHECK(plans[false] > 3000);
  CHECK(routes[true] > 3000);
  CHECK(routes[false] > 3000);
}

}  // namespace wormcast::route_check_test

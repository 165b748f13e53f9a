// The checks of plans and routes against the same rules said with sets, on worms of all shapes in which a
// little has been changed.
// SPDX-License-Identifier: MIT
#include "multicast/check.hpp"

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

/// As check_routes() says of itself, with sets.
bool is_in_order(const Routes& routes, const Topology& topology) {
  std::vector<std::multiset<std::uint32_t>> receivers;
  std::multiset<std::uint32_t> delivered;
  for (const WormRoute& worm : routes.worms) {
    if (worm.after < 0 ? worm.source != routes.plan.request.source
                       : worm.after >= static_cast<std::int32_t>(receivers.size()) ||
                             receivers[static_cast<std::size_t>(worm.after)].count(worm.source.value) == 0)
      return false;
    std::multiset<std::uint32_t>& received = receivers.emplace_back();
    std::map<std::int32_t, NodeId> ends{{-1, topology.router_of(worm.source)}};  // of the source and channels
    std::set<std::int32_t> open;
    std::set<std::pair<std::uint32_t, std::uint32_t>> used;
    for (std::int32_t h = 0; h < static_cast<std::int32_t>(worm.hops.size()); ++h) {
      const RouteHop& hop = worm.hops[static_cast<std::size_t>(h)];
      const auto at = ends.find(hop.parent);
      if (at == ends.end()) return false;
      open.erase(hop.parent);
      if (hop.is_channel()) {
        const auto channel = topology.ends(ChannelId{hop.target});
        if (!channel || channel->from != at->second || hop.vc >= topology.virtual_channel_bound() ||
            !used.emplace(hop.target, hop.vc).second)
          return false;
        open.insert(h);
        ends[h] = channel->to;
      } else {
        if (hop.target >= topology.hosts() || hop.vc != 0 ||
            topology.router_of(HostId{hop.target}) != at->second)
          return false;
        received.insert(hop.target);
        if (hop.kind == RouteHop::Kind::deliver) delivered.insert(hop.target);
      }
    }
    if (worm.hops.empty() || !open.empty()) return false;
  }
  std::multiset<std::uint32_t> wanted;
  for (const HostId host : routes.plan.request.destinations) wanted.insert(host.value);
  return delivered == wanted;
}

constexpr auto is_empty = [](const auto& worm) {
  if constexpr (requires { worm.stops; })
    return worm.stops.empty();
  else
    return worm.hops.empty();
};

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
    case 8:  // a channel where no host consumes the worm
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

/// `original` as it is and changed: `check` refuses what is not in order.
template <class Record, class Refuses>
void compare(const Record& original, const Topology& topology, Dice& dice, Tally& tally, Refuses check) {
  for (int round = 0; round < 150; ++round) {
    Record record = original;
    for (std::uint32_t changes = dice.below(3); changes > 0; --changes) {
      if (std::any_of(record.worms.begin(), record.worms.end(), is_empty)) break;
      change(record, topology, dice);
    }
    const bool right = refusal([&] { check(record); }).empty();
    REQUIRE(right == is_in_order(record, topology));
    ++tally[right];
  }
}

}  // namespace

TEST_CASE("changed plans and routes of all shapes are refused where the rules say so") {
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
        compare(plan, *topology, dice, plans, [&](const Plan& changed) { check.check_plan(changed); });
        Routes expanded = Expander(planner.context().routing).expand(plan);
        for (Worm& worm : expanded.plan.worms) worm.stops.clear();  // check() looks at the routes alone
        compare(expanded, *topology, dice, routes, [&](const Routes& changed) { check.check(changed); });
      }
    }
  }
  CHECK(plans[true] > 3000);
  CHECK(plans[false] > 3000);
  CHECK(routes[true] > 3000);
  CHECK(routes[false] > 3000);
}

}  // namespace wormcast::route_check_test

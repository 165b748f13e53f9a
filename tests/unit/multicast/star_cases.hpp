// What the tests of optimal stars share: reference instances, halves, brute force over all stars.
// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>
#include <algorithm>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include "multicast/building_blocks/worms.hpp"
#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "multicast/stars/snake/snake_stars.hpp"
#include "multicast/stars/star_search.hpp"
#include "routing/routing_function.hpp"
#include "topology/error.hpp"
#include "unit/long_mode.hpp"
#include "unit/multicast/labelled_graph.hpp"
#include "unit/multicast/random_requests.hpp"
#include "unit/multicast/star_matching.hpp"
#include "unit/multicast/star_table.hpp"

namespace wormcast::testing {

using nlohmann::json;

/// Rounds of a randomised test: fifty times as many with WORMCAST_LONG=1, over 180,000 halves beside the
/// edge-disjoint ones.
inline int rounds(int few) { return few_or_many(few, 50 * few); }

/// A plan whose routes have been expanded, so that its measures are those of real channels.
inline Plan planned(const Topology& topology, std::string_view name, const Request& request,
                    const PlanOptions& options = {}, std::string_view routing = "label") {
  const BoundPlanner bound(*find_planner(name), topology, options, routing);
  return expand(bound.plan(request), bound.context().routing).plan;
}

struct Case {
  std::unique_ptr<const Topology> mesh;
  Request request;
};

inline Case plane_case(const json& line) {
  const std::uint32_t width = line.at("cols");
  Case result{make("mesh", {width, line.at("rows").get<std::uint64_t>()}), {}};
  std::vector<std::uint32_t> destinations;
  for (const json& d : line.at("dests"))
    destinations.push_back(d[0].get<std::uint32_t>() + width * d[1].get<std::uint32_t>());
  result.request = request_of(
      line["source"][0].get<std::uint32_t>() + width * line["source"][1].get<std::uint32_t>(), destinations);
  return result;
}

/// A bound routing function and one half of a request, with the context it refers to.
struct Half {
  std::unique_ptr<const RoutingFunction> routing;
  PlanningContext context;
  StarHalf star;

  Half(const Topology& topology, std::string_view name, const Request& request, bool up, FirstHop rule)
      : routing(bind_routing(name, topology)),
        context{topology, *routing, {}},
        star(context, request.source, destinations(topology, request, up), up, rule) {}

  static std::vector<HostId> destinations(const Topology& topology, const Request& request, bool up) {
    LabelHalves halves = split_by_label(topology, request);
    return up ? halves.up : halves.down;
  }
};

/// Hops of a first leg by `port`, from its definition; nothing if it is not allowed.
inline std::optional<std::int64_t> first_leg(const StarHalf& half, bool up, PortId port, NodeId to) {
  const RoutingFunction& routing = half.routing();
  const Topology& topology = routing.topology();
  const NodeId source = topology.router_of(half.source());
  const auto outwards = [&](NodeId node) {
    const auto label = static_cast<std::int64_t>(topology.label(node).value);
    return up ? label : -label;
  };
  const auto neighbour = topology.neighbour(source, port);
  if (!neighbour || outwards(*neighbour) <= outwards(source) || outwards(*neighbour) > outwards(to))
    return std::nullopt;
  if (half.rule() == FirstHop::free) return 1 + std::int64_t{routing.distance(*neighbour, to)};
  const RoutingStep step = routing.next(source, routing.first(source, to, 0), to);
  if (step.channel != topology.channel(source, port)) return std::nullopt;
  return std::int64_t{routing.distance(source, to)};
}

/// Costs of all stars of a half, by going through every assignment of destinations to ports. Of the half it
/// takes what was asked for alone: ports and hops are those of the network and the routing function.
inline std::set<std::pair<std::int64_t, std::int64_t>> all_costs(const StarHalf& half) {
  const Topology& topology = half.routing().topology();
  std::vector<NodeId> nodes;
  for (const HostId host : half.destinations()) nodes.push_back(topology.router_of(host));
  const bool up = topology.label(nodes[0]) > topology.label(topology.router_of(half.source()));
  std::set<std::pair<std::int64_t, std::int64_t>> costs;
  std::vector<std::int64_t> lengths(topology.ports(), 0);
  std::vector<std::size_t> last(topology.ports(), nodes.size());
  const std::function<void(std::size_t)> place = [&](std::size_t j) {
    if (j == nodes.size()) {
      std::int64_t traffic = 0;
      for (const std::int64_t length : lengths) traffic += length;
      costs.emplace(*std::max_element(lengths.begin(), lengths.end()), traffic);
      return;
    }
    for (std::uint32_t p = 0; p < topology.ports(); ++p) {
      const std::optional<std::int64_t> hops =
          last[p] == nodes.size()
              ? first_leg(half, up, PortId{p}, nodes[j])
              : std::optional<std::int64_t>(half.routing().distance(nodes[last[p]], nodes[j]));
      if (!hops) continue;
      const std::size_t before = std::exchange(last[p], j);
      lengths[p] += *hops;
      place(j + 1);
      lengths[p] -= *hops;
      last[p] = before;
    }
  };
  place(0);
  return costs;
}

inline std::int64_t least_traffic_of(const std::set<std::pair<std::int64_t, std::int64_t>>& costs) {
  std::int64_t least = costs.begin()->second;
  for (const auto& cost : costs) least = std::min(least, cost.second);
  return least;
}

/// Every destination once, in order, by different ports; and the cost is what the star says.
inline void check_star(const StarHalf& half, const Star& star) {
  std::vector<bool> seen(half.size(), false);
  std::set<std::size_t> ports;
  for (const StarPath& path : star) {
    CHECK(ports.insert(path.port).second);
    CHECK(std::is_sorted(path.stops.begin(), path.stops.end()));
    for (const std::uint32_t stop : path.stops) {
      CHECK_FALSE(seen[stop]);
      seen[stop] = true;
    }
    if (!path.stops.empty()) CHECK(half.first(path.port, path.stops[0]) != StarHalf::no_leg);
  }
  CHECK(std::find(seen.begin(), seen.end(), false) == seen.end());
}

/// The Pareto front as (longest, traffic), shortest first.
inline std::vector<std::pair<std::int64_t, std::int64_t>> front(
    const std::set<std::pair<std::int64_t, std::int64_t>>& costs) {
  std::vector<std::pair<std::int64_t, std::int64_t>> result;
  for (const auto& cost : costs)
    if (result.empty() || cost.second < result.back().second) result.push_back(cost);
  return result;
}

inline void check_half(Half& half) {
  const auto costs = all_costs(half.star);
  const std::int64_t traffic = least_traffic_of(costs);
  const StarCost best{costs.begin()->first, costs.begin()->second};
  const Star flow = least_traffic_flow(half.star);
  check_star(half.star, flow);
  CHECK(cost_of(half.star, flow).traffic == traffic);
  const AssignmentDuals duals = duals_of(half.star, flow);
  CHECK(duals.bound() == traffic);
  const SearchResult search = least_longest_search(half.star, 1u << 22);
  CHECK(search.exact);
  CHECK(search.best.cost == best);
  CHECK(cost_of(half.star, search.best.star) == best);
  check_star(half.star, search.best.star);
  const Star matched = least_traffic_paths(half.star)->star;
  check_star(half.star, matched);
  CHECK(cost_of(half.star, matched).traffic == traffic);
  if (half.star.ports().size() <= 2) {
    for (const Goal goal : {Goal::longest_first, Goal::traffic_first}) {
      const CostedStar table = star_by_table(half.star, goal);
      check_star(half.star, table.star);
      CHECK(cost_of(half.star, table.star) == table.cost);
      CHECK((goal == Goal::longest_first ? table.cost == best : table.cost.traffic == traffic));
    }
  }
  if (!is_plane(half.star)) return;
  const PlaneHalf plane(half.star);
  const Star linear = least_traffic_plane(plane);
  check_star(half.star, linear);
  CHECK(cost_of(half.star, linear).traffic == traffic);
  const CostedStar balanced = balanced_plane(plane);
  check_star(half.star, balanced.star);
  CHECK(balanced.cost == best);
  CHECK(cost_of(half.star, balanced.star) == best);
  // Walk down the whole front.
  auto expected = front(costs);
  for (std::int64_t limit = costs.rbegin()->first;; --limit) {
    const auto star = least_traffic_within(plane, limit);
    if (!star) break;
    REQUIRE_FALSE(expected.empty());
    CHECK(star->cost == StarCost{expected.back().first, expected.back().second});
    CHECK(cost_of(half.star, star->star) == star->cost);
    limit = star->cost.longest;
    expected.pop_back();
  }
  CHECK(expected.empty());
}

inline constexpr FirstHop both_rules[] = {FirstHop::strict, FirstHop::free};

/// Each half of the request with destinations, under each of `routings` and both rules of the first hop.
template <class Each>
void each_half(const Topology& topology, std::initializer_list<std::string_view> routings,
               const Request& request, const Each& each) {
  for (const std::string_view routing : routings)
    for (const FirstHop rule : both_rules)
      for (const bool up : {true, false}) {
        Half half(topology, routing, request, up, rule);
        if (half.star.size() > 0) each(half);
      }
}

}  // namespace wormcast::testing

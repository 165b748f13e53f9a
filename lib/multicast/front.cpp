// Pareto front of (longest path, traffic) over both halves.
//
// In each half the least traffic under a limit on the longest path is one pass (balanced_pass) or one
// search (star_search); lowering the limit just below what was found steps down the front. The halves
// share no channel, so for a limit on both the least traffic is the sum of theirs.
// Cost: one pass for each point. cite: this project.
// SPDX-License-Identifier: MIT
#include "multicast/front.hpp"

#include <algorithm>

#include "multicast/balanced_pass.hpp"
#include "multicast/star_half.hpp"
#include "multicast/star_search.hpp"
#include "multicast/worms.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

constexpr std::uint64_t state_limit = 20'000'000;

CostedStar proven(const SearchResult& result) {
  if (!result.exact)
    throw InputError("--front", "it is not solved within " + std::to_string(state_limit) + " states");
  return result.best;
}

/// Points of one half, longest path first.
std::vector<StarCost> half_front(StarHalf& half) {
  std::vector<StarCost> points;
  if (is_plane(half)) {
    const PlaneHalf plane(half);
    std::int64_t limit = plane.chain(plane.single_first_leg);
    while (const auto star = least_traffic_within(plane, limit)) {
      points.push_back(star->cost);
      limit = star->cost.longest - 1;
    }
    return points;
  }
  const CostedStar shortest = proven(least_longest_search(half, state_limit));
  std::int64_t limit = half.routing().topology().routers();  // no label-monotone path is longer
  while (limit >= shortest.cost.longest) {
    points.push_back(proven(least_traffic_search(half, limit, shortest, state_limit)).cost);
    limit = points.back().longest - 1;
  }
  return points;
}

/// Least traffic of a half under a limit, or nothing.
std::optional<std::int64_t> traffic_within(const std::vector<StarCost>& points, std::int64_t limit) {
  for (const StarCost& point : points)
    if (point.longest <= limit) return point.traffic;
  return std::nullopt;
}

}  // namespace

std::vector<FrontPoint> front_of(const BoundPlanner& bound, const Request& request) {
  const PlanningContext& context = bound.context();
  if (bound.planner().name != "ocms" && bound.planner().name != "otms")
    throw InputError("--front", "it is for ocms and otms, not for " + std::string(bound.planner().name));
  if (context.option("edge-disjoint") == "yes")
    throw InputError("--front", "there is no front of edge-disjoint stars");
  LabelHalves split = split_by_label(context.topology, request);
  std::vector<std::vector<StarCost>> halves;
  std::vector<std::int64_t> limits;
  for (const bool up : {true, false}) {
    std::vector<HostId>& destinations = up ? split.up : split.down;
    if (destinations.empty() || destinations.front() == request.source) continue;
    StarHalf half(context, request.source, std::move(destinations), up, first_hop_option(context));
    halves.push_back(half_front(half));
    for (const StarCost& point : halves.back()) limits.push_back(point.longest);
  }
  std::sort(limits.begin(), limits.end());
  std::vector<FrontPoint> front;
  for (const std::int64_t limit : limits) {
    std::int64_t traffic = 0;
    bool reachable = true;
    for (const std::vector<StarCost>& points : halves) {
      const auto least = traffic_within(points, limit);
      reachable = reachable && least.has_value();
      traffic += least.value_or(0);
    }
    if (!reachable ||
        (!front.empty() && static_cast<std::uint64_t>(traffic) >= front.back().traffic_channels))
      continue;
    front.push_back({static_cast<std::uint64_t>(limit), static_cast<std::uint64_t>(traffic)});
  }
  return front;
}

}  // namespace wormcast

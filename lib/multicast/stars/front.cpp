// Pareto front of (longest path, traffic) over both halves.
//
// In each half the least traffic under a limit on the longest path is one pass (balanced_pass) or one
// search (star_search); lowering the limit just below what was found steps down the front. The halves
// share no channel, so for a limit on both the least traffic is the sum of theirs.
// Cost: one pass for each point. cite: this project.
// SPDX-License-Identifier: MIT
#include "multicast/stars/star_search.hpp"

#include <utility>

#include "multicast/building_blocks/worms.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

constexpr std::uint64_t state_limit = 20'000'000;

CostedStar proven(SearchResult result) {
  if (!result.exact)
    throw InputError("--front", "is not solved within " + std::to_string(state_limit) + " states");
  return std::move(result.best);
}

/// Points of one half, longest path first.
std::vector<CostedStar> half_front(StarHalf& half) {
  std::vector<CostedStar> points;
  if (is_plane(half)) {
    const PlaneHalf plane(half);
    std::int64_t limit = plane.chain(plane.single_first_leg);
    while (auto star = least_traffic_within(plane, limit)) {
      limit = star->cost.longest - 1;
      points.push_back(std::move(*star));
    }
    return points;
  }
  const CostedStar shortest = proven(least_longest_search(half, state_limit));
  std::int64_t limit = half.routing().topology().routers();  // no label-monotone path is longer
  while (limit >= shortest.cost.longest) {
    points.push_back(proven(least_traffic_search(half, limit, shortest, state_limit)));
    limit = points.back().cost.longest - 1;
  }
  return points;
}

/// The cheapest star of a half under a limit, or null.
const CostedStar* star_within(const std::vector<CostedStar>& points, std::int64_t limit) {
  for (const CostedStar& point : points)
    if (point.cost.longest <= limit) return &point;
  return nullptr;
}

}  // namespace

std::vector<FrontPoint> front_of(const BoundPlanner& bound, const Request& request) {
  if (bound.planner().front == nullptr)
    throw InputError("--front", "is for " +
                                    names_of_planners([](const Planner& p) { return p.front != nullptr; }) +
                                    ", not for " + std::string(bound.planner().name));
  return bound.planner().front(bound.context(), request);
}

std::vector<FrontPoint> front_of_stars(const PlanningContext& context, const Request& request) {
  if (context.option("edge-disjoint") == "yes")
    throw InputError("--front", "edge-disjoint stars have no front");
  if (context.option("worms-a-port") == "any")
    throw InputError("--front", "stars of any number of worms a port (--worms-a-port) have none");
  LabelHalves split = split_by_label(context.topology, request);
  std::vector<StarHalf> halves;
  std::vector<std::vector<CostedStar>> stars;
  std::vector<std::int64_t> limits;
  for (const bool up : {true, false}) {
    std::vector<HostId>& destinations = up ? split.up : split.down;
    if (destinations.empty() || destinations.front() == request.source) continue;
    halves.emplace_back(context, request.source, std::move(destinations), up, first_hop_option(context));
    stars.push_back(half_front(halves.back()));
    for (const CostedStar& point : stars.back()) limits.push_back(point.cost.longest);
  }
  std::sort(limits.begin(), limits.end());
  std::vector<FrontPoint> front;
  for (const std::int64_t limit : limits) {
    FrontPoint point{static_cast<std::uint64_t>(limit), 0};
    bool reachable = true;
    for (std::size_t h = 0; h < halves.size() && reachable; ++h) {
      const CostedStar* star = star_within(stars[h], limit);
      reachable = star != nullptr;
      if (!reachable) break;
      point.traffic_channels += static_cast<std::uint64_t>(star->cost.traffic);
      append_star(halves[h], star->star, point.worms);
    }
    if (!reachable || (!front.empty() && point.traffic_channels >= front.back().traffic_channels)) continue;
    append_local(request.source, split, point.worms);
    front.push_back(std::move(point));
  }
  return front;
}

}  // namespace wormcast

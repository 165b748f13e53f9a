// Checks that a front is one, and that it lacks nothing.
//
// Between two neighbouring points a better star would be shorter than the longer one and cheaper than the
// shorter one. The halves share no channel, so the least traffic under a limit on the longest path is the
// sum of theirs, and each is found by the recurrence (verify_search). Beyond the last point only cheaper
// stars are looked for, which the dual values mostly settle by themselves.
// Cost: a recurrence for each point and half, up to a limit of states.
// cite: this project.
// SPDX-License-Identifier: MIT
#include "multicast/verification/verify_parts.hpp"

#include <algorithm>

namespace wormcast {
namespace {

using Hops = StarProblem::Hops;

std::string shown(std::uint64_t longest, std::uint64_t traffic) {
  return "[" + std::to_string(longest) + "," + std::to_string(traffic) + "]";
}

/// Is there a star of paths of at most `limit` hops and `most` channels?
bool exists(const std::vector<ProvenHalf>& halves, Hops limit, Hops most) {
  Hops least = 0;
  for (const ProvenHalf& half : halves) least += half.traffic;
  for (const ProvenHalf& half : halves) {
    if (least > most) return false;
    const auto found = least_traffic_of_stars(half.half, half.duals, limit, most - (least - half.traffic));
    if (!found) return false;
    least += *found - half.traffic;
  }
  return least <= most;
}

}  // namespace

void check_front_order(const Plan& plan) {
  const std::vector<FrontPoint>& front = plan.front;
  const auto has_front = [](const Planner& planner) { return planner.front != nullptr; };
  const Planner* const planner = find_planner(plan.planner);
  if (planner == nullptr || !has_front(*planner))
    throw Violation{"front", "only " + names_of_planners(has_front) + " plans have a front"};
  if (!plan.longest_path_hops || !plan.traffic_channels)
    throw Violation{"front", "the plan states no traffic_channels and longest_path_hops to compare it with"};
  bool covered = false;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const FrontPoint& point = front[i];
    const std::string place = "front[" + std::to_string(i) + "]";
    if (point.worms.empty()) throw Violation{place, "it has no worms that could be checked"};
    if (i > 0 && point.longest_path_hops <= front[i - 1].longest_path_hops)
      throw Violation{place, "its longest path must be above that of the point before it"};
    if (i > 0 && point.traffic_channels >= front[i - 1].traffic_channels)
      throw Violation{place, shown(point.longest_path_hops, point.traffic_channels) +
                                 " is beaten by the point before it"};
    covered = covered || (point.longest_path_hops <= *plan.longest_path_hops &&
                          point.traffic_channels <= *plan.traffic_channels);
  }
  if (!covered)
    throw Violation{"front", "the plan itself, " + shown(*plan.longest_path_hops, *plan.traffic_channels) +
                                 ", is beaten by no point and is none"};
}

bool front_is_complete(const Plan& plan, const RoutingFunction& routing) {
  if (plan.certificate.empty()) return false;
  const std::vector<ProvenHalf> halves = proven_halves(plan, routing);
  try {
    for (std::size_t i = 0; i <= plan.front.size(); ++i) {
      const Hops most = i == 0 ? StarProblem::far : static_cast<Hops>(plan.front[i - 1].traffic_channels) - 1;
      // No path is longer than the whole star.
      const Hops limit =
          i == plan.front.size() ? most : static_cast<Hops>(plan.front[i].longest_path_hops) - 1;
      if (exists(halves, limit, most))
        throw Violation{
            "front", i == 0 ? "a star whose longest path is below that of every point exists"
                            : "a star of at most " +
                                  shown(static_cast<std::uint64_t>(limit), static_cast<std::uint64_t>(most)) +
                                  " exists, which no point covers"};
    }
  } catch (const SearchTooLarge&) {
    return false;
  }
  return true;
}

}  // namespace wormcast

// Holds an optimal plan against its dual values, and searches for a better star where they do not settle it.
//
// Valid dual values prove the least traffic (verify_half, verify_up_down). For the longest path, that traffic
// divided by the number of paths, or the way to the furthest destination, often equals what the plan has.
// Where neither does, the report's own recurrence (verify_search) is run for stars shorter than the
// plan's.
// Cost: that of the dual values; the recurrence is exponential in the ports, up to a limit.
// cite: Bouchitté, Cohen, Fleury 1997, sections 3 and 4.
// SPDX-License-Identifier: MIT
#include "multicast/verification/verify_parts.hpp"

#include <algorithm>

namespace wormcast {
namespace {

using Hops = StarProblem::Hops;

void check_traffic(const Plan& plan, Hops least) {
  if (least != static_cast<Hops>(*plan.traffic_channels))
    throw Violation{"certificate", "it proves a least traffic of " + std::to_string(least) +
                                       ", the plan has " + std::to_string(*plan.traffic_channels)};
}

/// A problem, its valid dual values and what follows from them.
struct Proven {
  const StarProblem& problem;
  const StarDuals& duals;
  Hops least_longest;
};

/// One of the problems has no star whose longest path is below the plan's.
void check_longest(const Plan& plan, const std::vector<Proven>& parts) {
  const auto longest = static_cast<Hops>(*plan.longest_path_hops);
  for (const Proven& part : parts)
    if (part.least_longest >= longest) return;
  bool too_large = false;
  for (const Proven& part : parts) {
    try {
      if (!least_traffic_of_stars(part.problem, part.duals, longest - 1, StarProblem::far)) return;
    } catch (const SearchTooLarge&) {
      too_large = true;
    }
  }
  if (too_large)
    throw Violation{
        "certificate",
        "the longest path is not settled by the bound, and the search for a shorter star is too large"};
  throw Violation{"longest_path_hops",
                  "a star whose longest path is below " + std::to_string(longest) + " exists"};
}

Hops share(Hops traffic, std::size_t paths) {
  return (traffic + static_cast<Hops>(paths) - 1) / static_cast<Hops>(paths);
}

void check_label_star(const Plan& plan, const RoutingFunction& routing, Optimum optimum) {
  const std::vector<ProvenHalf> halves = proven_halves(plan, routing);
  Hops total = 0;
  std::vector<Proven> parts;
  for (const ProvenHalf& half : halves) {
    total += half.traffic;
    // The way to the furthest is worked out only where it is asked for.
    const Hops furthest = optimum == Optimum::longest_path ? furthest_way(half.half) : 0;
    parts.push_back({half.half, half.duals, std::max(furthest, share(half.traffic, half.half.paths()))});
  }
  if (optimum == Optimum::traffic)
    check_traffic(plan, total);
  else
    check_longest(plan, parts);
}

void check_up_down_star(const Plan& plan, const RoutingFunction& routing, Optimum optimum) {
  const ProvenUpDown proven = proven_up_down(plan, routing);
  if (optimum == Optimum::traffic) {
    check_traffic(plan, proven.traffic);
    return;
  }
  const Hops least = std::max(furthest_way(proven.stars), share(proven.traffic, proven.stars.paths()));
  check_longest(plan, {{proven.stars, proven.duals, least}});
}

}  // namespace

void check_certificate(const Plan& plan, const RoutingFunction& routing) {
  if (plan.certificate.empty()) return;
  const auto certified = [](const Planner& planner) { return planner.optimum != Optimum::none; };
  const Planner* const planner = find_planner(plan.planner);
  if (planner == nullptr || !certified(*planner))
    throw Violation{"certificate", "only " + names_of_planners(certified) + " plans carry certificates"};
  if (!plan.traffic_channels || !plan.longest_path_hops)
    throw Violation{"certificate", "the plan states no traffic_channels and longest_path_hops to certify"};
  if (routing.up_down() != nullptr)
    check_up_down_star(plan, routing, planner->optimum);
  else
    check_label_star(plan, routing, planner->optimum);
}

}  // namespace wormcast

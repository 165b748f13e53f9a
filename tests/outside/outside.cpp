// Somebody else's program: plans, routes, checks and simulates one multicast with the installed library, and
// prints the records.
// SPDX-License-Identifier: MIT
#include <array>
#include <iostream>
#include <utility>

#include "wormcast.hpp"

int main() {
  using namespace wormcast;
  const auto mesh = build_topology({.family = "mesh", .sizes = {4, 3}, .labels = {}});
  const Planner* planner = find_planner("ocms");
  if (planner == nullptr) return 1;
  const BoundPlanner ocms(*planner, *mesh, {});
  Request request;
  request.source = HostId{5};
  request.destinations = {HostId{0}, HostId{7}, HostId{11}};
  request.length_flits = 8;
  const Plan plan = ocms.plan(request);
  const std::array routes = {expand(plan, ocms.context().routing)};
  std::cout << record_of(plan) << record_of(routes[0]) << verdict_on(*mesh, routes).record;
  const auto engine = make_engine(*mesh, {});
  engine->push(routes[0]);
  engine->finish();
  while (const Delivery* delivery = engine->poll()) std::cout << record_of(*delivery);
  return 0;
}

// Somebody else's program: plans one multicast with the installed library and prints the record.
// SPDX-License-Identifier: MIT
#include <iostream>

#include "io/command_line/tool.hpp"
#include "io/records/multicast_record.hpp"
#include "multicast/planner.hpp"
#include "topology/topology.hpp"

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
  io::RecordLine line;
  std::cout << io::write_plan_record(ocms.plan(request), line);
  return io::exit_yes;
}

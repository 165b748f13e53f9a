// Routes that no engine can simulate are refused, with the place.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <string>

#include "simulation/engine.hpp"
#include "topology/error.hpp"
#include "unit/simulation/hand_routes.hpp"

namespace wormcast::route_check_test {

TEST_CASE("routes that cannot be simulated are refused with the place") {
  const auto mesh = build_topology({"mesh", {3, 3}, 0, {}});
  const Topology& net = *mesh;
  const auto refuse = [&](const Routes& routes, const std::string& field, const std::string& message) {
    const auto engine = make_flit_engine(net, {});
    try {
      engine->push(routes);
      FAIL("accepted: " << message);
    } catch (const InputError& error) {
      CHECK(error.field == field);
      CHECK(std::string(error.what()) == message);
    }
  };
  const Routes good = multicast(0, 0, 4, {path_worm(net, {0, 1, 2, 5}, {2, 5})});
  CHECK_NOTHROW(make_flit_engine(net, {})->push(good));

  Routes bad = good;
  bad.worms[0].hops[1].target = 3;
  refuse(bad, "worms[0].hops[1]", "mesh-3x3 has no channel 3");
  bad = good;
  bad.worms[0].hops[1].target = 0;
  refuse(bad, "worms[0].hops[1]", "channel 0 leaves node 0, but the worm is at node 1");
  bad = good;
  bad.worms[0].hops.pop_back();
  refuse(bad, "worms[0].hops[3]", "the worm ends on channel 10, where nobody consumes it");
  bad = good;
  bad.worms[0].hops[2].kind = RouteHop::Kind::relay;
  refuse(bad, "worms", "destination 2 is not delivered to");
  bad = good;
  bad.plan.request.destinations = {HostId{5}};
  refuse(bad, "worms", "host 2 is delivered to but is not a destination");
  bad = good;
  bad.worms.push_back(path_worm(net, {0, 3}, {3}));
  bad.worms[1].hops[1].target = 4;
  refuse(bad, "worms[1].hops[1]", "host 4 consumes, but the worm is at node 3");
  bad = good;
  bad.worms[0].source = HostId{1};
  bad.worms[0].hops.erase(bad.worms[0].hops.begin());
  for (RouteHop& hop : bad.worms[0].hops) --hop.parent;
  bad.worms[0].hops[0].parent = -1;
  refuse(bad, "worms[0].source", "host 1 starts a worm that is after none, but the multicast's source is 0");
  bad.worms.insert(bad.worms.begin(), path_worm(net, {0, 3}, {}));
  bad.worms[0].hops.push_back({3, 0, 0, RouteHop::Kind::relay});
  bad.worms[1].after = 0;
  refuse(bad, "worms[1].source", "host 1 does not receive the message from worm 0");
  bad = good;
  bad.worms[0] = path_worm(net, {0, 1, 0, 1, 2, 5}, {2, 5});
  refuse(bad, "worms[0].hops", "channel 0 with virtual channel 0 is used twice by the same worm");
}

}  // namespace wormcast::route_check_test

// Routes that no engine can simulate are refused, with the place.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "simulation/engine.hpp"
#include "simulation/route_check.hpp"
#include "topology/error.hpp"
#include "topology/random.hpp"
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
  refuse(bad, "worms[0].hops[3]", "the worm ends on channel 10, where no host consumes it");
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

TEST_CASE("a worm takes no consumption channel twice: against sets") {
  const auto mesh = build_topology({"mesh", {64, 64}, 0, {}});
  Random random(17);
  std::uint64_t refused = 0;
  std::uint64_t alike = 0;  // accepted with two hosts whose marks are one
  for (int round = 0; round < 3000; ++round) {
    RouterModel model;
    model.consumption_channels =
        static_cast<std::uint32_t>(random.below(2));  // one for each input; one queue
    const Resources resources(*mesh, model);
    Routes routes;
    WormRoute& worm = routes.worms.emplace_back();
    const std::uint64_t size = 1 + random.below(round % 10 == 0 ? 700 : 40);
    std::int32_t last = -1;
    Cycle latest = 0;
    std::uint32_t count = 0;
    std::set<std::uint32_t> taken;
    std::set<std::uint32_t> marks;
    bool twice = false;
    for (std::uint64_t h = 0; h < size; ++h) {
      const bool channel = random.below(4) > 0;
      const auto target = static_cast<std::uint32_t>(random.below(4096));
      const Cycle cycle = random.below(50) == 0 ? random.below(1000) : 0;
      worm.hops.push_back(
          {target, last, 0, channel ? RouteHop::Kind::channel : RouteHop::Kind::deliver, cycle});
      latest = std::max(latest, cycle);
      if (channel) {
        last = static_cast<std::int32_t>(h);
        continue;
      }
      ++count;
      std::optional<ChannelId> input;
      if (last >= 0) input = ChannelId{worm.hops[static_cast<std::size_t>(last)].target};
      const std::uint32_t id = resources.consumption(HostId{target}, input, 0).value;
      twice = !taken.insert(id).second || twice;
      marks.insert(id % 1024);
    }
    if (twice) {
      CHECK_THROWS_AS(check_simulable(resources, routes), InputError);
      ++refused;
      continue;
    }
    const RouteNeeds needs = check_simulable(resources, routes);
    REQUIRE(needs.consumption_hops == count);
    REQUIRE(needs.latest_request == latest);
    alike += marks.size() < taken.size() ? 1 : 0;
  }
  CHECK(refused > 100);
  CHECK(alike > 20);
}

}  // namespace wormcast::route_check_test

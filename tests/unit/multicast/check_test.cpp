// A multicast is delivered to its destinations: against sorted lists.
// SPDX-License-Identifier: MIT
#include "multicast/check.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "multicast/expansion/expand.hpp"
#include "routing/routing_function.hpp"
#include "topology/error.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::check_test {

using namespace testing;

namespace {

bool accepts(const std::function<void()>& check) {
  try {
    check();
  } catch (const InputError&) {
    return false;
  }
  return true;
}

/// Swaps or replaces a few hosts; some of what comes of it is right, too.
void stir(std::vector<HostId>& hosts, std::uint32_t bound, Dice& dice) {
  const auto size = static_cast<std::uint32_t>(hosts.size());
  for (std::uint32_t i = 0; i < size; ++i) std::swap(hosts[i], hosts[dice.below(size)]);
  const std::uint32_t changes = dice.below(3);
  for (std::uint32_t change = 0; change < changes; ++change)
    hosts[dice.below(size)] = dice.below(2) == 0 ? hosts[dice.below(size)] : HostId{dice.below(bound)};
}

}  // namespace

TEST_CASE("the place of a host among ascending ones") {
  Dice dice(3);
  for (std::uint32_t size = 1; size < 70; ++size) {
    std::vector<HostId> hosts;
    for (std::uint32_t i = 0, host = 0; i < size; ++i) hosts.push_back(HostId{host += 1 + dice.below(3)});
    for (std::size_t i = 0; i < hosts.size(); ++i) REQUIRE(place_of(hosts[i], hosts) == i);
    for (std::uint32_t host = 0; host < 3 * size + 3; ++host) REQUIRE(place_of(HostId{host}, hosts) < size);
  }
}

TEST_CASE("plans and routes are accepted where they go to all destinations, each once") {
  const auto mesh = make("mesh", {16, 16});
  const auto routing = bind_routing("dimension-order", *mesh);
  Dice dice(5);
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  for (const std::uint32_t size : {1u, 2u, 3u, 16u, 63u, 64u, 65u, 100u})
    for (int round = 0; round < 60; ++round) {
      Plan plan;
      plan.request = random_request(*mesh, size, dice);
      std::vector<HostId> hosts = plan.request.destinations;
      stir(hosts, mesh->hosts(), dice);
      std::vector<HostId> sorted = hosts;
      std::sort(sorted.begin(), sorted.end());
      const bool right = sorted == plan.request.destinations;
      for (const HostId host : hosts) {
        Worm& worm = plan.worms.emplace_back();
        worm.source = plan.request.source;
        worm.stops.push_back({host.value, -1});
      }
      REQUIRE(accepts([&] { check_plan(plan, *mesh); }) == right);
      (right ? accepted : refused) += 1;
      // Routes of the hosts that came, for the destinations that were wanted.
      Routes routes;
      routes.plan.request = plan.request;
      for (const Worm& worm : plan.worms) {
        Plan one;
        one.request = request_of(plan.request.source.value, {worm.stops[0].node});
        one.worms = {worm};
        routes.worms.push_back(expand(one, *routing).worms[0]);
      }
      REQUIRE(accepts([&] { check_routes(routes, *mesh); }) == right);
    }
  CHECK(accepted > 100);
  CHECK(refused > 100);
}

}  // namespace wormcast::check_test

// Unicast trees and tree worms on tori: no contention within a step, shortest ways, datelines.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "unit/long_mode.hpp"
#include "unit/multicast/random_requests.hpp"
#include "unit/multicast/two_phase_model.hpp"

namespace wormcast::torus_trees_test {

using namespace testing;

TEST_CASE(
    "u-torus: no two unicasts of one step share a virtual channel, some share a link; ceil(log2 m) steps") {
  std::uint64_t shared_links = 0;
  const std::uint32_t rounds = few_or_many(200u, 5000u);
  Random random = RandomStreams(4, "two-phase").stream(0);
  for (const auto& dims : std::vector<std::vector<std::uint64_t>>{
           {9}, {2, 2}, {5, 5}, {8, 4}, {7, 3}, {10, 10}, {3, 4, 5}, {2, 3, 2, 3}}) {
    const auto torus = make("torus", dims);
    CAPTURE(torus->name());
    const BoundPlanner planner = bind_planner(*torus, "u-torus");
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const auto source = static_cast<std::uint32_t>(random.below(torus->hosts()));
      const auto count = static_cast<std::uint32_t>(1 + random.below(torus->hosts() - 1));
      const Routes routes = expand(planner.plan(random_multicast(random, torus->hosts(), source, count)),
                                   planner.context().routing);
      std::map<std::uint32_t, std::uint64_t> free_at{{source, 0}};
      std::set<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> used;
      std::set<std::pair<std::uint64_t, std::uint32_t>> links;
      std::uint64_t last = 0;
      for (std::size_t w = 0; w < routes.worms.size(); ++w) {
        const std::uint64_t step = ++free_at.at(routes.worms[w].source.value);
        last = std::max(last, step);
        for (const RouteHop& hop : routes.worms[w].hops) {
          if (hop.is_channel()) {
            CHECK(used.emplace(step, hop.target, hop.vc).second);
            shared_links += links.emplace(step, hop.target).second ? 0 : 1;
          } else {
            free_at[hop.target] = step;
          }
        }
      }
      std::uint64_t steps = 0;
      while ((std::uint64_t{1} << steps) < count + 1) ++steps;
      CHECK(last == steps);
    }
  }
  CHECK(shared_links > 0);
}

TEST_CASE("xy-tree on a torus: shortest ways to every destination, each ring by its dateline") {
  Random random = RandomStreams(5, "two-phase").stream(0);
  for (const auto& dims : std::vector<std::vector<std::uint64_t>>{{6}, {2, 2}, {5, 5}, {8, 4}, {3, 4, 5}}) {
    const auto torus = make("torus", dims);
    const BoundPlanner planner = bind_planner(*torus, "xy-tree");
    const auto unicast = bind_routing("dimension-order", *torus);
    for (int round = 0; round < 50; ++round) {
      const auto source = static_cast<std::uint32_t>(random.below(torus->hosts()));
      const auto count = static_cast<std::uint32_t>(1 + random.below(torus->hosts() - 1));
      const Request request = random_multicast(random, torus->hosts(), source, count);
      const Routes routes = expand(planner.plan(request), *unicast);
      REQUIRE(routes.worms.size() == 1);
      std::set<std::pair<std::uint32_t, std::uint32_t>> of_tree;
      for (const RouteHop& hop : routes.worms[0].hops)
        if (hop.is_channel()) of_tree.emplace(hop.target, hop.vc);
      // The union of the unicasts by the same rule, channel for channel.
      std::set<std::pair<std::uint32_t, std::uint32_t>> of_unicasts;
      for (const HostId host : request.destinations) {
        NodeId at{source};
        RoutingState state = unicast->first(at, NodeId{host.value}, 1);
        while (at != NodeId{host.value}) {
          const RoutingStep step = unicast->next(at, state, NodeId{host.value});
          of_unicasts.emplace(step.channel.value, step.vc);
          at = step.to;
          state = step.state;
        }
      }
      CHECK(of_tree == of_unicasts);
    }
  }
}

}  // namespace wormcast::torus_trees_test

// Deadlocks of two-phase multicasts: which VC rules close rings, reachable witnesses, what cures them.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "unit/deadlock/hand_made.hpp"
#include "unit/long_mode.hpp"
#include "unit/multicast/random_requests.hpp"
#include "unit/multicast/two_phase_model.hpp"
#include "unit/routing/channel_dependencies.hpp"

namespace wormcast::torus_deadlock_test {

using namespace testing;
using hand_made::check;
using hand_made::simulate;

namespace {

/// Dependencies of every multicast with up to `most` destinations, of every broadcast and of random ones.
/// `turning`: as if a worm turned from the main path into a column without being received in between.
ChannelDependencies whole_algorithm(const BoundPlanner& planner, std::uint32_t most, bool turning = false) {
  ChannelDependencies graph;
  const std::uint32_t nodes = planner.context().topology.hosts();
  const auto add = [&](const Request& request) {
    const Routes routes = expand(planner.plan(request), planner.context().routing);
    for (const WormRoute& worm : routes.worms) {
      graph.add(worm);
      if (!turning || worm.after < 0) continue;
      const WormRoute& before = routes.worms[static_cast<std::size_t>(worm.after)];
      for (const RouteHop& hop : before.hops)
        if (!hop.is_channel() && hop.target == worm.source.value && hop.parent >= 0) {
          const RouteHop& into = before.hops[static_cast<std::size_t>(hop.parent)];
          graph.add({into.target, into.vc}, {worm.hops[0].target, worm.hops[0].vc});
        }
    }
  };
  Random random = RandomStreams(6, "two-phase").stream(0);
  for (std::uint32_t source = 0; source < nodes; ++source) {
    add(random_multicast(random, nodes, source, nodes - 1));
    for (int i = 0; i < 20; ++i)
      add(random_multicast(random, nodes, source, static_cast<std::uint32_t>(1 + random.below(nodes - 1))));
    for (std::uint32_t a = 0; a < nodes; ++a)
      for (std::uint32_t b = a; b < (most > 1 ? nodes : a + 1); ++b)
        for (std::uint32_t c = b; c < (most > 2 ? nodes : b + 1); ++c) {
          std::vector<std::uint32_t> set{a, b, c};
          set.erase(std::unique(set.begin(), set.end()), set.end());
          set.erase(std::remove(set.begin(), set.end(), source), set.end());
          if (!set.empty()) add(request_of(source, set));
        }
  }
  return graph;
}

enum class Part { rows, columns };

bool acyclic(const ChannelDependencies& graph, const Topology& torus, Part part) {
  return graph.acyclic([&](const ChannelDependencies::Vertex& vertex) {
    return (torus.ends(ChannelId{vertex.first})->port.value < 2) == (part == Part::rows);
  });
}

struct Concurrent {
  Request request;
  std::string planner;
  PlanOptions options;
};

std::vector<Routes> routes_of(const Topology& topology, const std::vector<Concurrent>& multicasts,
                              std::uint64_t flits) {
  std::vector<Routes> all;
  for (const Concurrent& multicast : multicasts) {
    const BoundPlanner planner = bind_planner(topology, multicast.planner, multicast.options);
    Request request = multicast.request;
    request.id = all.size();
    request.length_flits = flits;
    all.push_back(expand(planner.plan(request), planner.context().routing));
  }
  return all;
}

/// The checker finds a deadlock, and its witness ends in one in the simulator.
void check_deadlocks(const Topology& topology, const RouterModel& model, const std::vector<Routes>& routes) {
  hand_made::check_replays(topology, model, check(topology, model, routes));
}

Request broadcast(const Topology& topology, std::uint32_t source) {
  std::vector<std::uint32_t> others;
  for (std::uint32_t node = 0; node < topology.hosts(); ++node)
    if (node != source) others.push_back(node);
  return request_of(source, others);
}

}  // namespace

TEST_CASE("whole algorithms: printed VCs leave the rings of rows closed, datelines open all" *
          doctest::test_suite("long")) {
  for (const auto& [dims, most_destinations] :
       std::vector<std::pair<std::vector<std::uint64_t>, std::uint32_t>>{
           {{4, 4}, 3}, {{5, 5}, 2}, {{6, 4}, 2}, {{5, 4}, 2}, {{8, 8}, 1}}) {
    const std::uint32_t most = most_destinations;  // lambdas cannot capture a structured binding
    const auto torus = make("torus", dims);
    CAPTURE(torus->name());
    const auto graph = [&](std::string name, PlanOptions options, bool turning = false) {
      return whole_algorithm(bind_planner(*torus, name, options), most, turning);
    };
    for (const std::string messages : {"1", "2"}) {
      const ChannelDependencies printed = graph("btl", {{"vc-rule", "printed"}, {"hmp-messages", messages}});
      CHECK_FALSE(acyclic(printed, *torus, Part::rows));
      CHECK(acyclic(printed, *torus, Part::columns));
      CHECK(graph("btl", {{"hmp-messages", messages}}).acyclic());
      CHECK(graph("btl", {{"hmp-messages", messages}, {"literal", "yes"}}).acyclic());
    }
    CHECK(graph("btl", {}, true).acyclic());
    const ChannelDependencies t2w = graph("t2w", {{"vc-rule", "printed"}});
    CHECK_FALSE(acyclic(t2w, *torus, Part::rows));
    CHECK_FALSE(acyclic(t2w, *torus, Part::columns));
    CHECK(graph("t2w", {}).acyclic());
    for (const std::string cut : {"slack", "short", "gap"}) {
      CHECK_FALSE(graph("dual-arm", {{"cut", cut}, {"vc-rule", "printed"}}).acyclic());
      CHECK(graph("dual-arm", {{"cut", cut}}).acyclic());
    }
  }
}

TEST_CASE("two HMP messages close the ring of rows on both virtual channels") {
  const auto torus = make("torus", {5, 5});
  const auto graph =
      whole_algorithm(bind_planner(*torus, "btl", {{"vc-rule", "printed"}, {"hmp-messages", "2"}}), 2);
  for (const std::uint32_t vc : {0u, 1u})
    CHECK_FALSE(
        graph.acyclic([&](const ChannelDependencies::Vertex& vertex) { return vertex.second == vc; }));
}

TEST_CASE("every multicast of the 3x3 torus, and in the long mode of the 4x4: datelines are acyclic") {
  const std::uint32_t side = few_or_many(3u, 4u);
  const auto torus = make("torus", {side, side});
  for (const std::string name : {"btl", "t2w", "dual-arm"}) {
    const BoundPlanner planner = bind_planner(*torus, name);
    ChannelDependencies graph;
    for (std::uint32_t source = 0; source < torus->hosts(); ++source)
      for (std::uint32_t set = 1; set < 1u << torus->hosts(); ++set) {
        if ((set >> source & 1) != 0) continue;
        std::vector<std::uint32_t> nodes;
        for (std::uint32_t node = 0; node < torus->hosts(); ++node)
          if ((set >> node & 1) != 0) nodes.push_back(node);
        for (const WormRoute& worm :
             expand(planner.plan(request_of(source, nodes)), planner.context().routing).worms)
          graph.add(worm);
      }
    CHECK(graph.acyclic());
  }
}

TEST_CASE("four unicasts deadlock the printed rule on a row of the 4x4 torus") {
  const auto torus = make("torus", {4, 4});
  const RouterModel model;
  for (const std::string rule : {"printed", "dateline"}) {
    std::vector<Concurrent> multicasts;
    for (std::uint32_t x = 0; x < 4; ++x)
      multicasts.push_back({request_of(x, {(x + 2) % 4}), "btl", {{"vc-rule", rule}}});
    const auto routes = routes_of(*torus, multicasts, 64);
    if (rule == "printed") {
      check_deadlocks(*torus, model, routes);
      CHECK(simulate(*torus, model, routes).outcome == Outcome::deadlock);
    } else {
      CHECK(check(*torus, model, routes).answer() == Answer::safe);
      CHECK(simulate(*torus, model, routes).outcome == Outcome::complete);
    }
  }
}

TEST_CASE("two broadcasts on the 4x4 torus block each other's main paths under the printed rule") {
  const auto torus = make("torus", {4, 4});
  const RouterModel model;
  for (const std::string rule : {"printed", "dateline"}) {
    const auto routes = routes_of(*torus,
                                  {{broadcast(*torus, 0), "btl", {{"vc-rule", rule}}},
                                   {broadcast(*torus, 2), "btl", {{"vc-rule", rule}}}},
                                  64);
    CHECK((simulate(*torus, model, routes).outcome == Outcome::deadlock) == (rule == "printed"));
    if (rule == "printed")
      check_deadlocks(*torus, model, routes);
    else
      CHECK(check(*torus, model, routes).answer() == Answer::safe);
  }
}

TEST_CASE("one consumption channel a node: main paths that meet block each other, one per input does not") {
  const auto torus = make("torus", {4, 4});
  const auto routes =
      routes_of(*torus, {{request_of(0, {1, 2}), "btl", {}}, {request_of(3, {1, 2}), "btl", {}}}, 64);
  RouterModel model;
  CHECK(simulate(*torus, model, routes).outcome == Outcome::complete);
  CHECK(check(*torus, model, routes).answer() == Answer::safe);
  model.consumption_channels = 1;
  CHECK(simulate(*torus, model, routes).outcome == Outcome::deadlock);
  check_deadlocks(*torus, model, routes);
}

TEST_CASE("without full reception between the phases lock-step trees deadlock over datelines too") {
  const auto torus = make("torus", {5, 5});
  const auto at = [](std::uint32_t x, std::uint32_t y) { return x + 5 * y; };
  const std::vector<Request> requests = {request_of(at(0, 0), {at(1, 2), at(2, 2)}),
                                         request_of(at(3, 1), {at(1, 3), at(2, 3)})};
  for (const std::uint32_t buffer : {1u, 2u, 4u, 16u}) {
    CAPTURE(buffer);
    RouterModel model;
    model.buffer_flits = buffer;
    const auto trees = routes_of(*torus, {{requests[0], "xy-tree", {}}, {requests[1], "xy-tree", {}}}, 16);
    const auto phases = routes_of(*torus, {{requests[0], "btl", {}}, {requests[1], "btl", {}}}, 16);
    CHECK((simulate(*torus, model, trees).outcome == Outcome::deadlock) == (buffer <= 4));
    if (buffer <= 4) check_deadlocks(*torus, model, trees);
    CHECK(simulate(*torus, model, phases).outcome == Outcome::complete);
    CHECK(check(*torus, model, phases).answer() == Answer::safe);
  }
}

}  // namespace wormcast::torus_deadlock_test

// Verdicts on whole planners: which rings of tori the VC rules leave closed, what buffers trees need on
// switch networks, and that every planner can be judged at all.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "checks/answer_check.hpp"
#include "deadlock/checker/checker.hpp"
#include "deadlock/graph/dependency_graph.hpp"
#include "multicast/expansion/expand.hpp"
#include "topology/error.hpp"
#include "topology/generator.hpp"
#include "unit/deadlock/hand_made.hpp"
#include "unit/long_mode.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::planner_verdicts_test {

using namespace testing;
using hand_made::check_replays;

namespace {

/// Dependencies of the planner's legs among the network channels of one dimension (and one VC).
DependencyGraph ring_dependencies(const Topology& torus, const char* planner, const PlanOptions& options,
                                  std::uint32_t dimension, std::optional<std::uint32_t> vc = std::nullopt) {
  const BoundPlanner bound(*find_planner(planner), torus, options);
  const RouterModel model;
  const Resources resources(torus, model);
  DependencyGraph all;
  LegGraph legs(bound.context().routing, model, long_worm_flits, all);
  bound.planner().legs(bound.context(), legs);
  legs.finish();
  DependencyGraph result;
  const auto inside = [&](ResourceId id) {
    const Resource resource = resources.describe(id);
    return resource.kind == Resource::Kind::network && (!vc || resource.vc == *vc) &&
           torus.ends(resource.channel)->port.value / 2 == dimension;
  };
  for (const Dependency& edge : all.dependencies())
    if (inside(edge.from) && inside(edge.to)) result.add(edge.from, edge.to, edge.cause);
  return result;
}

bool open_rings(const Topology& torus, const char* planner, const PlanOptions& options,
                std::uint32_t dimension, std::optional<std::uint32_t> vc = std::nullopt) {
  return DependencyOrder(ring_dependencies(torus, planner, options, dimension, vc)).acyclic();
}

Verdict verdict(const Topology& topology, const char* planner, const PlanOptions& options,
                const RouterModel& model, std::optional<std::uint64_t> flits = std::nullopt) {
  CheckOptions check;
  check.model = model;
  check.answer_check = check_answer;
  check.flits = flits;
  return check_all_multicasts(BoundPlanner(*find_planner(planner), topology, options), nullptr, check);
}

constexpr std::uint32_t rows = 0;
constexpr std::uint32_t columns = 1;

}  // namespace

TEST_CASE("every planner says what it can produce") {
  for (const Planner* planner : planners()) {
    INFO(planner->name);
    const bool says = planner->legs != nullptr;
    CHECK(says);
  }
}

TEST_CASE("the printed VC rule closes rows, by message both virtual channels of them; columns stay open") {
  for (const auto& dims : std::vector<std::vector<std::uint64_t>>{{4, 4}, {5, 5}, {8, 8}, {6, 4}, {5, 4}}) {
    const auto torus = make("torus", dims);
    CAPTURE(torus->name());
    const PlanOptions printed{{"vc-rule", "printed"}};
    const PlanOptions two{{"vc-rule", "printed"}, {"hmp-messages", "2"}};
    CHECK_FALSE(open_rings(*torus, "btl", printed, rows));
    CHECK(open_rings(*torus, "btl", printed, columns));
    CHECK_FALSE(open_rings(*torus, "btl", two, rows, 0));
    CHECK_FALSE(open_rings(*torus, "btl", two, rows, 1));
    CHECK(open_rings(*torus, "btl", two, columns));
    const PlanOptions four{{"vc-rule", "dateline-by-message"}, {"hmp-messages", "2"}};
    CHECK(open_rings(*torus, "btl", four, rows));
    CHECK(open_rings(*torus, "btl", four, columns));
    CHECK_FALSE(open_rings(*torus, "btl", {{"vc-rule", "single"}}, rows));
    CHECK(open_rings(*torus, "btl", {}, rows));
    for (const char* planner : {"t2w", "dual-arm"}) {
      CHECK_FALSE(open_rings(*torus, planner, printed, rows));
      CHECK_FALSE(open_rings(*torus, planner, printed, columns));
      CHECK(open_rings(*torus, planner, {}, rows));
      CHECK(open_rings(*torus, planner, {}, columns));
    }
  }
}

TEST_CASE("one virtual channel closes the columns of BTL on some sizes: five rows, not three or four") {
  CHECK(open_rings(*make("torus", {4, 4}), "btl", {{"vc-rule", "single"}}, columns));
  CHECK(open_rings(*make("torus", {4, 3}), "btl", {{"vc-rule", "single"}}, columns));
  CHECK_FALSE(open_rings(*make("torus", {4, 5}), "btl", {{"vc-rule", "single"}}, columns));
}

TEST_CASE("torus-ring asks for the virtual channels that a worm's class needs") {
  TopologySpec spec;
  spec.family = "torus";
  spec.sizes = {4, 4};
  spec.virtual_channels = 1;
  const auto torus = build_topology(spec);
  CHECK(verdict(*torus, "btl", {{"vc-rule", "single"}}, {}).answer() == Answer::deadlock);
  CHECK_THROWS_WITH_AS(verdict(*torus, "btl", {}, {}),
                       "'dateline': class 0 needs 2 virtual channels a channel, the topology has 1",
                       InputError);
  spec.virtual_channels = 2;
  const auto two = build_topology(spec);
  CHECK(verdict(*two, "btl", {}, {}).answer() == Answer::safe);
  CHECK_THROWS_AS(verdict(*two, "btl", {{"vc-rule", "dateline-by-message"}, {"hmp-messages", "2"}}, {}),
                  InputError);
}

TEST_CASE("one consumption queue a node: main paths of BTL block each other, and the witness replays") {
  const auto torus = make("torus", {4, 4});
  RouterModel model;
  model.consumption_channels = 1;
  check_replays(*torus, model, verdict(*torus, "btl", {}, model));
}

TEST_CASE("trees on switch networks: buffers for whole worms are enough, one flit less is not") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    TopologySpec spec =
        generate(*find_generator("irregular"), {{"switches", 9}, {"ports", 8}, {"hosts", 3}, {"seed", seed}});
    const auto network = build_topology(std::move(spec));
    CAPTURE(seed);
    RouterModel model;
    model.buffer_flits = 8;
    for (const char* planner : {"mpm-ssr", "opm"}) {
      CAPTURE(planner);
      CHECK(verdict(*network, planner, {}, model, 8).answer() == Answer::safe);
      check_replays(*network, model, verdict(*network, planner, {}, model, 9));
      const PlanOptions lock_step{{"replication", "lock-step"}};
      check_replays(*network, model, verdict(*network, planner, lock_step, model, 8));
    }
    RouterModel atomic = model;
    atomic.allocation = Allocation::atomic;
    CHECK(verdict(*network, "mpm-ssr", {{"replication", "lock-step"}}, atomic).answer() == Answer::safe);
    CHECK(verdict(*network, "switch-ordered", {}, model).answer() == Answer::safe);
    CHECK(verdict(*network, "u-tree", {}, model).answer() == Answer::safe);
  }
}

// With asynchronous replication B >= L has no deadlock. As path worms those that deliver on
// the way up and never branch kept their host's consumption channel while they waited to go on.
TEST_CASE("trees that deliver on the way up need no more than buffers for whole worms") {
  const PlanOptions drop{{"drop-on-the-way", "yes"}};
  const std::uint64_t networks = few_or_many(12u, 500u);
  for (std::uint64_t seed = 1; seed <= networks; ++seed) {
    const auto network = build_topology(
        generate(*find_generator("irregular"),
                 {{"switches", 4 + seed % 6}, {"ports", 6 + seed % 3}, {"hosts", 3}, {"seed", seed}}));
    CAPTURE(seed);
    RouterModel model;
    CHECK(verdict(*network, "opm", drop, model, model.buffer_flits).answer() == Answer::safe);
    if (seed <= 3)
      check_replays(*network, model, verdict(*network, "opm", drop, model, model.buffer_flits + 1));
    const BoundPlanner planner(*find_planner("opm"), *network, drop);
    Dice dice(seed);
    SimulationOptions options;
    options.model = model;
    const auto engine = make_worm_engine(*network, options);
    for (std::uint64_t id = 0; id < 200; ++id) {
      Request request = random_request(*network, 1 + dice.below(6), dice);
      request.id = id;
      request.length_flits = 1 + dice.below(model.buffer_flits);
      request.start_cycle = id / 4;
      Routes routes = expand(planner.plan(std::move(request)), planner.context().routing);
      for (RouteHop& hop : routes.worms.front().hops)
        if (dice.below(8) == 0) hop.not_before_cycle = dice.below(300);
      engine->push(std::move(routes));
    }
    engine->finish();
    CHECK(engine->summary().outcome == Outcome::complete);
  }
}

}  // namespace wormcast::planner_verdicts_test

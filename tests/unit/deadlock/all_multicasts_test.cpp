// All multicasts of a planner: the legs cover every plan, the verdicts are the known ones, and the
// witnesses replay.
// SPDX-License-Identifier: MIT
#include "checks/answer_check.hpp"
#include "checks/checked_verdict.hpp"
#include "checks/planner_verdict_check.hpp"
#include "deadlock/checker/checker.hpp"

#include <doctest/doctest.h>

#include <set>

#include "deadlock/graph/dependency_graph.hpp"
#include "topology/error.hpp"
#include "unit/deadlock/hand_made.hpp"
#include "unit/networks.hpp"

namespace wormcast::all_multicasts_test {

using testing::make;

namespace {

using Edges = std::set<std::pair<std::uint32_t, std::uint32_t>>;

Edges edges(const DependencyGraph& graph) {
  Edges result;
  for (const Dependency& edge : graph.dependencies()) result.emplace(edge.from.value, edge.to.value);
  return result;
}

/// Everything that can be reached from `from`, itself excluded unless it lies on a cycle.
std::set<std::uint32_t> after(const Edges& known, std::uint32_t from) {
  std::set<std::uint32_t> reached;
  std::vector<std::uint32_t> open{from};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (auto edge = known.lower_bound({at, 0}); edge != known.end() && edge->first == at; ++edge)
      if (reached.insert(edge->second).second) open.push_back(edge->second);
  }
  return reached;
}

/// Every dependency of random plans is one of the legs'; of trees, whose parts are given, one that follows
/// from them, or the legs have a cycle and prove nothing.
void covered(const Topology& topology, const Planner& planner, const PlanOptions& options) {
  const BoundPlanner bound(planner, topology, options);
  RouterModel model;
  model.injection_channels = 1;
  DependencyGraph all;
  LegGraph legs(bound.context().routing, model, long_worm_flits, all);
  planner.legs(bound.context(), legs);
  legs.finish();
  const Edges known = edges(all);
  const bool cyclic = !DependencyOrder(all).acyclic();
  const RandomStreams streams(3, planner.name);
  Expander expander(bound.context().routing);
  const Resources resources(topology, model);
  for (std::uint64_t i = 0; i < 300; ++i) {
    Random random = streams.stream(i);
    Request request;
    const auto count =
        static_cast<std::uint32_t>(planner.name == "unicast" ? 1 : random.between(1, topology.hosts() - 1));
    std::vector<std::uint32_t> nodes = sample(random, count + 1, topology.hosts());
    const std::uint64_t source = random.below(nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (n == source)
        request.source = HostId{nodes[n]};
      else
        request.destinations.push_back(HostId{nodes[n]});
    Plan plan;
    try {
      plan = bound.plan(request);
    } catch (const InputError&) {
      REQUIRE_FALSE(options.empty());  // some methods refuse some sources
      continue;
    }
    const Routes routes = expander.expand(std::move(plan));
    for (const WormRoute& worm : routes.worms) {
      const Footprint footprint(topology, resources, model, worm, long_worm_flits);
      const bool tree = !footprint.is_path();
      if (tree && cyclic) continue;
      DependencyGraph one;
      one.add(footprint, WormCause{});
      for (const auto& edge : edges(one))
        REQUIRE((known.count(edge) == 1 || (tree && after(known, edge.first).count(edge.second) == 1)));
    }
  }
}

Verdict all_of(const Topology& topology, std::string_view planner, const PlanOptions& options = {},
               const RouterModel& model = {}, const RoutingFunction* unicast = nullptr) {
  CheckOptions check;
  check.model = model;
  check.answer_check = check_answer;
  return check_all_multicasts(BoundPlanner(*find_planner(planner), topology, options), unicast, check);
}

}  // namespace

TEST_CASE("the legs of every planner cover its plans" * doctest::test_suite("long")) {
  const std::vector<std::unique_ptr<const Topology>> networks = [] {
    std::vector<std::unique_ptr<const Topology>> all;
    all.push_back(make("mesh", {4, 3}));
    all.push_back(make("mesh", {3, 2, 2}));
    all.push_back(make("hypercube", {3}));
    all.push_back(make("torus", {4, 4}));
    all.push_back(make("mesh", {5, 1}));
    all.push_back(make("mesh", {1, 4}));
    all.push_back(make("mesh", {2, 2}));
    all.push_back(make("torus", {2, 3}));
    all.push_back(make("torus", {5, 1}));
    return all;
  }();
  for (const Planner* planner : planners()) {
    if (planner->legs == nullptr) continue;
    for (const auto& topology : networks) {
      if (planner->unsupported(*topology)) continue;
      INFO(planner->name, " on ", topology->name());
      covered(*topology, *planner, {});
      for (const PlannerParameter& parameter : planner->parameters)
        for (const std::string_view value : parameter.values)
          covered(*topology, *planner, {{std::string(parameter.name), std::string(value)}});
    }
  }
}

TEST_CASE("all multicasts: label-ordered planners and unicast trees are safe, with a numbering") {
  const auto topology = make("mesh", {4, 4});
  for (const std::string_view planner : {"separate", "binomial", "u-mesh", "fixed-path", "dual-path",
                                         "multi-path", "column-path", "ocms", "otms"}) {
    INFO(planner);
    const Verdict verdict = all_of(*topology, planner);
    CHECK(verdict.answer() == Answer::safe);
    CHECK(verdict.numbering().size() == verdict.resources);
  }
  RouterModel one;
  one.consumption_channels = 1;
  CHECK(all_of(*topology, "separate", {}, one).answer() == Answer::safe);
  hand_made::check_replays(*topology, one, all_of(*topology, "dual-path", {}, one));
}

TEST_CASE("all multicasts: xy-path and lock-step xy-tree deadlock, and the witnesses replay") {
  for (const auto& sizes : std::vector<std::vector<std::uint64_t>>{{3, 3}, {4, 4}, {6, 5}}) {
    const auto topology = make("mesh", sizes);
    for (const std::string_view planner : {"xy-path", "xy-tree"}) {
      INFO(planner, " on ", topology->name());
      hand_made::check_replays(*topology, {}, all_of(*topology, planner));
    }
  }
}

TEST_CASE("all multicasts: deadlocks are found beyond sixteen end points, too") {
  const auto topology = make("mesh", {8, 8});
  const auto unicast = bind_routing("dimension-order", *topology);
  Verdict beside = all_of(*topology, "rectangle", {}, {}, unicast.get());
  beside.unicast_routing = "dimension-order";
  for (const Verdict& verdict : {all_of(*topology, "rpm"), beside}) {
    INFO(verdict.scope);
    CHECK(verdict.answer() == Answer::deadlock);
    CHECK(check_planner_verdict(*topology, verdict, 100'000).outcome == CheckedVerdict::Outcome::holds);
    hand_made::check_replays(*topology, {}, verdict);
  }
}

TEST_CASE("all multicasts: label-ordered worms and XY unicasts, each safe, deadlock together") {
  const auto topology = make("mesh", {4, 4});
  const auto xy = bind_routing("dimension-order", *topology);
  const auto label = bind_routing("label", *topology);
  CHECK(all_of(*topology, "separate", {}, {}, xy.get()).answer() == Answer::safe);
  CHECK(all_of(*topology, "column-path", {}, {}, xy.get()).answer() == Answer::safe);
  CHECK(all_of(*topology, "dual-path", {}, {}, label.get()).answer() == Answer::safe);
  CHECK(all_of(*topology, "dual-path", {}, {}, xy.get()).answer() == Answer::deadlock);
}

}  // namespace wormcast::all_multicasts_test

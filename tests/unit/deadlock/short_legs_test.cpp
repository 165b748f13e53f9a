// Legs as proofs ask for them against all legs there are: the same dependencies, or more where more are asked
// for.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "topology/error.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::short_legs_test {

using namespace testing;

namespace {

class EveryLeg final : public LegSink {
 public:
  explicit EveryLeg(LegGraph& graph) : graph_(graph) {}
  Detail detail() const override { return Detail::every_leg; }
  void leg(const Leg& leg) override { graph_.leg(leg); }
  void part_of(const Worm& worm) override { graph_.part_of(worm); }
  void start(HostId source, const Output& first) override { graph_.start(source, first); }
  void turn(const Output& before, const Output& next) override { graph_.turn(before, next); }
  void split(const Output& one, const Output& other, Copies replication) override {
    graph_.split(one, other, replication);
  }

 private:
  LegGraph& graph_;
};

struct Legs {
  std::set<std::pair<ResourceId, ResourceId>> dependencies;
  std::vector<bool> taken;
  std::uint64_t count = 0;
  bool acyclic = false;
};

template <class Give>
Legs given(const RoutingFunction& routing, const RouterModel& model, LegSink::Detail detail, Give give) {
  DependencyGraph graph;
  LegGraph legs(routing, model, long_worm_flits, graph, 0, detail);
  if (detail == LegSink::Detail::every_leg) {
    EveryLeg every(legs);
    give(every);
  } else {
    give(legs);
  }
  legs.finish();
  Legs result{{}, graph.taken(), legs.legs(), DependencyOrder(graph).acyclic()};
  for (const Dependency& edge : graph.dependencies()) result.dependencies.emplace(edge.from, edge.to);
  while (!result.taken.empty() && !result.taken.back()) result.taken.pop_back();
  return result;
}

/// How many legs were not needed.
template <class Give>
std::uint64_t compare(const RoutingFunction& routing, Give give) {
  std::uint64_t spared = 0;
  std::vector<RouterModel> models(3);
  models[1].injection_channels = 1;
  models[1].consumption_channels = 1;
  models[2].copies = Copies::per_flit;
  for (const RouterModel& model : models) {
    const Legs all = given(routing, model, LegSink::Detail::every_leg, give);
    const Legs enough = given(routing, model, LegSink::Detail::every_dependency, give);
    CHECK(enough.dependencies == all.dependencies);
    CHECK(enough.taken == all.taken);
    CHECK(enough.count <= all.count);
    spared += all.count - enough.count;
    const Legs more = given(routing, model, LegSink::Detail::more, give);
    CHECK(std::includes(more.dependencies.begin(), more.dependencies.end(), all.dependencies.begin(),
                        all.dependencies.end()));
    CHECK(more.acyclic == all.acyclic);
  }
  return spared;
}

std::vector<std::unique_ptr<const Topology>> networks() {
  std::vector<std::unique_ptr<const Topology>> all = small_networks();
  all.push_back(make("mesh", {6, 6}));
  all.push_back(make("torus", {4, 4}, {0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11, 15, 14, 13, 12}));
  for (const std::uint32_t hosts_everywhere : {0U, 1U}) {
    TopologySpec spec;
    spec.family = "graph";
    spec.graph.routers = 6;
    spec.graph.hosts = {0, 0, 1, 2, 2, 4, 5};
    if (hosts_everywhere != 0) spec.graph.hosts.push_back(3);
    for (const auto& [a, b] : {std::pair(0U, 1U),
                               {1U, 2U},
                               {2U, 3U},
                               {3U, 4U},
                               {4U, 5U},
                               {5U, 0U},
                               {0U, 3U},
                               {1U, 4U},
                               {4U, 5U}}) {
      GraphLink link;
      link.ends = {a, b};
      spec.graph.links.push_back(link);
    }
    spec.labels = {0, 1, 2, 3, 4, 5};
    all.push_back(build_topology(spec));
  }
  return all;
}

}  // namespace

TEST_CASE("every part of a route of a coherent function is the route between its ends") {
  for (const auto& network : networks())
    for (const RoutingEntry* entry : routing_functions()) {
      if (entry->unsupported(*network)) continue;
      const auto routing = entry->bind(*network);
      if (!routing->coherent()) continue;
      INFO(entry->name, " on ", network->name());
      const auto hop = [&](NodeId at, NodeId to) { return routing->next(at, routing->first(at, to, 0), to); };
      for (std::uint32_t from = 0; from < network->routers(); ++from)
        for (std::uint32_t to = 0; to < network->routers(); ++to) {
          if (from == to) continue;
          std::vector<RoutingStep> steps;
          RoutingState state = routing->first(NodeId{from}, NodeId{to}, 0);
          for (NodeId at{from}; at.value != to; at = steps.back().to, state = steps.back().state)
            steps.push_back(routing->next(at, state, NodeId{to}));
          for (std::size_t i = 0; i < steps.size(); ++i)
            for (std::size_t j = i; j < steps.size(); ++j) {
              const RoutingStep own = hop(i == 0 ? NodeId{from} : steps[i - 1].to, steps[j].to);
              REQUIRE(own.channel == steps[i].channel);
              REQUIRE(own.vc == steps[i].vc);
            }
        }
    }
}

TEST_CASE("few legs have the dependencies of all" * doctest::test_suite("long")) {
  std::uint64_t spared = 0;
  for (const auto& network : networks())
    for (const Planner* planner : planners()) {
      if (planner->legs == nullptr || planner->unsupported(*network)) continue;
      for (const std::string_view name : planner->joined_by()) {
        std::optional<BoundPlanner> bound;
        try {
          bound.emplace(*planner, *network, PlanOptions{}, name);
        } catch (const InputError&) {
          continue;
        }
        if (bound->context().routing.adaptive()) continue;
        INFO(planner->name, " by ", name, " on ", network->name());
        spared +=
            compare(bound->context().routing, [&](LegSink& sink) { planner->legs(bound->context(), sink); });
      }
    }
  CHECK(spared > 0);
}

}  // namespace wormcast::short_legs_test

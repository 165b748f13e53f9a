// Legs against all plans: on small networks every multicast there is gets planned and routed, and its
// dependencies must be among those of the legs; the two graphs must agree on whether there is a cycle.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "deadlock/checker/checker.hpp"
#include "deadlock/graph/dependency_graph.hpp"
#include "deadlock/search/search.hpp"
#include "multicast/around_faults.hpp"
#include "multicast/expansion/expand.hpp"
#include "topology/error.hpp"
#include "topology/faults.hpp"
#include "topology/random.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::legs_brute_force_test {

using namespace testing;

namespace {

std::unique_ptr<const Topology> switches(std::uint32_t routers, std::vector<std::uint32_t> hosts,
                                         std::vector<std::pair<std::uint32_t, std::uint32_t>> links,
                                         std::vector<std::uint32_t> labels = {}, std::size_t one_way = 0) {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = routers;
  spec.graph.hosts = std::move(hosts);
  for (const auto& [a, b] : links) {
    GraphLink link;
    link.ends = {a, b};
    link.one_way = spec.graph.links.size() < one_way;
    spec.graph.links.push_back(link);
  }
  spec.labels = std::move(labels);
  return build_topology(std::move(spec));
}

/// Every source and destination set; on more than `few` hosts those with one or two destinations, those
/// with all, and random ones.
std::vector<Request> all_requests(const Topology& topology, std::uint32_t few) {
  std::vector<Request> requests;
  const std::uint32_t hosts = topology.hosts();
  const auto add = [&](std::uint32_t source, std::vector<std::uint32_t> nodes) {
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::erase(nodes, source);
    std::erase_if(nodes, [&](std::uint32_t node) { return !topology.has_host(HostId{node}); });
    if (!nodes.empty() && topology.has_host(HostId{source})) requests.push_back(request_of(source, nodes));
  };
  for (std::uint32_t source = 0; source < hosts; ++source) {
    if (hosts <= few) {
      for (std::uint32_t set = 1; set < 1u << hosts; ++set) {
        if ((set >> source & 1) != 0) continue;
        std::vector<std::uint32_t> nodes;
        for (std::uint32_t node = 0; node < hosts; ++node)
          if ((set >> node & 1) != 0) nodes.push_back(node);
        add(source, nodes);
      }
      continue;
    }
    for (std::uint32_t a = 0; a < hosts; ++a)
      for (std::uint32_t b = a; b < hosts; ++b) add(source, {a, b});
    Random random = RandomStreams(5, "brute force").stream(source);
    for (int i = 0; i < 60; ++i) {
      std::vector<std::uint32_t> nodes =
          sample(random, static_cast<std::uint32_t>(random.between(3, hosts - 1)), hosts);
      std::sort(nodes.begin(), nodes.end());
      add(source, nodes);
    }
  }
  return requests;
}

/// The distinct worms of all plans.
std::vector<WormRoute> all_worms(const BoundPlanner& planner, const std::vector<Request>& requests) {
  std::map<std::pair<std::vector<std::uint32_t>, Copies>, WormRoute> distinct;
  Expander expander(planner.context().routing);
  for (const Request& request : requests) {
    Routes routes;
    try {
      routes = expander.expand(planner.plan(request));
    } catch (const InputError&) {
      continue;  // a planner may refuse a set
    }
    for (WormRoute& worm : routes.worms) {
      std::vector<std::uint32_t> key{worm.source.value};
      for (const RouteHop& hop : worm.hops) {
        key.push_back(hop.target * 2 + (hop.is_channel() ? 1 : 0));
        key.push_back(static_cast<std::uint32_t>(hop.parent + 1));
        key.push_back(hop.vc);
      }
      distinct.try_emplace({std::move(key), worm.replication}, std::move(worm));
    }
  }
  std::vector<WormRoute> worms;
  for (auto& [key, worm] : distinct) worms.push_back(std::move(worm));
  return worms;
}

using Edges = std::set<std::pair<std::uint32_t, std::uint32_t>>;

Edges edges(const DependencyGraph& graph) {
  Edges result;
  for (const Dependency& edge : graph.dependencies()) result.emplace(edge.from.value, edge.to.value);
  return result;
}

/// Everything from which `to` can be reached, itself included; worked out once.
using Before = std::map<std::uint32_t, std::set<std::uint32_t>>;
const std::set<std::uint32_t>& before(const Edges& known, std::uint32_t to, Before& found) {
  const auto [place, fresh] = found.try_emplace(to);
  std::set<std::uint32_t>& reaching = place->second;
  if (!fresh) return reaching;
  reaching.insert(to);
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [a, b] : known)
      if (reaching.count(b) != 0 && reaching.insert(a).second) grown = true;
  }
  return reaching;
}

/// True if a numbering of the legs puts `from` before `to` anyway, or none exists because `to` is, or
/// follows, an output beside one that `from` lies behind, and the two are known to wait for each other.
bool follows(const Edges& known, std::uint32_t from, std::uint32_t to, Before& found) {
  if (before(known, to, found).count(from) != 0) return true;
  const std::set<std::uint32_t>& above = before(known, from, found);
  return std::any_of(known.begin(), known.end(), [&](const auto& edge) {
    const auto& [x, y] = edge;
    return above.count(x) != 0 && known.count({y, x}) != 0 && (y == to || known.count({y, to}) != 0);
  });
}

struct Model {
  std::string name;
  RouterModel router;
  std::uint64_t flits = long_worm_flits;
};

std::vector<Model> models() {
  std::vector<Model> all{{"long worms", {}}, {"one buffer", {}, 4}, {"one queue", {}},
                         {"atomic", {}},     {"cut-through", {}},   {"path reservation", {}}};
  all[1].router.injection_channels = 1;
  all[2].router.consumption_channels = 1;
  all[3].router.allocation = Allocation::atomic;
  all[4].router.cut_through = true;
  all[5].router.path_reservation = true;
  return all;
}

bool acyclic(const DependencyGraph& graph) {
  return DependencyOrder(graph.has_joint_requests() ? graph.closed_over_queues() : graph).acyclic();
}

/// What legs must be like: no more than what they prove has to be right (sound), or, besides, every
/// dependency of a plan is theirs (complete), or, besides, they have a cycle only where plans have (exact).
enum class Legs : std::uint8_t { sound, complete, exact };

void compare(const Topology& topology, const BoundPlanner& planner, const std::vector<Request>& requests,
             Legs wanted) {
  const std::vector<WormRoute> worms = all_worms(planner, requests);
  for (const Model& model : models()) {
    CAPTURE(model.name);
    DependencyGraph of_legs;
    LegGraph legs(planner.context().routing, model.router, model.flits, of_legs);
    legs_of_planner(planner.context(), legs);
    legs.finish();
    DependencyGraph of_plans;
    const Resources resources(topology, model.router);
    for (const WormRoute& worm : worms)
      of_plans.add(Footprint(topology, resources, model.router, worm, model.flits), WormCause{});
    const bool proof = acyclic(of_legs);
    const Edges known = edges(of_legs);
    Before found;
    for (const auto& dependency : proof || wanted != Legs::sound ? edges(of_plans) : Edges{})
      if (known.count(dependency) == 0 && !follows(known, dependency.first, dependency.second, found)) {
        CAPTURE(dependency.first);
        CAPTURE(dependency.second);
        FAIL_CHECK("a plan has a dependency that the legs do not have");
        break;
      }
    if (proof) CHECK(acyclic(of_plans));
    if (wanted == Legs::exact && acyclic(of_plans)) CHECK(proof);
  }
}

/// By each routing function but the default that a planner can have and that routers do not choose by.
void compare_routings(const Topology& topology, const Planner& planner,
                      const std::vector<Request>& requests) {
  bool is_default = true;
  for (const std::string_view routing : planner.joined_by()) {
    INFO(planner.name, " by ", routing, " on ", topology.name());
    std::optional<BoundPlanner> bound;
    try {
      bound.emplace(planner, topology, PlanOptions{}, routing);
    } catch (const InputError&) {
      continue;  // not on this topology
    }
    if (!std::exchange(is_default, false) && !bound->context().routing.adaptive())
      compare(topology, *bound, requests, Legs::complete);
  }
}

/// Exact where all multicasts are planned, unless that is too much to ask.
void compare_planners(const Topology& topology, bool only_sound = false) {
  constexpr std::uint32_t few = 9;
  const std::vector<Request> requests = all_requests(topology, few);
  for (const Planner* planner : planners()) {
    if (planner->legs == nullptr || planner->unsupported(topology)) continue;
    compare_routings(topology, *planner, requests);
    std::vector<PlanOptions> choices{{}};
    for (const PlannerParameter& parameter : planner->parameters)
      for (const std::string_view value : std::span(parameter.values).subspan(1)) {
        const PlanOptions base = choices.front();
        choices.push_back({{std::string(parameter.name), std::string(value)}});
        if (planner->name == "btl" && (parameter.name == "vc-rule" || parameter.name == "relay"))
          choices.push_back({{std::string(parameter.name), std::string(value)}, {"hmp-messages", "2"}});
      }
    for (const PlanOptions& options : choices) {
      std::string words(planner->name);
      for (const auto& [name, value] : options) words += ":" + name + "=" + value;
      INFO(words, " on ", topology.name());
      std::optional<BoundPlanner> bound;
      try {
        bound.emplace(*planner, topology, options);
      } catch (const InputError&) {
        continue;  // no routing function for this topology
      }
      compare(topology, *bound, requests,
              only_sound                ? Legs::sound
              : topology.hosts() <= few ? Legs::exact
                                        : Legs::complete);
    }
  }
}

}  // namespace

TEST_CASE("legs against every multicast of the 3x3 mesh" * doctest::test_suite("long")) {
  compare_planners(*make("mesh", {3, 3}));
}

TEST_CASE("legs against every multicast of the 3x3 torus" * doctest::test_suite("long")) {
  compare_planners(*make("torus", {3, 3}));
}

TEST_CASE("legs against every multicast of tori whose channels run one way") {
  for (const char* family : {"torus-forward", "torus-backward"}) {
    for (const std::vector<std::size_t>& dims : {std::vector<std::size_t>{3, 3}, {4, 2}, {2, 4}})
      compare_planners(*make(family, dims));
    for (const std::vector<std::size_t>& dims : {std::vector<std::size_t>{5}, {1, 4}, {2, 1}, {2, 2, 2}})
      compare_planners(*make(family, dims), true);
  }
}

TEST_CASE("legs against every multicast of rows, columns and rings") {
  for (const std::vector<std::size_t>& dims :
       {std::vector<std::size_t>{5, 1}, {1, 4}, {2, 1}, {2, 2}, {1, 1}, {5}, {3, 1, 2}})
    compare_planners(*make("mesh", dims), true);
  for (const std::vector<std::size_t>& dims : {std::vector<std::size_t>{5, 1}, {1, 4}, {2, 3}, {2}, {6}})
    compare_planners(*make("torus", dims), true);
  compare_planners(*make("hypercube", {1}), true);
}

TEST_CASE("legs against every multicast where nodes have no host or links have failed" *
          doctest::test_suite("long")) {
  const auto without = [](const char* family, std::vector<std::uint64_t> dims, std::vector<std::string> cores,
                          std::vector<std::string> links) {
    Faults faults;
    faults.cores = std::move(cores);
    faults.links = std::move(links);
    return build_topology(with_faults(*make(family, std::move(dims)), faults));
  };
  for (const char* family : {"mesh", "torus", "torus-forward", "torus-backward"}) {
    compare_planners(*without(family, {4}, {"1"}, {}), true);
    compare_planners(*without(family, {6}, {"0", "2"}, {}), true);
    compare_planners(*without(family, {3, 3}, {"4"}, {}), true);
    compare_planners(*without(family, {3, 3}, {"*,1"}, {}), true);
  }
  compare_planners(*without("hypercube", {3}, {"3"}, {}), true);
  for (const char* family : {"mesh", "torus-forward", "torus-backward"}) {
    compare_planners(*without(family, {3, 3}, {}, {"0,1"}), true);
    compare_planners(*without(family, {3, 3}, {"8"}, {"4,5"}), true);
  }
}

TEST_CASE("legs against every multicast of the 3-cube and the 2x2x2 mesh") {
  compare_planners(*make("hypercube", {3}));
  compare_planners(*make("mesh", {2, 2, 2}));
}

TEST_CASE("legs against every multicast of small switch networks") {
  compare_planners(*switches(1, {0, 0, 0, 0}, {}));
  compare_planners(*switches(3, {0, 0, 1, 1, 2, 2}, {{0, 1}, {0, 2}, {1, 2}}));
  compare_planners(*switches(4, {0, 0, 1, 2, 2, 3, 3}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}}));
  compare_planners(
      *switches(5, {1, 2, 3, 4, 4, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {2, 4}, {0, 1}}));
  compare_planners(*switches(4, {0, 0, 1, 2, 2, 3}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {0, 1, 2, 3}));
  compare_planners(*switches(4, {3, 1, 0, 2}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {2, 3, 0, 1}));
}

TEST_CASE("legs against every multicast of graphs whose links run one way, all or some") {
  compare_planners(*switches(3, {0, 1, 2, 2}, {{0, 1}, {1, 2}, {2, 0}}, {}, 3));
  compare_planners(*switches(5, {0, 1, 2, 3, 4}, {{0, 2}, {2, 1}, {1, 4}, {4, 3}, {3, 0}, {1, 3}}, {}, 6));
  compare_planners(*switches(4, {0, 1, 1, 2, 3}, {{3, 1}, {1, 0}, {0, 3}, {1, 2}, {2, 3}}, {}, 3));
}

TEST_CASE("legs against many multicasts of the 4x4 torus, a mesh and cube-connected cycles" *
          doctest::test_suite("long")) {
  compare_planners(*make("torus", {4, 4}));
  compare_planners(*make("mesh", {4, 3}));
  compare_planners(*make("ccc", {3}));
}

}  // namespace wormcast::legs_brute_force_test

// Routing functions: chains of channels, the report's definition of R, shortest monotone routes, refusals.
// SPDX-License-Identifier: MIT
#include "routing/routing_function.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "topology/error.hpp"
#include "topology/generator.hpp"
#include "topology/random.hpp"
#include "topology/relations/relation.hpp"
#include "unit/networks.hpp"

namespace wormcast::routing_test {

using testing::make;

namespace {

std::vector<std::unique_ptr<const Topology>> samples() {
  std::vector<std::unique_ptr<const Topology>> all;
  for (auto dims : std::vector<std::vector<std::uint64_t>>{{1},
                                                           {6},
                                                           {1, 5},
                                                           {5, 1},
                                                           {4, 3},
                                                           {3, 4},
                                                           {5, 5},
                                                           {7, 4},
                                                           {2, 2, 2},
                                                           {3, 3, 3},
                                                           {2, 1, 3, 2},
                                                           {4, 3, 2}})
    all.push_back(make("mesh", dims));
  for (auto dims : std::vector<std::vector<std::uint64_t>>{{5}, {4, 3}, {2, 3, 2}})
    for (const char* family : {"torus-forward", "torus-backward"}) all.push_back(make(family, dims));
  for (std::uint64_t n = 1; n <= 5; ++n) all.push_back(make("hypercube", {n}));
  for (std::uint64_t n = 3; n <= 4; ++n) all.push_back(make("ccc", {n}));
  for (auto dims : std::vector<std::vector<std::uint64_t>>{{5}, {2, 2}, {4, 3}, {5, 5}, {3, 2, 4}})
    all.push_back(make("torus", dims));
  // A spiral into the middle of 3x3: no snake.
  all.push_back(make("mesh", {3, 3}, {0, 1, 2, 7, 8, 3, 6, 5, 4}));
  return all;
}

/// Calls visit(routing, name) for every routing function on every network that it supports.
template <class Visit>
void every_routing(const std::vector<std::unique_ptr<const Topology>>& networks, Visit visit) {
  for (const auto& topology : networks)
    for (const RoutingEntry* entry : routing_functions()) {
      CAPTURE(topology->name());
      CAPTURE(entry->name);
      if (entry->unsupported(*topology)) continue;
      const auto routing = bind_routing(entry->name, *topology);
      if (routing->draws()) CHECK(entry->draws);
      visit(*routing, entry->name);
    }
}

/// A graph with a link doubled, so that the same far end has several ports.
std::unique_ptr<const Topology> ring_with_chords() {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = 6;
  spec.graph.hosts = {0, 1, 2, 3, 4, 5};
  for (const std::array<std::uint32_t, 2> ends : std::vector<std::array<std::uint32_t, 2>>{
           {0, 1}, {1, 2}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}, {1, 4}, {0, 3}}) {
    GraphLink link;
    link.ends = ends;
    spec.graph.links.push_back(link);
  }
  return build_topology(std::move(spec));
}

std::vector<NodeId> walk(const RoutingFunction& routing, NodeId from, NodeId to) {
  std::vector<NodeId> nodes{from};
  RoutingState state = routing.first(from, to, routing.choices_between(from, to).front());
  while ((nodes.back() != to || !routing.arrived(state)) &&
         nodes.size() <= 2 * routing.topology().routers()) {
    const RoutingStep step = routing.next(nodes.back(), state, to);
    const auto ends = routing.topology().ends(step.channel);
    REQUIRE(ends);
    CHECK(ends->from == nodes.back());
    CHECK(ends->to == step.to);
    CHECK(step.vc < routing.virtual_channels());
    nodes.push_back(step.to);
    state = step.state;
  }
  CHECK(nodes.back() == to);
  return nodes;
}

bool monotone(const Topology& topology, const std::vector<NodeId>& nodes) {
  const auto grows = [&](NodeId a, NodeId b) { return topology.label(a) < topology.label(b); };
  const auto falls = [&](NodeId a, NodeId b) { return topology.label(a) > topology.label(b); };
  return std::is_sorted(nodes.begin(), nodes.end(), grows) ||
         std::is_sorted(nodes.begin(), nodes.end(), falls);
}

/// Hops of the shortest label-monotone path, by relaxing every channel until nothing changes.
std::vector<std::vector<std::uint32_t>> monotone_distances(const Topology& topology, bool up) {
  const std::uint32_t n = topology.routers();
  constexpr std::uint32_t far = 1000000;
  std::vector<std::vector<std::uint32_t>> d(n, std::vector<std::uint32_t>(n, far));
  for (std::uint32_t i = 0; i < n; ++i) d[i][i] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t c = 0; c < topology.channel_bound(); ++c) {
      const auto ends = topology.ends(ChannelId{c});
      if (!ends || (topology.label(ends->from) < topology.label(ends->to)) != up) continue;
      for (std::uint32_t t = 0; t < n; ++t)
        if (d[ends->to.value][t] + 1 < d[ends->from.value][t]) {
          d[ends->from.value][t] = d[ends->to.value][t] + 1;
          changed = true;
        }
    }
  }
  return d;
}

template <class Visit>
void every_pair(const Topology& topology, Visit visit) {
  for (std::uint32_t a = 0; a < topology.routers(); ++a)
    for (std::uint32_t b = 0; b < topology.routers(); ++b)
      if (a != b) visit(NodeId{a}, NodeId{b});
}

}  // namespace

TEST_CASE("label is the report's R, hop by hop") {
  for (const auto& topology : samples()) {
    if (!topology->labelled()) continue;
    CAPTURE(topology->name());
    const auto routing = bind_routing("label", *topology);
    every_pair(*topology, [&](NodeId u, NodeId v) {
      const std::uint32_t from = topology->label(u).value;
      const std::uint32_t to = topology->label(v).value;
      std::vector<std::uint32_t> candidates;
      for (std::uint32_t port = 0; port < topology->ports(); ++port)
        if (const auto w = topology->neighbour(u, PortId{port}))
          candidates.push_back(topology->label(*w).value);
      std::sort(candidates.begin(), candidates.end());
      const auto expected = from < to ? *std::prev(std::upper_bound(candidates.begin(), candidates.end(), to))
                                      : *std::lower_bound(candidates.begin(), candidates.end(), to);
      CHECK(topology->label(routing->next(u, {}, v).to).value == expected);
    });
  }
}

TEST_CASE("every routing function walks chains of channels of the length it states") {
  every_routing(samples(), [](const RoutingFunction& routing, std::string_view) {
    every_pair(routing.topology(),
               [&](NodeId u, NodeId v) { CHECK(walk(routing, u, v).size() == routing.distance(u, v) + 1u); });
    CHECK(routing.distance(NodeId{0}, NodeId{0}) == 0);
  });
}

TEST_CASE("meshes of any size have shortest routes" * doctest::test_suite("long")) {
  Random random(12);
  for (const std::vector<std::uint64_t>& sizes : std::vector<std::vector<std::uint64_t>>{
           {1, 7}, {2, 1, 3}, {3, 5, 7}, {64, 64}, {1000, 999}, {65535, 3}, {3, 65537}, {2, 2, 2, 2, 2}}) {
    const auto mesh = make("mesh", sizes);
    for (const std::string name : {"dimension-order", "label"}) {
      if (name == "label" && sizes.size() > 2) continue;  // shortest on the two-dimensional snake alone
      const auto routing = bind_routing(name, *mesh);
      for (int pair = 0; pair < 50; ++pair) {
        const NodeId from{static_cast<std::uint32_t>(random.below(mesh->routers()))};
        const NodeId to{static_cast<std::uint32_t>(random.below(mesh->routers()))};
        REQUIRE(routing->distance(from, to) == mesh->distance(from, to));
        if (from != to) REQUIRE(walk(*routing, from, to).size() == mesh->distance(from, to) + 1u);
      }
    }
  }
}

TEST_CASE("label routes are monotone, and shortest on the two-dimensional snake") {
  for (const auto& topology : samples()) {
    if (!topology->labelled()) continue;
    CAPTURE(topology->name());
    const bool plane = topology->spec().family == "mesh" && topology->spec().labels.empty() &&
                       topology->grid()->dimensions() <= 2;
    const auto routing = bind_routing("label", *topology);
    every_pair(*topology, [&](NodeId u, NodeId v) {
      CHECK(monotone(*topology, walk(*routing, u, v)));
      if (plane) CHECK(routing->distance(u, v) == topology->distance(u, v));
    });
  }
}

TEST_CASE("label-shortest is the shortest monotone route and takes the outermost label") {
  for (const auto& topology : samples()) {
    if (!topology->labelled()) continue;
    CAPTURE(topology->name());
    const bool closed = topology->spec().family != "torus" && topology->spec().labels.empty();
    const auto routing = bind_routing("label-shortest", *topology);
    const auto up = monotone_distances(*topology, true);
    const auto down = monotone_distances(*topology, false);
    every_pair(*topology, [&](NodeId u, NodeId v) {
      const bool rises = topology->label(u) < topology->label(v);
      const auto& d = rises ? up : down;
      const auto nodes = walk(*routing, u, v);
      CHECK(monotone(*topology, nodes));
      CHECK(nodes.size() == d[u.value][v.value] + 1);
      if (closed) CHECK(nodes.size() == topology->distance(u, v) + 1);
      for (std::uint32_t port = 0; port < topology->ports(); ++port) {
        const auto w = topology->neighbour(u, PortId{port});
        if (!w || (topology->label(u) < topology->label(*w)) != rises) continue;
        if (d[w->value][v.value] + 1 != d[u.value][v.value]) continue;
        if (rises)
          CHECK(topology->label(*w) <= topology->label(nodes[1]));
        else
          CHECK(topology->label(*w) >= topology->label(nodes[1]));
      }
    });
  }
}

TEST_CASE("label-shortest without a table: a spiral of more nodes than the table takes") {
  constexpr std::uint32_t width = 46;
  std::vector<std::uint32_t> labels(width * width);
  const auto mesh = make("mesh", {width, width});
  // Column snake: a Hamiltonian path that is not the closed form.
  for (std::uint32_t x = 0; x < width; ++x)
    for (std::uint32_t y = 0; y < width; ++y)
      labels[x + width * y] = x * width + (x % 2 == 0 ? y : width - 1 - y);
  const auto relabelled = make("mesh", {width, width}, labels);
  REQUIRE(relabelled->routers() > 2048);
  const auto routing = bind_routing("label-shortest", *relabelled);
  for (std::uint32_t i = 0; i < 40; ++i) {
    const NodeId u{i * 977 % (width * width)};
    const NodeId v{i * 1409 % (width * width)};
    CHECK(walk(*routing, u, v).size() == mesh->distance(u, v) + 1);
    CHECK(routing->distance(u, v) == mesh->distance(u, v));
  }
}

TEST_CASE("R on the 3-cube takes four hops where two suffice") {
  const auto cube = make("hypercube", {3});
  CHECK(bind_routing("label", *cube)->distance(NodeId{0}, NodeId{5}) == 4);
  CHECK(bind_routing("label-shortest", *cube)->distance(NodeId{0}, NodeId{5}) == 2);
}

TEST_CASE("dimension order corrects the first dimension first") {
  const auto mesh = make("mesh", {5, 4});
  const auto nodes = walk(*bind_routing("dimension-order", *mesh), NodeId{1}, NodeId{3 + 5 * 2});
  CHECK(nodes == std::vector<NodeId>{NodeId{1}, NodeId{2}, NodeId{3}, NodeId{8}, NodeId{13}});
  const auto cube = make("hypercube", {4});
  CHECK(walk(*bind_routing("xy", *cube), NodeId{0}, NodeId{10}) ==
        std::vector<NodeId>{NodeId{0}, NodeId{2}, NodeId{10}});
}

TEST_CASE("dimension-order corrects the first dimension that differs, in meshes of any sizes") {
  Random random(11);
  for (const std::vector<std::uint64_t>& sizes : std::vector<std::vector<std::uint64_t>>{
           {1, 7}, {2, 1, 3}, {3, 5, 7}, {64, 64}, {1000, 999}, {65535, 3}, {3, 65537}, {2, 2, 2, 2, 2}}) {
    const auto mesh = make("mesh", sizes);
    const auto routing = bind_routing("dimension-order", *mesh);
    for (int pair = 0; pair < 2000; ++pair) {
      const NodeId at{static_cast<std::uint32_t>(random.below(mesh->routers()))};
      const NodeId to{static_cast<std::uint32_t>(random.below(mesh->routers()))};
      if (at == to) continue;
      std::uint32_t stride = 1;
      std::uint32_t dimension = 0;
      const auto coordinate = [&](NodeId node) { return node.value / stride % sizes[dimension]; };
      while (coordinate(at) == coordinate(to)) stride *= static_cast<std::uint32_t>(sizes[dimension++]);
      const bool positive = coordinate(at) < coordinate(to);
      const RoutingStep step = routing->next(at, {}, to);
      REQUIRE(step.to.value == (positive ? at.value + stride : at.value - stride));
      REQUIRE(step.channel == mesh->channel(at, PortId{2 * dimension + (positive ? 0u : 1u)}));
    }
  }
}

TEST_CASE("forced first hops: any link for dimension order, label-safe ones for label routing") {
  const auto mesh = make("mesh", {4, 3});
  const auto label = bind_routing("label", *mesh);
  CHECK(label->forced(NodeId{1}, PortId{0}, {}, NodeId{10}).to == NodeId{2});
  CHECK_THROWS_WITH(
      label->forced(NodeId{1}, PortId{2}, {}, NodeId{6}),
      "port 2 of router 1 leads to label 6, which is not between labels 1 and 5 of source and first stop");
  CHECK_THROWS_AS(label->forced(NodeId{1}, PortId{1}, {}, NodeId{6}), InputError);
  CHECK_THROWS_AS(label->forced(NodeId{1}, PortId{3}, {}, NodeId{6}), InputError);
  CHECK_THROWS_AS(label->forced(NodeId{1}, PortId{9}, {}, NodeId{6}), InputError);
  CHECK(bind_routing("xy", *mesh)->forced(NodeId{1}, PortId{1}, {}, NodeId{6}).to == NodeId{0});
}

TEST_CASE("forced first hops: by the port that it takes anyway, every function takes its own step") {
  std::vector<std::unique_ptr<const Topology>> networks = samples();
  networks.push_back(ring_with_chords());
  networks.push_back(build_topology(generate(*find_generator("fat-tree"), {{"arity", 2}, {"levels", 3}})));
  networks.push_back(build_topology(
      generate(*find_generator("dragonfly"), {{"group-routers", 2}, {"hosts", 1}, {"global-links", 1}})));
  TopologySpec line;
  line.family = "mesh";
  line.sizes = {3};
  auto rules = std::make_shared<Relation>();
  const auto rule = [](std::uint32_t at, std::vector<NodeId> to, std::uint32_t channel) {
    return RelationRule{NodeId{at}, std::move(to), false, {}, {ChannelVcs{ChannelId{channel}, {}}}};
  };
  rules->rules = {rule(0, {NodeId{1}, NodeId{2}}, 0), rule(1, {NodeId{0}}, 3), rule(1, {NodeId{2}}, 2),
                  rule(2, {NodeId{0}, NodeId{1}}, 5)};
  line.relation = rules;
  networks.push_back(build_topology(line));
  line.relation.reset();
  line.sizes = {3, 3};
  line.failed = {0};
  networks.push_back(build_topology(line));
  std::set<std::string_view> tried;
  every_routing(networks, [&](const RoutingFunction& routing, std::string_view name) {
    every_pair(routing.topology(), [&](NodeId u, NodeId v) {
      if (name == "fat-tree-random-up" && std::max(u, v) >= NodeId{4}) return;  // routes join lowest switches
      std::vector<std::uint32_t> classes = routing.choices_between(u, v);
      if (!routing.draws())
        for (std::uint32_t vc_class = 1; vc_class < routing.classes(); ++vc_class)
          classes.push_back(vc_class);
      for (const std::uint32_t vc_class : classes) {
        const RoutingState state = routing.first(u, v, vc_class);
        const RoutingStep own = routing.next(u, state, v);
        const RoutingStep forced = routing.forced(u, routing.topology().ends(own.channel)->port, state, v);
        CHECK(forced.channel == own.channel);
        CHECK(forced.vc == own.vc);
        CHECK(forced.to == own.to);
        CHECK(forced.state.bits == own.state.bits);
        tried.insert(name);
      }
    });
  });
  CHECK(tried.size() == routing_functions().size());
}

TEST_CASE("classes that a routing function does not know are refused") {
  every_routing(samples(), [](const RoutingFunction& routing, std::string_view) {
    CHECK_NOTHROW(routing.first(NodeId{0}, NodeId{0}, routing.classes() - 1));
    const std::string refusal =
        "class " + std::to_string(routing.classes()) + "; this routing function knows 0";
    CHECK_THROWS_WITH_AS(routing.first(NodeId{0}, NodeId{0}, routing.classes()),
                         doctest::Contains(refusal.c_str()), InputError);
  });
}

TEST_CASE("registry: names, aliases, refusals") {
  CHECK(find_routing_function("xy") == find_routing_function("dimension-order"));
  CHECK(find_routing_function("nothing") == nullptr);
  const auto mesh = make("mesh", {3, 3});
  CHECK_THROWS_WITH_AS(
      bind_routing("lable", *mesh),
      doctest::Contains("unknown routing function 'lable'; did you mean 'label'? (route-expand "
                        "--list names all)"),
      InputError);
  for (const RoutingEntry* entry : routing_functions()) {
    CHECK_FALSE(entry->summary.empty());
    CHECK_FALSE(entry->topologies.empty());
    CHECK_FALSE(entry->cite.empty());
    CHECK(find_routing_function(entry->name) == entry);
  }
}

}  // namespace wormcast::routing_test

// Hamiltonian paths: found where there are, proven absent where not, and ocms on what is found.
// SPDX-License-Identifier: MIT
#include "topology/generator.hpp"

#include <doctest/doctest.h>

#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "unit/multicast/labelled_graph.hpp"

namespace wormcast::hamiltonian_test {

using namespace testing;

namespace {

bool is_path(const Topology& topology, const std::vector<std::uint32_t>& labels) {
  std::vector<std::uint32_t> at(labels.size(), 0xffffffff);
  for (std::uint32_t node = 0; node < labels.size(); ++node) {
    if (labels[node] >= labels.size() || at[labels[node]] != 0xffffffff) return false;
    at[labels[node]] = node;
  }
  for (std::uint32_t label = 0; label + 1 < labels.size(); ++label) {
    bool linked = false;
    for (std::uint32_t port = 0; port < topology.ports(); ++port)
      linked = linked || topology.neighbour(NodeId{at[label]}, PortId{port}) == NodeId{at[label + 1]};
    if (!linked) return false;
  }
  return labels.size() == topology.routers();
}

HamiltonianLabels on(std::uint32_t nodes, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& links) {
  return find_hamiltonian_labels(LabelledGraph(nodes, links), 1);
}

}  // namespace

TEST_CASE("rotations find paths in cube-connected cycles, meshes and hypercubes; the seed decides which") {
  for (const std::uint64_t n : {3u, 4u, 5u, 6u, 7u}) {
    const auto ccc = make("ccc", {n});
    CAPTURE(ccc->name());
    const HamiltonianLabels found = find_hamiltonian_labels(*ccc, 1);
    CHECK(is_path(*ccc, found.labels));
    CHECK(find_hamiltonian_labels(*ccc, 1).labels == found.labels);
  }
  const auto mesh = make("mesh", {7, 5});
  CHECK(is_path(*mesh, find_hamiltonian_labels(*mesh, 1).labels));
  CHECK(find_hamiltonian_labels(*mesh, 1).labels != find_hamiltonian_labels(*mesh, 2).labels);
  const auto cube = make("hypercube", {8});
  CHECK(is_path(*cube, find_hamiltonian_labels(*cube, 3).labels));
}

TEST_CASE("small graphs are decided, by reason or exhaustively") {
  CHECK(on(4, {{0, 1}, {2, 3}}).reason == "the network is not connected");
  CHECK(on(4, {{0, 1}, {0, 2}, {0, 3}}).reason == "3 routers have one neighbour only, a path has two ends");
  CHECK(on(5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {3, 4}}).labels.size() == 5);
  CHECK(on(6, {{0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}, {1, 3}, {1, 4}, {1, 5}}).reason ==
        "the network is bipartite with sides of 2 and 4 routers");
  CHECK(on(7, {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {0, 4}, {3, 4}, {0, 5}, {0, 6}, {5, 6}}).reason ==
        "without router 0 the network falls into 3 parts");
  // Three triangles on a path of links: a path runs through all of them.
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> triangles{
      {0, 1}, {1, 2}, {0, 2}, {0, 3}, {3, 4}, {3, 5}, {4, 5}, {1, 6}, {6, 7}, {6, 8}, {7, 8}};
  CHECK(is_path(LabelledGraph(9, triangles), on(9, triangles).labels));
}

TEST_CASE("exhaustive search agrees with trying every order") {
  Dice dice(31);
  int without = 0;
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t n = 4 + dice.below(4);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> links{{0, 1}};
    for (std::uint32_t a = 0; a < n; ++a)
      for (std::uint32_t b = a + 1; b < n; ++b)
        if (dice.below(100) < 38 && (a != 0 || b != 1)) links.emplace_back(a, b);
    const LabelledGraph graph(n, links);
    std::vector<std::uint32_t> order(n);
    for (std::uint32_t a = 0; a < n; ++a) order[a] = a;
    bool exists = false;
    do {
      std::vector<std::uint32_t> labels(n);
      for (std::uint32_t a = 0; a < n; ++a) labels[order[a]] = a;
      exists = exists || is_path(graph, labels);
    } while (std::next_permutation(order.begin(), order.end()));
    const HamiltonianLabels found = find_hamiltonian_labels(graph, 1);
    CHECK(found.labels.empty() != exists);
    if (exists)
      CHECK(is_path(graph, found.labels));
    else
      CHECK(found.proven);
    if (!exists) ++without;
  }
  CHECK(without > 5);
}

TEST_CASE("found labels carry optimal stars: ocms on cube-connected cycles") {
  const auto ccc = make("ccc", {4});
  const auto labelled = make("ccc", {4}, find_hamiltonian_labels(*ccc, 1).labels);
  Dice dice(32);
  for (const std::string_view routing : {"label", "label-shortest"}) {
    const BoundPlanner ocms(*find_planner("ocms"), *labelled, {{"first-hop", "free"}}, routing);
    const BoundPlanner dual(*find_planner("dual-path"), *labelled, {}, routing);
    for (int i = 0; i < 20; ++i) {
      const Request request = random_request(*labelled, 1 + dice.below(12), dice);
      const Plan plan = expand(ocms.plan(request), ocms.context().routing).plan;
      CHECK(plan.traffic_channels <= dual.plan(request).traffic_channels);
    }
  }
}

}  // namespace wormcast::hamiltonian_test

// Every connected graph of a few switches under up*/down*: unicasts, trees, both together.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <numeric>
#include <set>

#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "unit/deadlock/hand_made.hpp"
#include "unit/long_mode.hpp"

namespace wormcast::all_graphs_test {

namespace {

using Links = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Pairs of n nodes in the order of their bits.
Links all_pairs(std::uint32_t nodes) {
  Links result;
  for (std::uint32_t b = 1; b < nodes; ++b)
    for (std::uint32_t a = 0; a < b; ++a) result.emplace_back(a, b);
  return result;
}

Links links_of(std::uint32_t graph, const Links& pairs) {
  Links result;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if ((graph >> i & 1U) != 0) result.push_back(pairs[i]);
  return result;
}

bool connected(std::uint32_t nodes, const Links& links) {
  std::set<std::uint32_t> reached{0};
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const auto& [a, b] : links)
      if (reached.count(a) + reached.count(b) == 1) reached.insert({a, b});
  }
  return reached.size() == nodes;
}

/// One host a switch; the tree of up*/down* starts at switch `root`.
std::unique_ptr<const Topology> network(std::uint32_t switches, const Links& links, std::uint32_t root) {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = switches;
  for (std::uint32_t h = 0; h < switches; ++h) spec.graph.hosts.push_back(h);
  for (const auto& [a, b] : links) {
    GraphLink link;
    link.ends = {a, b};
    spec.graph.links.push_back(link);
  }
  spec.root = root;
  return build_topology(std::move(spec));
}

/// One multicast from every host to all others.
std::vector<Routes> broadcasts(const Topology& topology, std::string_view planner, std::string_view routing,
                               std::uint64_t first_id) {
  const BoundPlanner bound(*find_planner(planner), topology, {}, routing);
  std::vector<Routes> all;
  for (std::uint32_t source = 0; source < topology.hosts(); ++source) {
    Request request;
    request.id = first_id + source;
    request.source = HostId{source};
    request.length_flits = 64;
    for (std::uint32_t host = 0; host < topology.hosts(); ++host)
      if (host != source) request.destinations.push_back(HostId{host});
    all.push_back(expand(bound.plan(std::move(request)), bound.context().routing));
  }
  return all;
}

Answer answer_of(const Topology& topology, const std::vector<Routes>& all, bool cut_through) {
  RouterModel model;
  model.cut_through = cut_through;
  return hand_made::check(topology, model, all).answer();
}

}  // namespace

TEST_CASE("every connected graph of up to 5 switches (long: 6) is free of deadlock under up*/down*") {
  const std::uint32_t most = testing::few_or_many(5u, 6u);
  std::uint32_t graphs = 0, cyclic_by_shortest_paths = 0;
  for (std::uint32_t switches = 2; switches <= most; ++switches) {
    const Links pairs = all_pairs(switches);
    for (std::uint32_t graph = 0; graph < 1U << pairs.size(); ++graph) {
      const Links links = links_of(graph, pairs);
      if (!connected(switches, links)) continue;
      const auto topology = network(switches, links, graph % switches);
      INFO(switches, " switches, links ", graph);
      ++graphs;
      std::vector<Routes> all = broadcasts(*topology, "separate", "up-down", 0);
      CHECK(answer_of(*topology, all, false) == Answer::safe);
      // Trees turn down once as unicasts do; with buffers for whole worms nothing else matters.
      for (Routes& tree : broadcasts(*topology, "opm", "up-down", switches)) all.push_back(std::move(tree));
      CHECK(answer_of(*topology, all, true) == Answer::safe);
      // The control: shortest paths take turns that up*/down* forbids.
      const bool cycle =
          answer_of(*topology, broadcasts(*topology, "separate", "shortest", 0), false) != Answer::safe;
      cyclic_by_shortest_paths += cycle ? 1 : 0;
    }
  }
  CHECK(graphs == (most == 6 ? 27475 : 771));
  CHECK(cyclic_by_shortest_paths > 10);
}

}  // namespace wormcast::all_graphs_test

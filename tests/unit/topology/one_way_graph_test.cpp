// Graphs with links that run one way, and the k-ary n-fly, which has no others.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "routing/routing_function.hpp"
#include "topology/connectivity.hpp"
#include "topology/error.hpp"
#include "topology/faults.hpp"
#include "topology/generator.hpp"
#include "topology/random.hpp"

namespace wormcast::one_way_graph_test {

namespace {

/// `ends` of links, of which those whose bit is set in `one_way` run one way.
TopologySpec graph(std::uint32_t routers, const std::vector<std::array<std::uint32_t, 2>>& ends,
                   std::uint32_t one_way) {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = routers;
  for (std::uint32_t r = 0; r < routers; ++r) spec.graph.hosts.push_back(r);
  for (std::size_t k = 0; k < ends.size(); ++k) {
    GraphLink link;
    link.ends = ends[k];
    link.one_way = (one_way >> k & 1) != 0;
    spec.graph.links.push_back(link);
  }
  return spec;
}

std::unique_ptr<const Topology> butterfly(std::uint64_t arity, std::uint64_t stages) {
  return build_topology(generate(*find_generator("butterfly"), {{"arity", arity}, {"stages", stages}}));
}

/// Hops between all pairs, by Floyd and Warshall.
std::vector<std::vector<std::uint32_t>> all_hops(const TopologySpec& spec) {
  const std::uint32_t n = spec.graph.routers;
  std::vector<std::vector<std::uint32_t>> hops(n, std::vector<std::uint32_t>(n, unreachable));
  for (std::uint32_t r = 0; r < n; ++r) hops[r][r] = 0;
  for (const GraphLink& link : spec.graph.links) {
    hops[link.ends[0]][link.ends[1]] = 1;
    if (!link.one_way) hops[link.ends[1]][link.ends[0]] = 1;
  }
  for (std::uint32_t via = 0; via < n; ++via)
    for (std::uint32_t a = 0; a < n; ++a)
      for (std::uint32_t b = 0; b < n; ++b)
        if (hops[a][via] != unreachable && hops[via][b] != unreachable)
          hops[a][b] = std::min(hops[a][b], hops[a][via] + hops[via][b]);
  return hops;
}

using Vc = std::pair<std::uint32_t, std::uint32_t>;  ///< channel, virtual channel

/// VCs that wait for nothing are taken away until none is left.
bool acyclic(std::set<std::pair<Vc, Vc>> waits) {
  for (std::size_t before = 0; before != waits.size();) {
    before = waits.size();
    std::set<Vc> waiting;
    for (const auto& [held, wanted] : waits) waiting.insert(held);
    std::erase_if(waits, [&](const auto& pair) { return !waiting.contains(pair.second); });
  }
  return waits.empty();
}

/// A random graph; some of its links run one way.
TopologySpec random_graph(std::uint64_t seed) {
  Random random = RandomStreams(seed, "one-way").stream(0);
  const auto routers = static_cast<std::uint32_t>(random.between(2, 7));
  std::vector<std::array<std::uint32_t, 2>> ends;
  for (std::uint32_t k = 0; k < routers + random.below(routers); ++k) {
    const auto a = static_cast<std::uint32_t>(random.below(routers));
    ends.push_back({a, static_cast<std::uint32_t>((a + 1 + random.below(routers - 1)) % routers)});
  }
  return graph(routers, ends, static_cast<std::uint32_t>(random.below(1U << ends.size())));
}

/// What a unicast takes.
std::vector<Vc> vcs(const RoutingFunction& routing, NodeId from, NodeId to) {
  std::vector<Vc> taken;
  for (RoutingState state = routing.first(from, to, 0); from != to;) {
    const RoutingStep step = routing.next(from, state, to);
    taken.emplace_back(step.channel.value, step.vc);
    from = step.to;
    state = step.state;
  }
  return taken;
}

/// Every multicast of a network of few nodes.
template <class Visit>
void each_multicast(std::uint32_t nodes, Visit visit) {
  for (std::uint32_t source = 0; source < nodes; ++source)
    for (std::uint32_t set = 1; set < 1U << nodes; ++set) {
      if ((set >> source & 1) != 0) continue;
      Request request;
      request.source = HostId{source};
      for (std::uint32_t node = 0; node < nodes; ++node)
        if ((set >> node & 1) != 0) request.destinations.push_back(HostId{node});
      visit(request);
    }
}

}  // namespace

TEST_CASE("a link that runs one way has one channel, and a port at both ends") {
  const auto network = build_topology(graph(3, {{0, 1}, {1, 2}, {2, 0}}, 0b101));
  CHECK(network->ways() == Ways::mixed);
  CHECK(network->channel_bound() == 6);
  CHECK(network->ends(ChannelId{0})->to == NodeId{1});
  CHECK_FALSE(network->ends(ChannelId{1}));
  CHECK(network->ends(ChannelId{3})->from == NodeId{2});
  CHECK_FALSE(network->ends(ChannelId{5}));
  CHECK(network->neighbour(NodeId{0}, PortId{0}) == NodeId{1});
  CHECK_FALSE(network->neighbour(NodeId{0}, PortId{1}));  // the third link comes in there
  CHECK(network->channel(NodeId{1}, PortId{1}) == ChannelId{2});
  CHECK(network->arrival_port(ChannelId{0}) == PortId{0});
  CHECK(network->arrival_port(ChannelId{4}) == PortId{1});
  CHECK(network->distance(NodeId{0}, NodeId{2}) == 2);
  CHECK(network->distance(NodeId{2}, NodeId{1}) == 1);
  CHECK(network->distance(NodeId{1}, NodeId{0}) == 2);
  const auto both = build_topology(graph(3, {{0, 1}, {1, 2}}, 0));
  CHECK(both->ways() == Ways::both);
  CHECK_FALSE(channels_without_return(*both));
}

TEST_CASE("random graphs: distances, routes and refusals against Floyd and Warshall") {
  std::uint32_t joined = 0, apart = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    TopologySpec spec = random_graph(seed);
    const std::uint32_t routers = spec.graph.routers;
    const auto hops = all_hops(spec);
    const auto network = build_topology(std::move(spec));
    bool whole = true;
    for (std::uint32_t a = 0; a < routers; ++a)
      for (std::uint32_t b = 0; b < routers; ++b) {
        CHECK(network->distance(NodeId{a}, NodeId{b}) == hops[a][b]);
        whole = whole && hops[a][b] != unreachable;
      }
    CHECK(no_paths(*network).has_value() == !whole);
    CHECK(network->ways() == (channels_without_return(*network) ? Ways::mixed : Ways::both));
    ++(whole ? joined : apart);
    for (const char* name : {"shortest", "negative-hop"}) {
      const auto routing = bind_routing(name, *network);
      std::set<std::pair<Vc, Vc>> waits;
      for (std::uint32_t a = 0; a < routers; ++a)
        for (std::uint32_t b = 0; b < routers; ++b) {
          NodeId at{a};
          RoutingState state = routing->first(at, NodeId{b}, 0);
          std::optional<Vc> before;
          if (hops[a][b] == unreachable) {  // refused alone: the other pairs have their routes
            CHECK_THROWS_AS(routing->next(at, state, NodeId{b}), InputError);
            continue;
          }
          for (std::uint32_t left = hops[a][b]; left > 0; --left) {
            const RoutingStep step = routing->next(at, state, NodeId{b});
            CHECK(network->ends(step.channel)->from == at);
            CHECK(network->ends(step.channel)->to == step.to);
            CHECK(step.vc < routing->virtual_channels());
            const Vc vc{step.channel.value, step.vc};
            if (before) waits.emplace(*before, vc);
            before = vc;
            at = step.to;
            state = step.state;
          }
          CHECK(at == NodeId{b});
        }
      if (name == std::string_view("negative-hop")) CHECK(acyclic(waits));
    }
    if (network->ways() == Ways::mixed) CHECK_THROWS_AS(bind_routing("up-down", *network), InputError);
  }
  CHECK(joined > 50);
  CHECK(apart > 50);
}

TEST_CASE("random graphs: every tree is the union of its routes, and all paths together wait in no circle") {
  std::uint32_t joined = 0, longer = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto network = build_topology(random_graph(seed));
    if (no_paths(*network) || network->routers() > 6) continue;
    ++joined;
    CAPTURE(seed);
    const BoundPlanner trees(*find_planner("route-tree"), *network, {});
    const BoundPlanner paths(*find_planner("route-paths"), *network, {});
    CHECK(trees.routing_name() == "negative-hop");
    std::set<std::pair<Vc, Vc>> waits;  // a host's only consumption channel counts as a VC, too
    each_multicast(network->routers(), [&](const Request& request) {
      std::set<Vc> of_tree, of_unicasts;
      for (const WormRoute& worm : expand(trees.plan(request), trees.context().routing).worms)
        for (const RouteHop& hop : worm.hops)
          if (hop.is_channel()) CHECK(of_tree.emplace(hop.target, hop.vc).second);
      for (const HostId to : request.destinations)
        for (const Vc& vc : vcs(trees.context().routing, NodeId{request.source.value}, NodeId{to.value}))
          of_unicasts.insert(vc);
      CHECK(of_tree == of_unicasts);
      std::size_t delivered = 0;
      for (const WormRoute& worm : expand(paths.plan(request), paths.context().routing).worms) {
        CHECK(worm.replication == Copies::unstated);
        std::optional<Vc> before;
        for (const RouteHop& hop : worm.hops) {
          const Vc vc = hop.is_channel() ? Vc{hop.target, hop.vc} : Vc{hop.target, ~0U};
          if (before) waits.emplace(*before, vc);
          before = vc;
          delivered += hop.is_channel() ? 0 : 1;
        }
        longer += std::count_if(worm.hops.begin(), worm.hops.end(),
                                [](const RouteHop& hop) { return !hop.is_channel(); }) > 1
                      ? 1
                      : 0;
      }
      CHECK(delivered == request.destinations.size());
    });
    CHECK(acyclic(waits));
  }
  CHECK(joined > 20);
  CHECK(longer > 300);
}

TEST_CASE("butterflies: one path joins two hosts, stage by stage by the digits of the destination") {
  for (const auto& [arity, stages] : {std::pair{2U, 1U}, {2U, 3U}, {3U, 2U}, {4U, 2U}, {2U, 4U}}) {
    const auto network = butterfly(arity, stages);
    CAPTURE(network->name());
    std::uint32_t lines = 1;
    for (std::uint32_t s = 0; s < stages; ++s) lines *= arity;
    const std::uint32_t width = lines / arity;
    CHECK(network->hosts() == lines);
    CHECK(network->routers() == lines + stages * width);
    CHECK(network->channel_bound() == 2 * lines * (stages + 1));
    CHECK_FALSE(no_paths(*network));
    const Adjacency out(*network), in(*network, true);
    for (std::uint32_t r = 0; r < network->routers(); ++r) {
      CHECK(out.out(NodeId{r}).size() == (r < lines ? 1 : arity));
      CHECK(in.out(NodeId{r}).size() == (r < lines ? 1 : arity));
    }
    const auto routing = bind_routing("shortest", *network);
    for (std::uint32_t from = 0; from < lines; ++from)
      for (std::uint32_t to = 0; to < lines; ++to) {
        if (from == to) continue;
        CHECK(network->distance(NodeId{from}, NodeId{to}) == stages + 1);
        NodeId at{from};
        for (std::uint32_t hop = 0; hop <= stages; ++hop) {
          std::uint32_t ways = 0;  // that are short enough
          for (const OutChannel& channel : out.out(at))
            if (network->distance(channel.to, NodeId{to}) == stages - hop) ++ways;
          CHECK(ways == 1);
          at = routing->next(at, {}, NodeId{to}).to;
          if (hop < stages) CHECK((at.value - lines) / width == hop);
        }
        CHECK(at == NodeId{to});
      }
  }
}

TEST_CASE("faults: what is named goes, and at random what no pair of routers needs") {
  const auto network = butterfly(2, 2);
  Faults faults;
  faults.links = {"0,4"};
  const TopologySpec left = with_faults(*network, faults);
  CHECK(left.graph.links.size() == network->spec().graph.links.size() - 1);
  CHECK(left.graph.links.front().one_way);
  CHECK(left.graph.links.front().ports == std::optional(std::array{0U, 0U}));
  const auto after = build_topology(TopologySpec(left));
  CHECK(no_paths(*after) ==
        std::optional<std::string>("no path leads from router 0 to router 1 (nor to 6 more)"));
  faults.links.clear();
  faults.random = 1;
  CHECK_FALSE(no_paths(*build_topology(with_faults(*network, faults))));
}

}  // namespace wormcast::one_way_graph_test

// Routes drawn by chance: every way that can be drawn is walked and held against what the papers define.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "routing/routing_function.hpp"
#include "topology/error.hpp"
#include "topology/generator.hpp"
#include "unit/networks.hpp"
#include "unit/routing/channel_dependencies.hpp"

namespace wormcast::oblivious_test {

using namespace testing;

namespace {

struct Hop {
  ChannelEnds ends;
  std::uint32_t channel;
  std::uint32_t vc;
};

/// A route: a chain of channels that ends at `to` and takes no (channel, virtual channel) twice.
std::vector<Hop> walk(const RoutingFunction& routing, NodeId from, NodeId to, std::uint32_t drawn) {
  std::vector<Hop> route;
  std::set<std::pair<std::uint32_t, std::uint32_t>> taken;
  RoutingState state = routing.first(from, to, drawn);
  NodeId at = from;
  while (at != to || !routing.arrived(state)) {
    const RoutingStep step = routing.next(at, state, to);
    const auto ends = routing.topology().ends(step.channel);
    REQUIRE(ends);
    REQUIRE(ends->from == at);
    REQUIRE(ends->to == step.to);
    REQUIRE(step.vc < routing.virtual_channels());
    REQUIRE(taken.emplace(step.channel.value, step.vc).second);
    route.push_back({*ends, step.channel.value, step.vc});
    at = step.to;
    state = step.state;
  }
  return route;
}

std::unique_ptr<const Topology> limited(const char* family, std::vector<std::uint64_t> sizes,
                                        std::uint32_t virtual_channels) {
  TopologySpec spec;
  spec.family = family;
  spec.sizes = std::move(sizes);
  spec.virtual_channels = virtual_channels;
  return build_topology(std::move(spec));
}

std::unique_ptr<const Topology> generated(const char* name, const std::vector<GivenParameter>& values,
                                          std::uint32_t virtual_channels = 0) {
  TopologySpec spec = generate(*find_generator(name), values);
  spec.virtual_channels = virtual_channels;
  return build_topology(std::move(spec));
}

std::unique_ptr<const Topology> dragonfly(std::uint64_t a, std::uint64_t h, std::uint64_t groups = 0,
                                          std::uint32_t virtual_channels = 0,
                                          const char* wiring = "dragonfly") {
  return generated(wiring, {{"group-routers", a}, {"hosts", 1}, {"global-links", h}, {"groups", groups}},
                   virtual_channels);
}

/// Calls visit(from, to, drawn class, route) for every way between every pair of routers below `ends`.
template <class Visit>
void every_way(const RoutingFunction& routing, std::uint32_t ends, Visit visit) {
  for (std::uint32_t u = 0; u < ends; ++u)
    for (std::uint32_t v = 0; v < ends; ++v) {
      if (u == v) continue;
      const auto choices = routing.choices_between(NodeId{u}, NodeId{v});
      CHECK(std::set<std::uint32_t>(choices.begin(), choices.end()).size() == choices.size());
      for (const std::uint32_t drawn : choices)
        visit(NodeId{u}, NodeId{v}, drawn, walk(routing, NodeId{u}, NodeId{v}, drawn));
    }
}

bool acyclic(const RoutingFunction& routing, std::uint32_t ends) {
  ChannelDependencies dependencies;
  every_way(routing, ends, [&](NodeId u, NodeId v, std::uint32_t drawn, const std::vector<Hop>&) {
    dependencies.add_unicast(routing, u, v, drawn);
  });
  return dependencies.acyclic();
}

/// The dimension and the way of a hop, as 2·dimension, + 1 downwards: by its port, or, where routers have
/// other ports, by which one of the two addresses' coordinates changes.
std::uint32_t way(const Topology& network, const ChannelEnds& ends) {
  if (network.grid() != nullptr) return ends.port.value;
  if (network.spec().family == "hypercube") return 2 * ends.port.value;
  const NamedValues& made = network.spec().generator;
  const auto size = [&](std::uint32_t dimension) {
    const bool cmesh = made.front().second == "cmesh";
    return static_cast<std::uint32_t>(std::stoul(made[cmesh ? dimension + 1 : 1].second));
  };
  const std::uint32_t most = std::max(ends.from, ends.to).value, least = std::min(ends.from, ends.to).value;
  std::uint32_t dimension = 0, stride = 1;
  for (; dimension < 4 && (most - least) % (stride * size(dimension)) == 0; ++dimension)
    stride *= size(dimension);
  CHECK((most - least) / stride < size(dimension));
  return 2 * dimension + (ends.from < ends.to ? 0 : 1);
}

/// Dimensions of hops [first, last), each run once; in a run the hops go one way.
std::vector<std::uint32_t> dimensions(const Topology& network, const std::vector<Hop>& route,
                                      std::size_t first, std::size_t last) {
  std::vector<std::uint32_t> runs;
  std::uint32_t port = 0;
  for (std::size_t i = first; i < last; ++i) {
    const std::uint32_t dimension = way(network, route[i].ends) / 2;
    if (runs.empty() || runs.back() != dimension)
      runs.push_back(dimension);
    else
      CHECK(way(network, route[i].ends) == port);
    port = way(network, route[i].ends);
  }
  return runs;
}

bool ascends(std::vector<std::uint32_t> runs) {
  return std::is_sorted(runs.begin(), runs.end()) &&
         std::adjacent_find(runs.begin(), runs.end()) == runs.end();
}

std::vector<std::unique_ptr<const Topology>> grids() {
  std::vector<std::unique_ptr<const Topology>> all;
  for (const auto& dims : std::vector<std::vector<std::uint64_t>>{{5}, {3, 3}, {4, 2}, {2, 3, 2}})
    all.push_back(make("mesh", dims));
  for (const auto& dims : std::vector<std::vector<std::uint64_t>>{{5}, {6}, {4, 3}, {2, 4}, {3, 2, 2}})
    all.push_back(make("torus", dims));
  all.push_back(make("hypercube", {3}));
  all.push_back(make("hypercube", {4}));
  for (const auto& [width, height] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{3, 4}, {1, 3}, {4, 1}})
    all.push_back(generated("cmesh", {{"width", width}, {"height", height}, {"tile-height", 1}}));
  for (const auto& [arity, dimensions] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{4, 1}, {3, 2}, {2, 3}})
    all.push_back(generated("flattened-butterfly", {{"arity", arity}, {"dimensions", dimensions}}));
  return all;
}

/// Links of every ring of `route` [first, last): VC `base` until the wrap link has been passed, or from the
/// start where the wrap link is not on the way in that ring, `base` + 1.
void check_datelines(const Topology& network, const std::vector<Hop>& route, std::size_t first,
                     std::size_t last, std::uint32_t base) {
  if (network.spec().family != "torus") {
    for (std::size_t i = first; i < last; ++i) CHECK(route[i].vc == base);
    return;
  }
  const Grid& grid = *network.grid();
  for (std::size_t i = first; i < last; ++i) {
    const std::uint32_t port = route[i].ends.port.value;
    bool wraps_later = false;
    for (std::size_t j = i; j < last && route[j].ends.port.value == port; ++j) {
      const std::uint32_t x = grid.coordinate(route[j].ends.from, port / 2);
      wraps_later = wraps_later || (port % 2 == 0 ? x + 1 == grid.dims()[port / 2] : x == 0);
    }
    CHECK(route[i].vc == base + (wraps_later ? 0 : 1));
  }
}

/// In every ring of `route` [first, last) one virtual channel throughout: `base` + 1 for routes in +
/// direction that pass the wrap link there and for those in − direction that do not; `base` for the others.
void check_even_channels(const Topology& network, const std::vector<Hop>& route, std::size_t first,
                         std::size_t last, std::uint32_t base) {
  for (std::size_t i = first; i < last; ++i) {
    const std::uint32_t port = route[i].ends.port.value;
    bool wraps = false;
    for (std::size_t j = first; j < last; ++j) {
      if (network.grid() == nullptr || route[j].ends.port.value != port) continue;
      const std::uint32_t from = network.grid()->coordinate(route[j].ends.from, port / 2);
      const std::uint32_t to = network.grid()->coordinate(route[j].ends.to, port / 2);
      wraps = wraps || (port % 2 == 0) == (to < from);
    }
    const bool upper = network.spec().family == "torus" && wraps == (port % 2 == 0);
    CHECK(route[i].vc == base + (upper ? 1 : 0));
  }
}

}  // namespace

TEST_CASE("dimension-order on generated grids: shortest, the first dimension first, no dependency cycle") {
  for (const auto& network : grids()) {
    if (network->spec().family != "graph") continue;
    CAPTURE(network->name());
    const auto routing = bind_routing("dimension-order", *network);
    every_way(*routing, network->routers(),
              [&](NodeId u, NodeId v, std::uint32_t, const std::vector<Hop>& route) {
                CHECK(route.size() == network->distance(u, v));
                CHECK(route.size() == routing->distance(u, v));
                CHECK(ascends(dimensions(*network, route, 0, route.size())));
              });
    CHECK(acyclic(*routing, network->routers()));
  }
}

TEST_CASE("yx: shortest, the last dimension first, no dependency cycle") {
  for (const auto& network : grids()) {
    CAPTURE(network->name());
    const auto routing = bind_routing("yx", *network);
    every_way(*routing, network->routers(),
              [&](NodeId u, NodeId v, std::uint32_t, const std::vector<Hop>& route) {
                CHECK(route.size() == network->distance(u, v));
                auto runs = dimensions(*network, route, 0, route.size());
                std::reverse(runs.begin(), runs.end());
                CHECK(ascends(runs));
                check_datelines(*network, route, 0, route.size(), 0);
              });
    CHECK(acyclic(*routing, network->routers()));
  }
}

TEST_CASE("o1turn: shortest, both orders, each on its own virtual channels") {
  for (const auto& network : grids()) {
    CAPTURE(network->name());
    const auto routing = bind_routing("o1turn", *network);
    const std::uint32_t each = network->spec().family == "torus" ? 2 : 1;
    CHECK(routing->virtual_channels() == 2 * each);
    every_way(*routing, network->routers(),
              [&](NodeId u, NodeId v, std::uint32_t drawn, const std::vector<Hop>& route) {
                CHECK(route.size() == network->distance(u, v));
                auto runs = dimensions(*network, route, 0, route.size());
                if (drawn == 1) std::reverse(runs.begin(), runs.end());
                CHECK(ascends(runs));
                check_datelines(*network, route, 0, route.size(), drawn * each);
              });
    CHECK(acyclic(*routing, network->routers()));
  }
  CHECK_FALSE(acyclic(*bind_routing("o1turn", *limited("mesh", {3, 3}, 1)), 9));
}

TEST_CASE("valiant and romm: by way of every router that they may draw, two legs in dimension order") {
  for (const auto& network : grids())
    for (const bool minimal : {false, true}) {
      CAPTURE(network->name());
      CAPTURE(minimal);
      const auto routing = bind_routing(minimal ? "romm" : "valiant", *network);
      const std::uint32_t each = network->spec().family == "torus" ? 2 : 1;
      CHECK(routing->virtual_channels() == 2 * each);
      std::map<std::pair<NodeId, NodeId>, std::set<std::uint32_t>> drawn_routers;
      every_way(*routing, network->routers(),
                [&](NodeId u, NodeId v, std::uint32_t via, const std::vector<Hop>& route) {
                  drawn_routers[{u, v}].insert(via);
                  const std::size_t turn = network->distance(u, NodeId{via});
                  CHECK(route.size() == turn + network->distance(NodeId{via}, v));
                  if (turn > 0) CHECK(route[turn - 1].ends.to == NodeId{via});
                  CHECK(ascends(dimensions(*network, route, 0, turn)));
                  CHECK(ascends(dimensions(*network, route, turn, route.size())));
                  check_even_channels(*network, route, 0, turn, 0);
                  check_even_channels(*network, route, turn, route.size(), each);
                });
      for (const auto& [pair, routers] : drawn_routers)
        for (std::uint32_t m = 0; m < network->routers(); ++m) {
          const bool shortest =
              network->distance(pair.first, NodeId{m}) + network->distance(NodeId{m}, pair.second) ==
              network->distance(pair.first, pair.second);
          CHECK(routers.count(m) == (minimal && !shortest ? 0 : 1));
          if (minimal && !shortest) CHECK_THROWS_AS(routing->first(pair.first, pair.second, m), InputError);
        }
      CHECK(acyclic(*routing, network->routers()));
    }
  for (const char* name : {"valiant", "romm"}) {
    const auto mesh = limited("mesh", {3, 3}, 1);
    CHECK(bind_routing(name, *mesh)->virtual_channels() == 1);
    CHECK_FALSE(acyclic(*bind_routing(name, *mesh), 9));
    CHECK_THROWS_WITH_AS(bind_routing(name, *limited("torus", {4, 4}, 2)),
                         doctest::Contains("needs 4 virtual channels a channel, the topology has 2"),
                         InputError);
  }
}

TEST_CASE("valiant passes its destination on the way to the random router, and comes back") {
  const auto mesh = make("mesh", {4});
  const auto route = walk(*bind_routing("valiant", *mesh), NodeId{0}, NodeId{1}, 3);
  std::vector<NodeId> nodes;
  for (const Hop& hop : route) nodes.push_back(hop.ends.to);
  CHECK(nodes == std::vector<NodeId>{NodeId{1}, NodeId{2}, NodeId{3}, NodeId{2}, NodeId{1}});
}

TEST_CASE("either-way: exactly the shortest ways round each ring, no dependency cycle") {
  for (const auto& dims : std::vector<std::vector<std::uint64_t>>{{4}, {2}, {4, 3}, {4, 6}, {2, 2}}) {
    const auto torus = make("torus", dims);
    CAPTURE(torus->name());
    const auto routing = bind_routing("either-way", *torus);
    std::map<std::pair<NodeId, NodeId>, std::set<std::vector<std::uint32_t>>> routes;
    every_way(*routing, torus->routers(),
              [&](NodeId u, NodeId v, std::uint32_t, const std::vector<Hop>& route) {
                CHECK(route.size() == torus->distance(u, v));
                CHECK(ascends(dimensions(*torus, route, 0, route.size())));
                check_even_channels(*torus, route, 0, route.size(), 0);
                std::vector<std::uint32_t> channels;
                for (const Hop& hop : route) channels.push_back(hop.channel);
                routes[{u, v}].insert(channels);
              });
    const Grid& grid = *torus->grid();
    for (const auto& [pair, found] : routes) {
      std::size_t ways = 1;
      for (std::uint32_t d = 0; d < grid.dimensions(); ++d) {
        const std::uint32_t size = grid.dims()[d];
        const std::uint32_t up =
            (grid.coordinate(pair.second, d) + size - grid.coordinate(pair.first, d)) % size;
        if (2 * up == size) ways *= 2;
      }
      CHECK(found.size() == ways);
    }
    CHECK(acyclic(*routing, torus->routers()));
  }
  CHECK_THROWS_AS(bind_routing("either-way", *make("torus", {4, 4}))->first(NodeId{0}, NodeId{1}, 1),
                  InputError);
}

TEST_CASE("dragonfly: local, global, local; a virtual channel for each global link passed") {
  for (const auto& [a, h, groups] : std::vector<std::array<std::uint64_t, 3>>{
           {2, 1, 0}, {4, 2, 0}, {3, 2, 4}, {2, 3, 3}, {4, 1, 2}, {1, 4, 3}, {3, 1, 1}})
    for (const char* wiring : {"dragonfly", "dragonfly-absolute", "dragonfly-palm-tree"}) {
      const auto network = dragonfly(a, h, groups, 0, wiring);
      CAPTURE(network->name());
      const auto group = [size = a](NodeId router) { return router.value / size; };
      std::map<std::pair<std::uint64_t, std::uint64_t>, std::set<std::uint32_t>> between;  // global channels
      for (std::uint32_t c = 0; c < network->channel_bound(); ++c)
        if (const auto ends = network->ends(ChannelId{c}); group(ends->from) != group(ends->to))
          between[{group(ends->from), group(ends->to)}].insert(c);
      for (const bool valiant : {false, true}) {
        const auto routing = bind_routing(valiant ? "dragonfly-valiant" : "dragonfly-minimal", *network);
        std::map<std::pair<NodeId, NodeId>, std::set<std::vector<std::uint32_t>>> global_channels;
        every_way(*routing, network->routers(),
                  [&](NodeId u, NodeId v, std::uint32_t, const std::vector<Hop>& route) {
                    std::uint32_t passed = 0, local = 0;
                    std::vector<std::uint32_t> globals;
                    for (const Hop& hop : route) {
                      CHECK(hop.vc == passed);
                      if (group(hop.ends.from) == group(hop.ends.to)) {
                        CHECK(++local == 1);
                        continue;
                      }
                      local = 0;
                      ++passed;
                      globals.push_back(hop.channel);
                    }
                    CHECK(passed <= (group(u) == group(v) ? 0U : valiant ? 2U : 1U));
                    global_channels[{u, v}].insert(globals);
                  });
        for (const auto& [pair, found] : global_channels) {
          const auto from = group(pair.first), to = group(pair.second);
          std::set<std::vector<std::uint32_t>> expected;
          if (from == to) expected.insert(std::vector<std::uint32_t>{});
          for (const std::uint32_t direct : between[{from, to}]) expected.insert({direct});
          for (std::uint64_t m = 0; valiant && from != to && m < network->routers() / a; ++m) {
            if (m == from || m == to) continue;
            for (const std::uint32_t one : between[{from, m}])
              for (const std::uint32_t other : between[{m, to}]) expected.insert({one, other});
          }
          CHECK(found == expected);
        }
        CHECK(acyclic(*routing, network->routers()));
      }
    }
  const auto one_channel = dragonfly(2, 1, 0, 1);
  CHECK_FALSE(acyclic(*bind_routing("dragonfly-minimal", *one_channel), one_channel->routers()));
  CHECK_THROWS_AS(bind_routing("dragonfly-valiant", *dragonfly(2, 1, 0, 2)), InputError);
}

TEST_CASE("fat-tree-random-up: all shortest ways, each once, up and then down") {
  for (const auto& [arity, levels] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{2, 1}, {2, 2}, {2, 3}, {3, 2}, {3, 3}, {2, 4}}) {
    const auto tree = generated("fat-tree", {{"arity", arity}, {"levels", levels}});
    CAPTURE(tree->name());
    const auto routing = bind_routing("fat-tree-random-up", *tree);
    const auto lowest = static_cast<std::uint32_t>(tree->routers() / levels);
    std::map<std::pair<NodeId, NodeId>, std::set<std::vector<std::uint32_t>>> routes;
    every_way(*routing, lowest, [&](NodeId u, NodeId v, std::uint32_t, const std::vector<Hop>& route) {
      CHECK(route.size() == tree->distance(u, v));
      std::vector<std::uint32_t> channels;
      for (const Hop& hop : route) channels.push_back(hop.channel);
      CHECK(routes[{u, v}].insert(channels).second);
    });
    for (const auto& [pair, found] : routes) {  // shortest paths, counted backwards from the far end
      std::map<NodeId, std::uint64_t> paths{{pair.second, 1}};
      for (std::uint32_t hops = 1; hops <= tree->distance(pair.first, pair.second); ++hops)
        for (std::uint32_t r = 0; r < tree->routers(); ++r) {
          if (tree->distance(NodeId{r}, pair.second) != hops) continue;
          for (std::uint32_t p = 0; p < tree->ports(); ++p)
            if (const auto near = tree->neighbour(NodeId{r}, PortId{p});
                near && tree->distance(*near, pair.second) + 1 == hops)
              paths[NodeId{r}] += paths[*near];
        }
      CHECK(found.size() == paths[pair.first]);
    }
    CHECK(acyclic(*routing, lowest));
    CHECK_THROWS_AS(routing->first(NodeId{0}, NodeId{0}, lowest), InputError);
    if (levels > 1) CHECK_THROWS_AS(routing->first(NodeId{0}, NodeId{lowest}, 0), InputError);
  }
}

TEST_CASE(
    "dragonfly-ugal: the source chooses between the minimal way and the one drawn, no router after it") {
  for (const auto& [a, h, groups] :
       std::vector<std::array<std::uint64_t, 3>>{{2, 1, 0}, {4, 2, 0}, {2, 3, 3}}) {
    const auto network = dragonfly(a, h, groups);
    CAPTURE(network->name());
    const auto ugal = bind_routing("dragonfly-ugal", *network);
    const auto valiant = bind_routing("dragonfly-valiant", *network);
    const auto minimal = bind_routing("dragonfly-minimal", *network);
    CHECK(ugal->adaptive());
    CHECK(ugal->draws());
    std::size_t choices = 0;
    for (std::uint32_t u = 0; u < network->routers(); ++u)
      for (std::uint32_t v = 0; v < network->routers(); ++v) {
        if (u == v) continue;
        const NodeId from{u}, to{v};
        CHECK(ugal->choices_between(from, to) == valiant->choices_between(from, to));
        for (const std::uint32_t drawn : ugal->choices_between(from, to)) {
          std::vector<RoutingCandidate> offered;
          const RoutingState first = ugal->first(from, to, drawn);
          ugal->candidates(from, first, to, offered);
          REQUIRE(!offered.empty());
          CHECK(offered.size() <= (ugal->queues_decide(first) ? 2U : 1U));
          choices += offered.size() - 1;
          for (const RoutingCandidate& start : offered) {
            std::uint32_t hops = 1, most = start.vc_begin;
            NodeId at = start.to;
            RoutingState state = start.state;
            for (; at != to; ++hops) {
              CHECK_FALSE(ugal->queues_decide(state));
              std::vector<RoutingCandidate> next;
              ugal->candidates(at, state, to, next);
              REQUIRE(next.size() == 1);
              CHECK(next[0].vc_begin >= most);
              most = next[0].vc_begin;
              at = next[0].to;
              state = next[0].state;
            }
            if (offered.size() == 2) CHECK(hops == start.hops);
          }
          if (offered.size() == 2) {
            CHECK(offered[0].channel != offered[1].channel);
            const RoutingStep other = valiant->next(from, valiant->first(from, to, drawn), to);
            CHECK(offered[1].channel == other.channel);
          }
          const auto links = static_cast<std::uint32_t>(minimal->choices_between(from, to).size());
          const RoutingStep direct =
              minimal->next(from, minimal->first(from, to, offered.size() == 2 ? drawn % links : 0), to);
          if (offered.size() == 2) CHECK(offered[0].channel == direct.channel);
        }
      }
    CHECK(choices > 0);
  }
  CHECK_THROWS_AS(bind_routing("dragonfly-ugal", *dragonfly(2, 1, 0, 2)), InputError);
  CHECK(bind_routing("dragonfly-ugal", *dragonfly(2, 1, 0, 1))->virtual_channels() == 1);
}

TEST_CASE("dragonflies whose groups are not fully linked: shortest ways in a group, a channel for each hop") {
  // Five groups of 2×3 routers, each linked with those of its row and of its column, as in a Cray XC.
  TopologySpec spec;
  spec.family = "graph";
  GraphSpec& graph = spec.graph;
  graph.routers = 30;
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    graph.links.emplace_back();
    graph.links.back().ends = {a, b};
  };
  for (std::uint32_t r = 0; r < 30; ++r) {
    graph.hosts.push_back(r);
    graph.groups.push_back(r / 6);
    for (std::uint32_t other = r + 1; other < (r / 6 + 1) * 6; ++other)
      if (r / 3 == other / 3 || r % 3 == other % 3) link(r, other);
    if (const std::uint32_t step = r % 6, group = r / 6 + step; step > 0 && group < 5)
      link(r, group * 6 + 5 - step);
  }
  const auto network = build_topology(spec);
  for (const bool valiant : {false, true}) {
    const auto routing = bind_routing(valiant ? "dragonfly-valiant" : "dragonfly-minimal", *network);
    CHECK(routing->virtual_channels() == (valiant ? 6 : 4));
    std::size_t longest = 0;
    every_way(*routing, 30, [&](NodeId u, NodeId v, std::uint32_t, const std::vector<Hop>& route) {
      longest = std::max(longest, route.size());
      if (u.value / 6 == v.value / 6) CHECK(route.size() == network->distance(u, v));
    });
    CHECK(longest == (valiant ? 8 : 5));
    CHECK(acyclic(*routing, 30));
  }
  spec.virtual_channels = 1;
  const auto one_channel = build_topology(spec);
  CHECK_FALSE(acyclic(*bind_routing("dragonfly-minimal", *one_channel), 30));

  const auto refusal = [](TopologySpec changed) {
    const auto other = build_topology(std::move(changed));
    try {
      bind_routing("dragonfly-minimal", *other);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("bound");
  };
  TopologySpec apart = spec;
  std::erase_if(apart.graph.links, [](const GraphLink& one) { return one.ends[0] < 6 && one.ends[1] >= 6; });
  CHECK(refusal(apart).find("no link leads from group") != std::string::npos);
  TopologySpec pieces = spec;
  pieces.graph.links.erase(pieces.graph.links.begin(), pieces.graph.links.begin() + 3);
  CHECK(refusal(pieces).find("not every router of group 0 reaches the others within it") !=
        std::string::npos);
  TopologySpec gap = spec;
  for (std::uint32_t& group : gap.graph.groups) group += group == 4 ? 1 : 0;
  CHECK(refusal(gap).find("group 4 has no routers") != std::string::npos);
  TopologySpec none = spec;
  none.graph.groups.clear();
  CHECK(refusal(none).find("it needs the groups of its routers") != std::string::npos);
}

TEST_CASE("a graph whose links are not its generator's is refused") {
  TopologySpec spec = generate(*find_generator("fat-tree"), {{"arity", 2}, {"levels", 2}});
  spec.graph.links.pop_back();
  const auto network = build_topology(spec);
  CHECK_THROWS_WITH_AS(bind_routing("fat-tree-random-up", *network),
                       doctest::Contains("its links are not those of the fat-tree that its generator says"),
                       InputError);
  CHECK_THROWS_WITH_AS(bind_routing("fat-tree-random-up", *make("mesh", {4})),
                       doctest::Contains("it needs a fat-tree of gen-topology"), InputError);
}

}  // namespace wormcast::oblivious_test

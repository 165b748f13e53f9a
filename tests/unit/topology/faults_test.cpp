// Networks with faults: what goes, what stays, and that random faults leave one piece.
// SPDX-License-Identifier: MIT
#include "topology/faults.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "routing/forwarding_tables.hpp"
#include "topology/error.hpp"
#include "topology/generator.hpp"
#include "topology/random.hpp"
#include "unit/networks.hpp"

namespace wormcast::faults_test {

using testing::make;

TEST_CASE("a network as a graph has the same neighbours by the same ports") {
  for (const auto& [family, sizes] : {std::pair{"mesh", std::vector<std::uint64_t>{4, 3}},
                                      {"torus", {3, 2, 1}},
                                      {"torus", {2, 2}},
                                      {"hypercube", {4}},
                                      {"ccc", {3}}}) {
    const auto network = make(family, sizes);
    const auto graph = build_topology(as_graph(*network));
    REQUIRE(graph->routers() == network->routers());
    for (std::uint32_t r = 0; r < network->routers(); ++r)
      for (std::uint32_t p = 0; p < network->ports(); ++p) {
        CHECK(graph->neighbour(NodeId{r}, PortId{p}) == network->neighbour(NodeId{r}, PortId{p}));
        if (network->neighbour(NodeId{r}, PortId{p}))
          CHECK(graph->ends(graph->channel(NodeId{r}, PortId{p}))->port == PortId{p});
      }
  }
}

TEST_CASE("routers are named by number, coordinates or name") {
  const auto mesh = make("mesh", {4, 3});
  CHECK(router_named(*mesh, "7") == NodeId{7});
  CHECK(router_named(*mesh, "3,1") == NodeId{7});
  CHECK_FALSE(router_named(*mesh, "12"));
  CHECK_FALSE(router_named(*mesh, "4,0"));
  CHECK_FALSE(router_named(*mesh, "3,1,0"));
  CHECK_FALSE(router_named(*mesh, "3,"));
  CHECK(router_name(*mesh, NodeId{7}) == "3,1");
  TopologySpec named = as_graph(*mesh);
  named.graph.names[5] = "twice";
  named.graph.names[6] = "twice";
  const auto graph = build_topology(named);
  CHECK(router_named(*graph, "3,1") == NodeId{7});
  CHECK_FALSE(router_named(*graph, "twice"));
}

TEST_CASE("a text that is a number of one router and a name of another means neither") {
  const auto cube = make("hypercube", {3});
  Faults faults;
  faults.routers = {"2"};
  const auto left = build_topology(with_faults(*cube, faults));
  CHECK(router_named(*left, "1") == NodeId{1});
  CHECK_FALSE(router_named(*left, "5"));  // node 5 was 6, and what was 5 is 4
  CHECK(router_named(*left, "name:5") == NodeId{4});
  CHECK(router_named(*left, "number:5") == NodeId{5});
  CHECK(router_named(*left, "7") == NodeId{6});
  CHECK_FALSE(router_named(*left, "2"));
  CHECK_FALSE(router_named(*left, "name:2"));
  CHECK_FALSE(router_named(*left, "number:7"));
  CHECK_FALSE(router_named(*left, ""));
}

TEST_CASE("faults take out what they name and nothing else") {
  const auto mesh = make("mesh", {4, 3});
  Faults faults;
  faults.links = {"1,1,2,1", "0,4"};
  faults.routers = {"3,2"};
  const TopologySpec left = with_faults(*mesh, faults);
  CHECK(left.graph.routers == 11);
  CHECK(left.graph.links.size() == 17 - 2 - 2);
  CHECK(std::set<std::string>(left.graph.names.begin(), left.graph.names.end()).count("3,2") == 0);
  const auto graph = build_topology(left);
  for (std::uint32_t r = 0; r < graph->routers(); ++r) {
    const NodeId before = *router_named(*mesh, left.graph.names[r]);
    for (std::uint32_t p = 0; p < graph->ports(); ++p) {
      const auto to = graph->neighbour(NodeId{r}, PortId{p});
      if (to) CHECK(left.graph.names[to->value] == router_name(*mesh, *mesh->neighbour(before, PortId{p})));
    }
  }
  faults.links = {"0,6"};
  CHECK_THROWS_AS(with_faults(*mesh, faults), InputError);
}

TEST_CASE("random faults leave one piece, as many as asked for, the same for the same seed") {
  const auto torus = make("torus", {4, 4});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Faults faults;
    faults.random = seed % 18;
    faults.seed = seed;
    const TopologySpec left = with_faults(*torus, faults);
    CHECK(left.failed.size() == seed % 18);
    const auto rest = build_topology(left);
    for (std::uint32_t r = 0; r < 16; ++r) CHECK(rest->distance(NodeId{0}, NodeId{r}) != unreachable);
    CHECK(with_faults(*torus, faults).failed == left.failed);
  }
  Faults faults;
  faults.random = 18;
  CHECK_THROWS_AS(with_faults(*torus, faults), InputError);
}

namespace {

/// The definition: draw a link of those not yet tried, take it out if its ends still reach each other.
std::vector<bool> gone_one_by_one(const GraphSpec& graph, std::uint64_t wanted, std::uint64_t seed) {
  std::vector<std::size_t> candidates(graph.links.size());
  std::iota(candidates.begin(), candidates.end(), 0U);
  std::vector<bool> gone(graph.links.size());
  Random random = RandomStreams(seed, "faults").stream(0);
  for (std::uint64_t removed = 0; removed < wanted && !candidates.empty();) {
    const auto drawn = static_cast<std::ptrdiff_t>(random.below(candidates.size()));
    const std::size_t link = candidates[static_cast<std::size_t>(drawn)];
    candidates.erase(candidates.begin() + drawn);
    GraphSpec rest = graph;
    rest.links.clear();
    for (std::size_t k = 0; k < graph.links.size(); ++k)
      if (!gone[k] && k != link) rest.links.push_back(graph.links[k]);
    TopologySpec spec;
    spec.family = "graph";
    spec.graph = rest;
    const auto& ends = graph.links[link].ends;
    if (build_topology(spec)->distance(NodeId{ends[0]}, NodeId{ends[1]}) == unreachable) continue;
    gone[link] = true;
    ++removed;
  }
  return gone;
}

}  // namespace

TEST_CASE("random faults are those of the definition, link by link, parts and parallel links included") {
  TopologySpec given = as_graph(*make("torus", {4, 2}));
  given.graph.names.clear();
  std::erase_if(given.graph.links,
                [](const GraphLink& link) { return link.ends[0] == 3 || link.ends[1] == 3; });
  for (GraphLink& link : given.graph.links) link.ports.reset();
  const auto network = build_topology(given);  // router 3 alone, rings of two
  std::uint32_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed)
    for (std::uint64_t wanted = 1; wanted <= 6; ++wanted) {
      Faults faults;
      faults.random = wanted;
      faults.seed = seed;
      const std::vector<bool> gone = gone_one_by_one(given.graph, wanted, seed);
      const TopologySpec left = with_faults(*network, faults);
      REQUIRE(left.graph.links.size() == given.graph.links.size() - wanted);
      for (std::size_t k = 0, kept = 0; k < gone.size(); ++k)
        if (!gone[k]) CHECK(left.graph.links[kept++].ends == given.graph.links[k].ends);
      compared += 1;
    }
  CHECK(compared == 180);
}

TEST_CASE("links keep their ports when others go, also those that name none") {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = 4;
  spec.graph.hosts = {0, 1, 2, 3};
  for (const std::array<std::uint32_t, 2> ends :
       std::vector<std::array<std::uint32_t, 2>>{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}}) {
    spec.graph.links.emplace_back();
    spec.graph.links.back().ends = ends;
  }
  spec.graph.links[3].ports = {7, 5};
  const auto whole = build_topology(spec);
  Faults faults;
  faults.links = {"0,1"};
  const auto left = build_topology(with_faults(*whole, faults));
  std::uint32_t links = 0;
  for (std::uint32_t r = 0; r < whole->routers(); ++r)
    for (std::uint32_t p = 0; p < whole->ports(); ++p) {
      const auto before = whole->neighbour(NodeId{r}, PortId{p});
      const auto after = p < left->ports() ? left->neighbour(NodeId{r}, PortId{p}) : std::nullopt;
      if (after) ++links;
      CHECK(after == (before && r + before->value == 1 ? std::nullopt : before));
    }
  CHECK(links == 8);
}

TEST_CASE("a router that is not named says why") {
  const auto cube = make("hypercube", {3});
  Faults faults;
  faults.routers = {"2"};
  TopologySpec spec = with_faults(*cube, faults);
  spec.graph.names[0] = spec.graph.names[1] = "twice";
  const auto left = build_topology(std::move(spec));
  const auto why = [&](std::string_view text) {
    try {
      return std::to_string(find_router(*left, "--root", text).value);
    } catch (const InputError& error) {
      CHECK(error.field == "--root");
      return std::string(error.what());
    }
  };
  CHECK(why("7") == "6");
  CHECK(why("twice") == "'twice' names several routers of hypercube-3-2");
  CHECK(why("5") == "'5' is a router's number, and the name of router 4; write number:5 or name:5");
  CHECK(why("2") == "'2' is the number of the router called '3'; write number:2 or name:3");
  CHECK(why("8") == "'8' names no router of hypercube-3-2");
}

TEST_CASE("tables of what is left lead, by name and port, where they led, or to nothing") {
  constexpr TableHop none = ForwardingTables::no_hop;
  std::uint32_t kept = 0, lost = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random = RandomStreams(seed, "tables").stream(0);
    TopologySpec spec =
        generate(*find_generator("irregular"), {{"switches", 7}, {"hosts", 2}, {"ports", 6}, {"seed", seed}});
    for (std::uint32_t r = 0; r < spec.graph.routers; ++r)
      spec.graph.names.push_back("s" + std::to_string(r));
    for (std::size_t h = 0; h < spec.graph.hosts.size(); ++h)
      spec.graph.host_names.push_back("h" + std::to_string(h));
    const auto whole = build_topology(std::move(spec));
    const auto& graph = whole->spec().graph;
    // Any hop will do.
    std::vector<RouterTable> tables;
    ForwardingTables before(*whole);
    for (std::uint32_t r = 0; r < whole->routers(); ++r) {
      std::vector<std::vector<HostId>> by(graph.links.size() * 2);
      RouterTable table;
      table.router = NodeId{r};
      std::vector<std::uint32_t> out;
      for (std::uint32_t c = 0; c < by.size(); ++c)
        if (whole->ends(ChannelId{c})->from == table.router) out.push_back(c);
      for (std::uint32_t h = 0; h < whole->hosts(); ++h) {
        if (whole->router_of(HostId{h}) == table.router)
          table.unicast.push_back({~static_cast<TableHop>(h), {HostId{h}}});
        else
          by[out[random.below(out.size())]].push_back(HostId{h});
      }
      for (std::size_t c = 0; c < by.size(); ++c)
        if (!by[c].empty()) table.unicast.push_back({static_cast<TableHop>(c), by[c]});
      before.add(table);
      tables.push_back(std::move(table));
    }
    Faults faults;
    faults.links = {"s" + std::to_string(graph.links[0].ends[0]) + ",s" +
                    std::to_string(graph.links[0].ends[1])};
    faults.routers = {"s" + std::to_string(random.below(7))};
    faults.cores = {"s" + std::to_string(random.below(7))};
    if (faults.routers == faults.cores) continue;
    Survivors survivors;
    const auto left = build_topology(with_faults(*whole, faults, &survivors));
    const std::uint64_t gone = keep_tables(tables, survivors);
    ForwardingTables after(*left);
    for (const RouterTable& table : tables) after.add(table);
    const auto& rest = left->spec().graph;
    // "s3 port 2 to s5", or the host that consumes.
    const auto said = [](const Topology& network, TableHop hop) {
      const GraphSpec& said_of = network.spec().graph;
      if (hop == none) return std::string();
      if (hop < 0) return said_of.host_names[static_cast<std::size_t>(~hop)];
      const auto ends = *network.ends(ChannelId{static_cast<std::uint32_t>(hop)});
      return said_of.names[ends.from.value] + " port " + std::to_string(ends.port.value) + " to " +
             said_of.names[ends.to.value];
    };
    std::uint64_t missing = 0;
    for (std::uint32_t r = 0; r < left->routers(); ++r) {
      const auto old_router = std::find(graph.names.begin(), graph.names.end(), rest.names[r]);
      const NodeId was{static_cast<std::uint32_t>(old_router - graph.names.begin())};
      for (std::uint32_t h = 0; h < whole->hosts(); ++h) {
        const auto now = std::find(rest.host_names.begin(), rest.host_names.end(), graph.host_names[h]);
        const TableHop hop =
            now == rest.host_names.end()
                ? none
                : after.next(NodeId{r}, HostId{static_cast<std::uint32_t>(now - rest.host_names.begin())});
        if (hop == none) {
          ++missing;
          const TableHop led = before.next(was, HostId{h});
          const auto ends = led < 0 ? std::nullopt : whole->ends(ChannelId{static_cast<std::uint32_t>(led)});
          const auto cut = [&](NodeId a, NodeId b) {
            return faults.links.front() == "s" + std::to_string(a.value) + ",s" + std::to_string(b.value);
          };
          CHECK((now == rest.host_names.end() ||
                 (ends && ("s" + std::to_string(ends->to.value) == faults.routers.front() ||
                           cut(ends->from, ends->to) || cut(ends->to, ends->from)))));
        } else {
          CHECK(said(*left, hop) == said(*whole, before.next(was, HostId{h})));
          ++kept;
        }
      }
    }
    CHECK(missing == gone);
    lost += gone > 0 ? 1 : 0;
  }
  CHECK(kept > 1000);
  CHECK(lost > 20);
}

}  // namespace wormcast::faults_test

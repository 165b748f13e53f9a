// Graphs: ports, channels, parallel links, refusals; generators: connected, regular, the same for a seed.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "io/records/topology_record.hpp"
#include "topology/connectivity.hpp"
#include "topology/error.hpp"
#include "topology/generator.hpp"

namespace wormcast::graph_test {

namespace {

GraphLink link(std::uint32_t a, std::uint32_t b) {
  GraphLink one;
  one.ends = {a, b};
  return one;
}

TopologySpec triangle() {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = 3;
  spec.graph.hosts = {0, 0, 1, 1, 2, 2};
  spec.graph.links = {link(0, 1), link(0, 2), link(1, 2)};
  return spec;
}

std::string round_trip(const std::string& record) {
  io::JsonText json;
  json.parse(record);
  const auto topology = build_topology(io::read_topology_record(json.root()));
  io::RecordLine line;
  return std::string(io::write_topology_record(*topology, line));
}

std::string refusal(TopologySpec spec) {
  try {
    build_topology(std::move(spec));
  } catch (const InputError& error) {
    return error.field;
  }
  return "accepted";
}

std::unique_ptr<const Topology> make(std::string_view generator, const std::vector<GivenParameter>& given) {
  return build_topology(generate(*find_generator(generator), given));
}

std::uint32_t reached(const Topology& topology) {
  std::uint32_t count = 0;
  for (std::uint32_t r = 0; r < topology.routers(); ++r)
    count += topology.distance(NodeId{0}, NodeId{r}) == unreachable ? 0 : 1;
  return count;
}

std::vector<std::uint32_t> degrees(const Topology& topology) {
  std::vector<std::uint32_t> all(topology.routers());
  for (const GraphLink& one : topology.spec().graph.links)
    for (const std::uint32_t end : one.ends) ++all[end];
  return all;
}

}  // namespace

TEST_CASE("link k of a graph is channel 2k forward and 2k+1 back") {
  const auto graph = build_topology(triangle());
  CHECK(graph->hosts_have_links());
  CHECK_FALSE(graph->labelled());
  CHECK(graph->channel_bound() == 6);
  CHECK(graph->hosts() == 6);
  CHECK(graph->router_of(HostId{3}) == NodeId{1});
  const std::uint32_t expected[6][2] = {{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 2}, {2, 1}};
  for (std::uint32_t c = 0; c < 6; ++c) {
    const auto ends = graph->ends(ChannelId{c});
    REQUIRE(ends);
    CHECK(ends->from.value == expected[c][0]);
    CHECK(ends->to.value == expected[c][1]);
    CHECK(graph->channel(ends->from, ends->port) == ChannelId{c});
    CHECK(graph->neighbour(ends->from, ends->port) == ends->to);
  }
  CHECK_FALSE(graph->ends(ChannelId{6}));
}

TEST_CASE("parallel links are separate channels and given ports are kept") {
  TopologySpec spec = triangle();
  spec.graph.links = {link(0, 1), link(1, 0), link(1, 2)};
  spec.graph.links[0].ports = {{5, 0}};
  spec.graph.links[2].own[LinkValue::hop_cycles] = {3, 4};
  const auto graph = build_topology(std::move(spec));
  CHECK(graph->ports() == 6);
  CHECK(graph->neighbour(NodeId{0}, PortId{5}) == NodeId{1});
  CHECK(graph->channel(NodeId{0}, PortId{5}) == ChannelId{0});
  CHECK(graph->neighbour(NodeId{0}, PortId{0}) == NodeId{1});  // link 1 takes the lowest free port
  CHECK(graph->channel(NodeId{0}, PortId{0}) == ChannelId{3});
  CHECK_FALSE(graph->neighbour(NodeId{0}, PortId{1}));
  CHECK(graph->neighbour(NodeId{1}, PortId{1}) == NodeId{0});
  CHECK(graph->neighbour(NodeId{1}, PortId{2}) == NodeId{2});
  CHECK_FALSE(graph->links_alike());
  CHECK(graph->own(LinkValue::hop_cycles, ChannelId{4}, 1) == 3);
  CHECK(graph->own(LinkValue::hop_cycles, ChannelId{5}, 1) == 4);
  CHECK(graph->own(LinkValue::hop_cycles, ChannelId{0}, 7) == 7);
  for (std::uint32_t c = 0; c < graph->channel_bound(); ++c)
    CHECK(graph->channel(graph->ends(ChannelId{c})->from, graph->ends(ChannelId{c})->port) == ChannelId{c});
}

TEST_CASE("graph records are read back byte for byte") {
  const std::string plain =
      R"({"kind":"topology","format":1,"family":"graph","routers":3,"hosts":[0,2],"links":[{"ends":[0,1]},{"ends":[1,2]}]})"
      "\n";
  CHECK(round_trip(plain) == plain);
  const std::string full =
      R"({"kind":"topology","format":1,"family":"graph","routers":2,"hosts":[1,1,0],)"
      R"("links":[{"ends":[0,1],"ports":[3,1],"hop_cycles":[2,5]},{"ends":[1,0]}],"root":1,"virtual_channels":4,)"
      R"("labels":[1,0],"names":["a","b"],"host_names":["x","y","z"],"generator":{"name":"irregular","seed":"7"}})"
      "\n";
  CHECK(round_trip(full) == full);
}

TEST_CASE("graphs that are none are refused") {
  TopologySpec spec = triangle();
  spec.graph.links[1] = link(2, 2);
  CHECK(refusal(spec) == "links[1].ends");
  spec = triangle();
  spec.graph.links[2] = link(1, 3);
  CHECK(refusal(spec) == "links[2].ends");
  spec = triangle();
  spec.graph.hosts[5] = 3;
  CHECK(refusal(spec) == "hosts[5]");
  spec = triangle();
  spec.graph.links[0].ports = {{1, 0}};
  spec.graph.links[1].ports = {{1, 0}};
  CHECK(refusal(spec) == "links[1].ports");
  spec = triangle();
  spec.graph.links[0].own[LinkValue::hop_cycles] = {1, 0};
  CHECK(refusal(spec) == "links[0].hop_cycles");
  spec = triangle();
  spec.graph.links[0].own[LinkValue::virtual_channels] = {2, 2};
  CHECK(refusal(spec) == "links[0].virtual_channels");  // the network says none
  spec = triangle();
  spec.root = 3;
  CHECK(refusal(spec) == "root");
  spec = triangle();
  spec.graph.names = {"only one"};
  CHECK(refusal(spec) == "names");
  spec = triangle();
  spec.labels = {0, 1, 1};
  CHECK(refusal(spec) == "labels[2]");
  spec = triangle();
  spec.graph.hosts.clear();
  CHECK(refusal(spec) == "hosts");
  spec = triangle();
  spec.labels = {1, 2, 0};
  CHECK(refusal(spec) == "accepted");
  const char* records[] = {
      R"({"kind":"topology","format":1,"family":"graph","routers":2,"hosts":[0]})",
      R"({"kind":"topology","format":1,"family":"graph","dims":[2],"routers":2,"hosts":[0],"links":[]})",
      R"({"kind":"topology","format":1,"family":"mesh","dims":[2],"links":[]})",
      R"({"kind":"topology","format":1,"family":"graph","routers":2,"hosts":[0],"links":[{"ends":[0,1,1]}]})"};
  for (const char* record : records) CHECK_THROWS_AS(round_trip(record), InputError);
}

TEST_CASE("irregular networks are connected, without self-loops, and use every port they may") {
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    for (const auto& [switches, ports, hosts, open] : {std::array<std::uint64_t, 4>{1, 4, 4, 0},
                                                       {2, 5, 4, 0},
                                                       {3, 8, 4, 2},
                                                       {8, 8, 4, 1},
                                                       {16, 8, 4, 0},
                                                       {31, 7, 2, 2}}) {
      const auto graph = make(
          "irregular",
          {{"switches", switches}, {"ports", ports}, {"hosts", hosts}, {"open-ports", open}, {"seed", seed}});
      CAPTURE(graph->name());
      REQUIRE(reached(*graph) == switches);
      CHECK(graph->hosts() == switches * hosts);
      std::uint64_t missing = 0;
      for (const std::uint32_t degree : degrees(*graph)) {
        REQUIRE(degree <= ports - hosts - open);
        missing += ports - hosts - open - degree;
      }
      // One stub stays open where their number is odd.
      if (switches > 2) CHECK(missing == switches * (ports - hosts - open) % 2);
    }
}

TEST_CASE("seeds make networks: the same one again, another for another") {
  const auto spec = [](std::uint64_t seed) {
    io::RecordLine line;
    return std::string(
        io::write_topology_record(*make("irregular", {{"switches", 16}, {"seed", seed}}), line));
  };
  CHECK(spec(7) == spec(7));
  CHECK(spec(7).substr(0, 400) != spec(8).substr(0, 400));
}

TEST_CASE("fat trees: every switch but the highest has k links up, distances are even between leaves") {
  const auto tree = make("fat-tree", {{"arity", 3}, {"levels", 3}});
  CHECK(tree->hosts() == 27);
  CHECK(tree->routers() == 27);
  CHECK(tree->spec().root == 18);
  const auto degree = degrees(*tree);
  for (std::uint32_t s = 0; s < 27; ++s) CHECK(degree[s] == (s < 9 ? 3 : s < 18 ? 6 : 3));
  for (std::uint32_t a = 0; a < 27; ++a)
    for (std::uint32_t b = 0; b < 27; ++b) {
      // Hosts that agree in all digits from i+1 upwards meet at level i.
      const std::uint32_t level = a / 3 == b / 3 ? 0 : a / 9 == b / 9 ? 1 : 2;
      CHECK(tree->distance(tree->router_of(HostId{a}), tree->router_of(HostId{b})) == 2 * level);
    }
}

TEST_CASE("dragonflies: balanced ones have diameter 3 and one link between any two groups") {
  const auto dragonfly = make("dragonfly", {{"group-routers", 4}, {"hosts", 2}, {"global-links", 2}});
  CHECK(dragonfly->routers() == 36);
  CHECK(dragonfly->hosts() == 72);
  for (const std::uint32_t degree : degrees(*dragonfly)) CHECK(degree == 5);
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> between;
  for (const GraphLink& one : dragonfly->spec().graph.links)
    if (one.ends[0] / 4 != one.ends[1] / 4) ++between[{one.ends[0] / 4, one.ends[1] / 4}];
  CHECK(between.size() == 36);
  for (const auto& [groups, links] : between) CHECK(links == 1);
  for (std::uint32_t b = 0; b < 36; ++b) CHECK(dragonfly->distance(NodeId{0}, NodeId{b}) <= 3);
  const auto few =
      make("dragonfly", {{"group-routers", 4}, {"hosts", 2}, {"global-links", 2}, {"groups", 3}});
  CHECK(reached(*few) == 12);
  for (const std::uint32_t degree : degrees(*few)) CHECK(degree == 5);
}

TEST_CASE("dragonflies: the wirings, port by port") {
  const auto target = [](const std::string& wiring, std::uint32_t group, std::uint32_t port) {
    if (wiring == "dragonfly") return (group + port + 1) % 9;
    if (wiring == "dragonfly-palm-tree") return (group + 9 - port - 1) % 9;
    return port < group ? port : port + 1;
  };
  for (const char* wiring : {"dragonfly", "dragonfly-absolute", "dragonfly-palm-tree"}) {
    const auto network = make(wiring, {{"group-routers", 4}, {"hosts", 1}, {"global-links", 2}});
    std::multiset<std::pair<std::uint32_t, std::uint32_t>> expected, found;  // router, group it leads to
    for (std::uint32_t group = 0; group < 9; ++group)
      for (std::uint32_t port = 0; port < 8; ++port)
        expected.emplace(group * 4 + port / 2, target(wiring, group, port));
    for (const GraphLink& one : network->spec().graph.links)
      for (const auto& [here, there] : {std::pair(0, 1), std::pair(1, 0)})
        if (one.ends[here] / 4 != one.ends[there] / 4) found.emplace(one.ends[here], one.ends[there] / 4);
    CHECK(found == expected);
    for (std::uint32_t r = 0; r < 36; ++r) CHECK(network->spec().graph.groups[r] == r / 4);
  }
}

TEST_CASE("the best root has the least eccentricity") {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = 5;
  spec.graph.hosts = {0};
  spec.graph.links = {link(0, 1), link(1, 2), link(2, 3), link(3, 4)};
  CHECK(best_root(*build_topology(spec)) == 2);
  spec.graph.links.pop_back();
  CHECK_THROWS_AS(best_root(*build_topology(spec)), InputError);
}

TEST_CASE("channels out of a router are those of its ports, in their order, and searches go over them") {
  TopologySpec spec = generate(*find_generator("irregular"), {{"switches", 12}, {"ports", 8}, {"seed", 3}});
  spec.graph.links[5].ports = {65535, 40000};
  const auto network = build_topology(std::move(spec));
  const Adjacency adjacency(*network);
  std::vector<std::uint32_t> hops;
  std::vector<NodeId> reached;
  for (std::uint32_t r = 0; r < network->routers(); ++r) {
    std::vector<std::uint32_t> ports;
    for (const OutChannel& out : adjacency.out(NodeId{r})) {
      CHECK(network->neighbour(NodeId{r}, out.port) == out.to);
      CHECK(network->channel(NodeId{r}, out.port) == out.channel);
      ports.push_back(out.port.value);
    }
    std::vector<std::uint32_t> linked;
    for (std::uint32_t p = 0; p < network->ports(); ++p)
      if (network->neighbour(NodeId{r}, PortId{p})) linked.push_back(p);
    CHECK(ports == linked);
    adjacency.search(NodeId{r}, hops, reached);
    CHECK(reached.size() == network->routers());
    CHECK(reached.front() == NodeId{r});
    for (std::uint32_t other = 0; other < network->routers(); ++other)
      CHECK(hops[other] == network->distance(NodeId{r}, NodeId{other}));
  }
}

TEST_CASE("generators make at most 2^20 switches and 2^22 hosts") {
  const auto refused = [](std::string_view generator, const std::vector<GivenParameter>& given) {
    try {
      generate(*find_generator(generator), given);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("made");
  };
  CHECK(refused("fat-tree", {{"arity", 2}, {"levels", 17}}) == "makes 1114112 switches, at most 1048576");
  CHECK(refused("fat-tree", {{"arity", 2}, {"levels", 22}}) == "makes 46137344 switches, at most 1048576");
  CHECK(refused("irregular", {{"switches", 32768}, {"ports", 200}, {"hosts", 198}}) ==
        "makes 6488064 hosts, at most 4194304");
  CHECK(refused("dragonfly", {{"group-routers", 1024}, {"hosts", 8}, {"global-links", 1}}) ==
        "makes 1049600 switches, at most 1048576");
}

TEST_CASE("generators refuse what they cannot make") {
  CHECK_THROWS_AS(make("irregular", {}), InputError);
  CHECK_THROWS_AS(make("irregular", {{"switches", 3}, {"ports", 5}, {"hosts", 4}}), InputError);
  CHECK_THROWS_AS(make("irregular", {{"switches", 3}, {"arity", 5}}), InputError);
  CHECK_THROWS_AS(make("fat-tree", {{"arity", 1}, {"levels", 2}}), InputError);
  CHECK_THROWS_AS(make("fat-tree", {{"arity", 10}, {"levels", 60}}), InputError);
  CHECK_THROWS_AS(make("dragonfly", {{"group-routers", 2}, {"hosts", 1}, {"global-links", 1}, {"groups", 4}}),
                  InputError);
}

TEST_CASE("what made a network is said under one name each") {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = 1;
  spec.graph.hosts = {0};
  spec.generator = {{"name", "dot"}, {"network", "a"}};
  CHECK(build_topology(spec)->name() == "dot-a");
  spec.generator.emplace_back("name", "gml");
  CHECK_THROWS_AS(build_topology(spec), InputError);
}

}  // namespace wormcast::graph_test

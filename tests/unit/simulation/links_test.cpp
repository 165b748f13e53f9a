// Links with hop cycles of their own, and the use of links that virtual channels share.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "simulation/engine.hpp"
#include "topology/error.hpp"
#include "topology/generator.hpp"
#include "unit/simulation/hand_routes.hpp"

namespace wormcast::links_test {

namespace {

/// Three switches in a row with a host each; the links take 5 and 2 cycles out, 3 and 7 back.
std::unique_ptr<const Topology> row() {
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = 3;
  spec.graph.hosts = {0, 1, 2};
  spec.graph.links.resize(2);
  spec.graph.links[0].ends = {0, 1};
  spec.graph.links[0].own[LinkValue::hop_cycles] = {5, 3};
  spec.graph.links[1].ends = {1, 2};
  spec.graph.links[1].own[LinkValue::hop_cycles] = {2, 7};
  return build_topology(std::move(spec));
}

std::vector<Cycle> arrivals(const Topology& network, const SimulationOptions& options,
                            const std::vector<Routes>& all) {
  const auto engine = make_flit_engine(network, options);
  for (const Routes& routes : all) engine->push(routes);
  engine->finish();
  std::vector<Cycle> result(all.size());
  while (const auto delivery = engine->poll())
    result[delivery->plan.request.id] = delivery->arrival_cycles.front();
  return result;
}

}  // namespace

TEST_CASE("a header takes the hop cycles of each link") {
  const auto network = row();
  SimulationOptions options;
  options.model.buffer_flits = 64;
  options.model.hop_cycles = 4;
  // The host's link and the consuming one take H; the tail follows L − 1 cycles behind.
  const auto out = multicast(0, 0, 9, {path_worm(*network, {0, 1, 2}, {2})});
  const auto back = multicast(1, 0, 9, {path_worm(*network, {2, 1, 0}, {0})});
  CHECK(arrivals(*network, options, {out, back}) == std::vector<Cycle>{4 + 5 + 2 + 4 + 8, 4 + 7 + 3 + 4 + 8});
  CHECK(engine_lack("worm", *network, options) != nullptr);
  CHECK_THROWS_AS(make_worm_engine(*network, options), InputError);
}

TEST_CASE("the links of hosts have hop cycles of their own, each way") {
  TopologySpec spec = row()->spec();
  spec.graph.host_links.resize(3);
  spec.graph.host_links[0].own[LinkValue::hop_cycles] = {11, 6};
  spec.graph.host_links[2].own[LinkValue::hop_cycles] = {13, 9};
  const auto network = build_topology(std::move(spec));
  SimulationOptions options;
  options.model.buffer_flits = 64;
  options.model.hop_cycles = 4;
  const auto out = multicast(0, 0, 9, {path_worm(*network, {0, 1, 2}, {2})});
  const auto back = multicast(1, 0, 9, {path_worm(*network, {2, 1, 0}, {0})});
  const auto middle = multicast(2, 100, 1, {path_worm(*network, {1, 2}, {2})});  // its own link says nothing
  CHECK(arrivals(*network, options, {out, back, middle}) ==
        std::vector<Cycle>{11 + 5 + 2 + 9 + 8, 13 + 7 + 3 + 6 + 8, 100 + 4 + 2 + 9});
}

// By hand: 2x1 chiplets of 3x3 routers, all three rows of which go on over links of H = 4 and F = 2. From
// corner (0,0) to corner (5,2) a header takes the host's link, 4 + 2 mesh links of 1, one of 4 and the link
// to the host: 1 + 6 + 4 + 1 = 12. Behind the narrow link its 16 flits come every 2 cycles, which no link
// before or after slows further: 15 · 2 = 30.
TEST_CASE("chiplets: from corner to corner, by hand") {
  const Generator& chiplets = *find_generator("chiplets");
  TopologySpec spec =
      generate(chiplets, {{"columns", 2}, {"rows", 1}, {"width", 3}, {"height", 3}, {"side-links", 3}});
  const auto graph = build_topology(spec);
  const auto way = [](const Topology& network) {
    return multicast(0, 0, 16, {path_worm(network, {0, 1, 2, 3, 4, 5, 11, 17}, {17})});
  };
  SimulationOptions options;
  CHECK(arrivals(*graph, options, {way(*graph)}) == std::vector<Cycle>{12 + 30});
  // The same as a mesh, whose hosts have no links.
  TopologySpec mesh{"mesh", {6, 3}, 0, {}};
  LinkClass border{.dimension = 0, .every = 3};
  border.own[LinkValue::hop_cycles] = {4, 4};
  border.own[LinkValue::flit_cycles] = {2, 2};
  mesh.link_classes = {border};
  const auto grid = build_topology(mesh);
  CHECK(arrivals(*grid, options, {way(*grid)}) == std::vector<Cycle>{10 + 30});
  CHECK(engine_lack("link", *grid, options) == nullptr);
  // One slot at the end of the narrow link: a flit follows when the one before has left, H later, and its
  // slot is free, C later: every 5 cycles.
  mesh.link_classes[0].own[LinkValue::buffer_flits] = {1, 4};
  const auto shallow = build_topology(mesh);
  CHECK(arrivals(*shallow, options, {way(*shallow)}) == std::vector<Cycle>{10 + 15 * 5});
}

TEST_CASE("shared links: in turn, or who was granted first") {
  const auto mesh = build_topology({"mesh", {3, 1}, 2, {}});
  WormRoute first = path_worm(*mesh, {0, 1, 2}, {2});
  WormRoute second = first;
  for (RouteHop& hop : second.hops)
    if (hop.is_channel()) hop.vc = 1;
  SimulationOptions options;
  options.model.buffer_flits = 40;
  options.model.shared_links = true;
  const std::vector<Routes> both = {multicast(0, 0, 20, {first}), multicast(1, 0, 20, {second})};
  const Cycle alone = arrivals(*mesh, options, {both[0]}).front();
  CHECK(alone == 2 + 19);
  // Flit by flit they take turns: both need about twice as long.
  CHECK(arrivals(*mesh, options, both) == std::vector<Cycle>{alone + 19, alone + 20});
  // The first keeps the link to its end, the second follows.
  options.model.arbitration = Arbitration::first_come;
  CHECK(arrivals(*mesh, options, both) == std::vector<Cycle>{alone, alone + 20});
}

}  // namespace wormcast::links_test

// Pictures: loads from records and from routes, worms of one multicast, layouts.
// SPDX-License-Identifier: MIT
#include "report/pictures/pictures.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "report/pictures/dot_canvas.hpp"
#include "topology/error.hpp"
#include "topology/faults.hpp"

namespace wormcast::pictures_test {

namespace {

std::unique_ptr<const Topology> mesh(std::vector<std::uint64_t> sizes) {
  return build_topology({"mesh", std::move(sizes), 0, {}});
}

/// Routes of one worm from node 0 along channels +x of a 3×1 mesh to nodes 1 and 2.
Routes line_routes() {
  Routes routes;
  routes.plan.planner = "dual-path";
  routes.plan.request.id = 7;
  routes.plan.request.source = HostId{0};
  routes.plan.request.destinations = {HostId{1}, HostId{2}};
  routes.plan.request.length_flits = 10;
  WormRoute worm;
  worm.source = HostId{0};
  worm.hops = {{0, -1, 0, RouteHop::Kind::channel, 0},
               {1, 0, 0, RouteHop::Kind::deliver, 0},
               {4, 0, 0, RouteHop::Kind::channel, 0},
               {2, 2, 0, RouteHop::Kind::deliver, 0}};
  routes.worms = {worm};
  return routes;
}

Subject routes_subject(const Topology& topology, const Routes& routes) {
  Subject subject;
  subject.kind = "routes";
  subject.segment = 1;
  subject.topology = &topology;
  subject.plan = &routes.plan;
  subject.routes = &routes;
  subject.metrics = {{"traffic_channels", 2, 0}};
  return subject;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a picture of routes adds up the flits on each channel") {
  const auto topology = mesh({3, 1});
  const Routes routes = line_routes();
  LoadPicture picture("");
  picture.add(routes_subject(*topology, routes));
  picture.add(routes_subject(*topology, routes));
  const std::string dot = picture.draw();
  CHECK(dot.starts_with("// Draw with: dot -Tsvg"));
  CHECK(dot.find("layout=nop2") != std::string::npos);
  CHECK(has(dot, "t1n0 -> t1n1 [pos=\"e,35.0,-3.0 9.0,-3.0 "));
  CHECK(has(dot, "tooltip=\"channel 0: 20\""));
  CHECK(has(dot, "tooltip=\"channel 4: 20\""));
  // The way back is empty, and on the other side.
  CHECK(has(dot, "t1n1 -> t1n0 [pos=\"35.0,3.0 "));
  CHECK(has(dot, "label=\"flits per channel: 0\""));
  LoadPicture worms("worms");
  worms.add(routes_subject(*topology, routes));
  CHECK(has(worms.draw(), "tooltip=\"channel 4: 1\""));
}

TEST_CASE("channel-load records take the place of routes, and the scale is the greatest load") {
  const auto topology = mesh({3, 1});
  LoadPicture picture("held_cycles");
  for (const auto& [channel, cycles] : {std::pair{0u, 80}, {4u, 10}, {5u, 11}}) {
    Subject subject;
    subject.kind = "channel-load";
    subject.segment = 1;
    subject.topology = topology.get();
    subject.channel = ChannelId{channel};
    subject.metrics = {{"flits", 1, 0}, {"held_cycles", cycles, 0}};
    picture.add(subject);
  }
  const std::string dot = picture.draw();
  CHECK(has(dot, "color=\"#4d0026\", penwidth=3.0, tooltip=\"channel 0: 80\""));
  CHECK(has(dot, "color=\"#fee391\", penwidth=1.25, tooltip=\"channel 4: 10\""));
  CHECK(has(dot, "color=\"#fec44f\", penwidth=1.50, tooltip=\"channel 5: 11\""));
}

TEST_CASE("a picture of worms shows the multicast asked for") {
  const auto topology = mesh({3, 1});
  const Routes routes = line_routes();
  WormPicture picture(7);
  picture.add(routes_subject(*topology, routes));
  const std::string dot = picture.draw();
  CHECK(has(dot, "label=\"dual-path, mesh-3x1, traffic 2\""));
  CHECK(has(dot, "t1n0 [label=\"0\", pos=\"0.0,0.0\", style=filled, fillcolor=\"#202020\""));
  CHECK(has(dot, "t1n2 [label=\"2\", pos=\"88.0,0.0\", style=filled, fillcolor=\"#b7d7f0\""));
  CHECK(has(dot, "tooltip=\"worm 0\""));
  WormPicture other(8);
  other.add(routes_subject(*topology, routes));
  CHECK_THROWS_WITH_AS(other.draw(), doctest::Contains("no routes record has the id 8"), InputError);
}

TEST_CASE("pictures of nothing and unknown metrics are refused") {
  CHECK_THROWS_AS(LoadPicture("latency_cycles"), InputError);
  CHECK_THROWS_WITH_AS(LoadPicture("").draw(), doctest::Contains("no channel is loaded"), InputError);
  CHECK_THROWS_WITH_AS(LoadPicture("held_cycles").draw(), doctest::Contains("channel-load records"),
                       InputError);
}

TEST_CASE("nodes of a layout lie apart, also in many dimensions") {
  std::vector<std::unique_ptr<const Topology>> networks;
  networks.push_back(mesh({4, 3, 3, 2}));
  networks.push_back(build_topology({"hypercube", {6}, 0, {}}));
  for (const auto& topology : networks) {
    const NodeLayout layout(*topology);
    REQUIRE(layout.placed());
    for (std::uint32_t a = 0; a < topology->routers(); ++a)
      for (std::uint32_t b = 0; b < a; ++b) {
        const CanvasPoint p = layout.place(NodeId{a});
        const CanvasPoint q = layout.place(NodeId{b});
        CHECK((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) > 1600);
      }
  }
}

TEST_CASE(
    "a mesh with faults lies as the mesh does, and graphs whose names are no coordinates have no places") {
  const auto whole = mesh({4, 3});
  Faults faults;
  faults.routers = {"0,0"};
  faults.links = {"1,1,2,1"};
  const auto left = build_topology(with_faults(*whole, faults));
  const NodeLayout before(*whole);
  const NodeLayout after(*left);
  REQUIRE(after.placed());
  for (std::uint32_t r = 0; r < left->routers(); ++r) {
    const CanvasPoint p = before.place(NodeId{r + 1});  // one is gone, at the front
    const CanvasPoint q = after.place(NodeId{r});
    CHECK(p.x == q.x);
    CHECK(p.y == q.y);
  }
  DotCanvas canvas;
  canvas.begin_tile(*left, "left");
  canvas.node(NodeId{0}, "");
  CHECK(has(canvas.finish(), "t1n0 [label=\"1,0\", pos="));
  const std::vector<std::vector<std::string>> others = {{"a", "b"},           {"0", "1"},    {"0,0", "0,0"},
                                                        {"0,0", "0,0,1"},     {"0,", "0,1"}, {",1", "0,1"},
                                                        {"0,1", "0,99999999"}};
  for (const auto& names : others) {
    TopologySpec spec;
    spec.family = "graph";
    spec.graph.routers = 2;
    spec.graph.hosts = {0, 1};
    spec.graph.links.emplace_back().ends = {0, 1};
    spec.graph.names = names;
    CHECK(!NodeLayout(*build_topology(spec)).placed());
  }
}

}  // namespace wormcast::pictures_test

// Adaptive routing functions against independent statements: forbidden turns, shortest legal ways found by
// brute force, no dead ends, and circles of dependencies where there are, and are not, to be some.
// SPDX-License-Identifier: MIT
#include "routing/adaptive/adaptive_routing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "routing/up_down.hpp"
#include "topology/error.hpp"
#include "unit/routing/adaptive_paths.hpp"

namespace wormcast::adaptive_test {

using namespace testing;

namespace {

/// Compass of a channel on a 2-D mesh, from the coordinates of its ends.
char direction(const Topology& mesh, ChannelEnds ends) {
  const Grid& grid = *mesh.grid();
  const auto from = grid.coordinates(ends.from);
  const auto to = grid.coordinates(ends.to);
  if (from[0] != to[0]) return from[0] < to[0] ? 'E' : 'W';
  return from[1] < to[1] ? 'N' : 'S';
}

/// The turns that the models forbid, as their papers list them.
bool forbidden(std::string_view model, const Topology& mesh, ChannelEnds before, ChannelEnds after) {
  const std::array<char, 2> turn{direction(mesh, before), direction(mesh, after)};
  const std::string_view name(turn.data(), 2);
  const bool even = mesh.grid()->coordinate(after.from, 0) % 2 == 0;
  if (model == "west-first") return name == "NW" || name == "SW";
  if (model == "north-last") return name == "NE" || name == "NW";
  if (model == "negative-first") return name == "NW" || name == "ES";
  return even ? name == "EN" || name == "ES" : name == "NW" || name == "SW";  // odd-even
}

/// The channels of a worm of that class.
Path path_of_class(const RoutingFunction& routing, NodeId at, NodeId to, std::uint32_t vc_class) {
  Path path;
  RoutingState state = routing.first(at, to, vc_class);
  while (at != to) {
    const RoutingStep step = routing.next(at, state, to);
    path.push_back(step.channel.value);
    at = step.to;
    state = step.state;
  }
  return path;
}

}  // namespace

TEST_CASE("turn models: routers choose among exactly the minimal paths without a forbidden turn") {
  for (const auto& mesh : meshes_in_the_plane())
    for (const char* model : {"west-first", "north-last", "negative-first", "odd-even"}) {
      CAPTURE(mesh->name());
      CAPTURE(model);
      const auto routing = bind_routing(model, *mesh);
      CHECK(routing->adaptive());
      every_pair(*mesh, [&](NodeId u, NodeId v) {
        const auto allowed = [&](const Path& path, ChannelEnds next) {
          return path.empty() || !forbidden(model, *mesh, *mesh->ends(ChannelId{path.back()}), next);
        };
        CHECK(routes(*routing, u, v) == paths(*mesh, u, v, mesh->distance(u, v), allowed));
      });
      CHECK(acyclic(*routing));
    }
}

TEST_CASE("negative-first in many dimensions: no hop downwards after one upwards") {
  for (const auto& network : spaces()) {
    CAPTURE(network->name());
    const auto routing = bind_routing("negative-first", *network);
    const auto up = [&](ChannelEnds ends) { return ends.from < ends.to; };
    every_pair(*network, [&](NodeId u, NodeId v) {
      const auto allowed = [&](const Path& path, ChannelEnds next) {
        return path.empty() || up(next) || !up(*network->ends(ChannelId{path.back()}));
      };
      CHECK(routes(*routing, u, v) == paths(*network, u, v, network->distance(u, v), allowed));
    });
    CHECK(acyclic(*routing));
  }
}

TEST_CASE("fully-adaptive takes every shortest path, and can deadlock") {
  std::vector<std::unique_ptr<const Topology>> all = meshes_in_the_plane();
  append(all, tori());
  append(all, spaces());
  append(all, graphs(false));
  all.push_back(make("ccc", {3}));
  for (const auto& network : all) {
    CAPTURE(network->name());
    const auto routing = bind_routing("fully-adaptive", *network);
    const auto hops = hops_over(*network, [](ChannelEnds) { return true; });
    every_pair(*network, [&](NodeId u, NodeId v) {
      CHECK(routing->distance(u, v) == hops[u.value][v.value]);
      CHECK(routes(*routing, u, v) ==
            paths(*network, u, v, hops[u.value][v.value], [](const Path&, ChannelEnds) { return true; }));
    });
    const Grid* grid = network->grid();
    if (grid == nullptr || grid->dimensions() != 2 || grid->dims()[0] < 2 || grid->dims()[1] < 2) continue;
    CHECK_FALSE(acyclic(*routing));
  }
}

TEST_CASE("minimal-adaptive: every shortest path above the escape, which has no circle") {
  std::vector<std::unique_ptr<const Topology>> all = meshes_in_the_plane();
  append(all, tori());
  append(all, spaces());
  for (const auto& network : all)
    for (const char* name : {"minimal-adaptive", "minimal-adaptive-return"}) {
      CAPTURE(network->name());
      CAPTURE(name);
      const auto routing = bind_routing(name, *network);
      const auto order = bind_routing("dimension-order", *network);
      const std::uint32_t escape_vcs = network->spec().family == "torus" ? 2 : 1;
      CHECK(routing->virtual_channels() == escape_vcs + 1);
      every_pair(*network, [&](NodeId u, NodeId v) {
        CHECK(
            routes(*routing, u, v, [&](const RoutingCandidate& hop) { return hop.vc_begin >= escape_vcs; }) ==
            paths(*network, u, v, network->distance(u, v), [](const Path&, ChannelEnds) { return true; }));
        // The escape is offered from the first hop on, as the last choice, and goes by dimension order.
        CHECK(routes(*routing, u, v, [&](const RoutingCandidate& hop) {
                return hop.vc_begin < escape_vcs && hop.preference > 0;
              }) == routes(*order, u, v));
      });
      const auto adaptive_hop = [&](const WholeRelation::Held& held) { return held.second >= escape_vcs; };
      CHECK(WholeRelation(*routing, adaptive_hop).acyclic());
    }
}

TEST_CASE("minimal-adaptive: a worm stays on the escape, and may leave it in the other form") {
  const auto mesh = make("mesh", {4, 4});
  for (const bool may_return : {false, true}) {
    const auto routing = bind_routing(may_return ? "minimal-adaptive-return" : "minimal-adaptive", *mesh);
    std::vector<RoutingCandidate> all;
    routing->candidates(NodeId{0}, {}, NodeId{15}, all);
    REQUIRE(all.size() == 3);
    CHECK(all.back().vc_end == 1);
    std::vector<RoutingCandidate> later;
    routing->candidates(all.back().to, all.back().state, NodeId{15}, later);
    CHECK(later.size() == (may_return ? 3 : 1));
  }
  // The escape has one virtual channel, whatever the channel has; the rest is the adaptive hops'.
  TopologySpec spec = mesh->spec();
  spec.virtual_channels = 4;
  const auto four = build_topology(spec);
  std::vector<RoutingCandidate> all;
  bind_routing("minimal-adaptive", *four)->candidates(NodeId{0}, {}, NodeId{15}, all);
  CHECK(all.front().vc_begin == 1);
  CHECK(all.front().vc_end == 4);
  spec.virtual_channels = 1;
  const auto one = build_topology(spec);
  CHECK_THROWS_AS(bind_routing("minimal-adaptive", *one), InputError);
}

TEST_CASE(
    "booksim-min-adapt: one route in dimension order, beside an escape by the same, which has no circle") {
  std::vector<std::unique_ptr<const Topology>> all = meshes_in_the_plane();
  append(all, tori());
  for (const auto& network : all) {
    CAPTURE(network->name());
    const bool rings = network->spec().family == "torus";
    const auto routing = bind_routing("booksim-min-adapt", *network);
    const auto order = bind_routing(rings ? "either-way" : "dimension-order", *network);
    const Grid& grid = *network->grid();
    CHECK(routing->virtual_channels() == (rings ? 4 : 2));
    every_pair(*network, [&](NodeId u, NodeId v) {
      const auto adaptive =
          routes(*routing, u, v, [](const RoutingCandidate& hop) { return hop.preference == 0; });
      const auto escape =
          routes(*routing, u, v, [](const RoutingCandidate& hop) { return hop.preference == 1; });
      std::uint32_t negative = 0;  // ties of this pair
      for (std::uint32_t d = 0; d < grid.dimensions(); ++d) {
        const std::uint32_t size = grid.dims()[d];
        if (2 * ((grid.coordinate(v, d) + size - grid.coordinate(u, d)) % size) == size) negative |= 1U << d;
      }
      CHECK(adaptive == std::set<Path>{path_of_class(*order, u, v, rings ? negative : 0)});
      std::set<Path> all_ways;  // either way round each ring where both are as long
      for (std::uint32_t ways = 0; ways <= negative; ++ways)
        if ((ways & ~negative) == 0) all_ways.insert(path_of_class(*order, u, v, rings ? ways : 0));
      CHECK(escape == all_ways);
      for (const std::uint32_t drawn :
           routing->choices_between(u, v)) {  // a worm's own class says which of them
        Path way;
        RoutingState state = routing->first(u, v, drawn);
        for (NodeId at = u; at != v;) {
          std::vector<RoutingCandidate> hops;
          routing->candidates(at, state, v, hops);
          way.push_back(hops.back().channel.value);
          state = hops.back().state;
          at = hops.back().to;
        }
        CHECK(way == path_of_class(*order, u, v, drawn));
      }
      CHECK(routing->choices_between(u, v) == order->choices_between(u, v));
    });
    const auto adaptive_hop = [&](const WholeRelation::Held& held) { return held.second >= (rings ? 2 : 1); };
    CHECK(WholeRelation(*routing, adaptive_hop).acyclic());
  }
  for (const char* family : {"mesh", "torus"}) {
    TopologySpec spec = make(family, {4, 4})->spec();
    spec.virtual_channels = 8;
    const auto network = build_topology(spec);
    const auto routing = bind_routing("booksim-min-adapt", *network);
    std::vector<RoutingCandidate> hops;
    routing->candidates(NodeId{0}, {}, NodeId{5}, hops);
    REQUIRE(hops.size() == 2);
    const bool rings = std::string(family) == "torus";
    CHECK(hops[0].vc_begin == (rings ? 3 : 1));
    CHECK(hops[0].vc_end == (rings ? 4 : 8));
    CHECK(hops[1].vc_end == hops[1].vc_begin + 1);
    routing->candidates(hops[1].to, hops[1].state, NodeId{5}, hops);
    CHECK(hops.size() == 1);  // it stays on the escape
    spec.virtual_channels = rings ? 3 : 1;
    CHECK_THROWS_AS(bind_routing("booksim-min-adapt", *build_topology(spec)), InputError);
  }
}

TEST_CASE("label-adaptive takes every shortest path of monotone label, and no circle") {
  std::vector<std::unique_ptr<const Topology>> all = meshes_in_the_plane();
  append(all, tori());
  append(all, spaces());
  append(all, graphs(true));
  all.push_back(make("mesh", {3, 3}, {0, 1, 2, 7, 8, 3, 6, 5, 4}));  // a spiral
  for (const auto& network : all) {
    CAPTURE(network->name());
    const auto routing = bind_routing("label-adaptive", *network);
    const auto grows = [&](ChannelEnds ends) { return network->label(ends.from) < network->label(ends.to); };
    const auto up = hops_over(*network, grows);
    const auto down = hops_over(*network, [&](ChannelEnds ends) { return !grows(ends); });
    every_pair(*network, [&](NodeId u, NodeId v) {
      const bool rises = network->label(u) < network->label(v);
      const std::uint32_t hops = rises ? up[u.value][v.value] : down[u.value][v.value];
      CHECK(routing->distance(u, v) == hops);
      CHECK(routes(*routing, u, v) ==
            paths(*network, u, v, hops, [&](const Path&, ChannelEnds next) { return grows(next) == rises; }));
    });
    CHECK(acyclic(*routing));
  }
}

TEST_CASE("up-down-adaptive takes every shortest legal path, and no circle") {
  std::vector<std::unique_ptr<const Topology>> all = tori();
  append(all, spaces());
  append(all, graphs(false));
  for (const auto& network : all) {
    CAPTURE(network->name());
    const auto routing = bind_routing("up-down-adaptive", *network);
    const auto hops = hops_over(*network, [](ChannelEnds) { return true; });
    const auto level = [&](NodeId node) { return hops[network->spec().root][node.value]; };
    const auto up = [&](ChannelEnds ends) {
      return std::pair(level(ends.to), ends.to) < std::pair(level(ends.from), ends.from);
    };
    every_pair(*network, [&](NodeId u, NodeId v) {
      const auto legal = [&](const Path& path, ChannelEnds next) {
        return path.empty() || !up(next) || up(*network->ends(ChannelId{path.back()}));
      };
      std::set<Path> shortest;
      std::uint32_t length = hops[u.value][v.value];
      while (shortest.empty()) shortest = paths(*network, u, v, length++, legal);
      CHECK(routing->distance(u, v) == length - 1);
      CHECK(routes(*routing, u, v) == shortest);
      // Unicasts of the form for paths are the same; on arrival it only goes down.
      const auto path_form = bind_routing("up-down-path-adaptive", *network);
      CHECK(routes(*path_form, u, v) == shortest);
    });
    CHECK(acyclic(*routing));
  }
}

TEST_CASE("up-down-path-adaptive only goes down from the first stop on") {
  for (const auto& network : graphs(false)) {
    const auto routing = bind_routing("up-down-path-adaptive", *network);
    every_pair(*network, [&](NodeId u, NodeId v) {
      std::vector<RoutingCandidate> all;
      routing->candidates(u, routing->first(u, v, 0), v, all);
      for (const RoutingCandidate& hop : all) {
        if (hop.to != v) continue;
        every_pair(*network, [&](NodeId at, NodeId next) {
          if (at != v) return;
          std::vector<RoutingCandidate> down;
          routing->candidates(at, hop.state, next, down);
          CHECK(down.empty() == (routing->up_down()->down_distance(at, next) == unreachable));
          for (const RoutingCandidate& one : down)
            CHECK(std::pair(routing->up_down()->level(at), at) <
                  std::pair(routing->up_down()->level(one.to), one.to));
        });
      }
    });
  }
}

TEST_CASE("the one way that an adaptive function gives is one of its candidates, of the length it states") {
  std::vector<std::unique_ptr<const Topology>> all = meshes_in_the_plane();
  append(all, tori());
  append(all, spaces());
  append(all, graphs(true));
  std::size_t bound = 0;
  for (const auto& network : all)
    for (const RoutingEntry* entry : routing_functions()) {
      if (entry->unsupported(*network)) continue;
      CAPTURE(network->name());
      CAPTURE(entry->name);
      const auto routing = bind_routing(entry->name, *network);
      if (!routing->adaptive()) continue;
      ++bound;
      std::vector<RoutingCandidate> candidates;
      every_pair(*network, [&](NodeId at, NodeId to) {
        RoutingState state = routing->first(at, to, 0);
        const std::uint32_t hops = routing->distance(at, to);
        std::uint32_t taken = 0;
        while (at != to) {
          const RoutingStep step = routing->next(at, state, to);
          routing->candidates(at, state, to, candidates);
          CHECK(std::any_of(candidates.begin(), candidates.end(), [&](const RoutingCandidate& hop) {
            return hop.channel == step.channel && hop.vc_begin <= step.vc && step.vc < hop.vc_end &&
                   hop.to == step.to && hop.state.bits == step.state.bits;
          }));
          at = step.to;
          state = step.state;
          ++taken;
        }
        CHECK(taken == hops);
      });
    }
  CHECK(bound > 200);
}

TEST_CASE("forced ports leave the candidates that leave by them, and refuse the others") {
  const auto mesh = make("mesh", {4, 4});
  std::vector<RoutingCandidate> all;
  const auto west_first = bind_routing("west-first", *mesh);
  // From (1,1) to (3,3): east or north.
  west_first->forced_candidates(NodeId{5}, PortId{2}, {}, NodeId{15}, all);
  REQUIRE(all.size() == 1);
  CHECK(all.front().to == NodeId{9});
  CHECK_THROWS_AS(west_first->forced_candidates(NodeId{5}, PortId{1}, {}, NodeId{15}, all), InputError);
  CHECK_THROWS_AS(west_first->forced_candidates(NodeId{0}, PortId{1}, {}, NodeId{15}, all), InputError);
  // The adaptive channel and the escape leave by the same port.
  bind_routing("minimal-adaptive", *mesh)->forced_candidates(NodeId{5}, PortId{0}, {}, NodeId{15}, all);
  CHECK(all.size() == 2);
  // A port of growing label that is on no shortest way: label 0 at (0,0) to label 7 at (0,1), by (1,0).
  const auto label = bind_routing("label-adaptive", *mesh);
  label->forced_candidates(NodeId{0}, PortId{0}, {}, NodeId{4}, all);
  REQUIRE(all.size() == 1);
  CHECK(all.front().to == NodeId{1});
  CHECK_THROWS_AS(label->forced_candidates(NodeId{5}, PortId{3}, {}, NodeId{15}, all), InputError);
  // A deterministic function's candidate is its hop.
  bind_routing("dimension-order", *mesh)->candidates(NodeId{5}, {}, NodeId{15}, all);
  REQUIRE(all.size() == 1);
  CHECK(all.front().to == NodeId{6});
}

}  // namespace wormcast::adaptive_test

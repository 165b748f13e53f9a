// Irregular networks at random: one copy for each destination, acyclic legal turns, contention-free
// steps, disjoint strings, phases. WORMCAST_LONG=1 takes 10,000 networks instead of 250.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "routing/up_down.hpp"
#include "topology/generator.hpp"
#include "unit/long_mode.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::irregular_random_test {

using namespace testing;

namespace {

std::uint64_t networks() { return few_or_many(250u, 10'000u); }

/// A random network; every third has parallel links for certain, every second a random root.
std::unique_ptr<const Topology> random_network(std::uint64_t seed, Dice& dice) {
  const std::uint64_t switches = 1 + dice.below(24);
  const std::uint64_t hosts = 1 + dice.below(6);
  const std::uint64_t links = switches > 1 ? 2 + dice.below(5) : 0;
  TopologySpec spec =
      generate(*find_generator("irregular"),
               {{"switches", switches}, {"hosts", hosts}, {"ports", hosts + links}, {"seed", seed}});
  if (seed % 3 == 0 && !spec.graph.links.empty()) spec.graph.links.push_back(spec.graph.links.front());
  if (seed % 2 == 0) spec.root = dice.below(static_cast<std::uint32_t>(switches));
  return build_topology(std::move(spec));
}

/// Visits random networks of at least two hosts with a random request on each.
template <class Visit>
void on_random_networks(std::uint64_t purpose, Visit visit) {
  Dice dice(purpose);
  for (std::uint64_t seed = 0; seed < networks(); ++seed) {
    const auto network = random_network(seed + purpose, dice);
    if (network->hosts() < 2) continue;
    const Request request = random_request(*network, 1 + dice.below(network->hosts() - 1), dice);
    CAPTURE(network->name());
    CAPTURE(request.source.value);
    visit(*network, request);
  }
}

std::uint32_t phase_count(const std::vector<Worm>& worms) {
  std::vector<std::uint32_t> phase(worms.size());
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < worms.size(); ++i) {
    if (worms[i].after >= 0) phase[i] = phase[static_cast<std::size_t>(worms[i].after)];
    for (std::size_t j = 0; j < i; ++j)
      if (worms[j].source == worms[i].source) phase[i] = std::max(phase[i], phase[j]);
    most = std::max(most, ++phase[i]);
  }
  return most;
}

std::uint32_t ceil_log2(std::size_t m) {
  std::uint32_t steps = 0;
  while ((std::size_t{1} << steps) < m) ++steps;
  return steps;
}

Plan plan_with(std::string_view planner, const Topology& network, const Request& request,
               const PlanOptions& options = {}) {
  return BoundPlanner(*find_planner(planner), network, options).plan(request);
}

/// Channels in an order in which each comes before those that a worm may request while it holds it,
/// as far as there is one; turns(a, b) says whether a worm may go on from a to b.
template <class Turns>
std::size_t ordered_channels(const Topology& network, Turns turns) {
  const std::uint32_t channels = network.channel_bound();
  std::vector<std::uint32_t> before(channels);
  std::vector<std::vector<std::uint32_t>> after(channels);
  for (std::uint32_t a = 0; a < channels; ++a)
    for (std::uint32_t b = 0; b < channels; ++b) {
      if (network.ends(ChannelId{a})->to != network.ends(ChannelId{b})->from || !turns(a, b)) continue;
      after[a].push_back(b);
      ++before[b];
    }
  std::vector<std::uint32_t> ready;
  for (std::uint32_t c = 0; c < channels; ++c)
    if (before[c] == 0) ready.push_back(c);
  for (std::size_t head = 0; head < ready.size(); ++head)
    for (const std::uint32_t b : after[ready[head]])
      if (--before[b] == 0) ready.push_back(b);
  return ready.size();
}

}  // namespace

TEST_CASE("random networks: every scheme delivers one copy to each destination and takes no channel twice") {
  const std::vector<std::pair<std::string_view, PlanOptions>> schemes = {
      {"separate", {}},
      {"binomial", {}},
      {"switch-ordered", {{"chain", "cco"}}},
      {"switch-ordered", {{"chain", "preorder"}}},
      {"switch-ordered", {{"chain", "switch"}}},
      {"u-tree", {}},
      {"mpm-ssr", {{"order", "naive"}}},
      {"mpm-ssr", {{"order", "largest"}}},
      {"mpm-ssr", {{"order", "ranges"}}},
      {"opm", {}},
      {"opm", {{"drop-on-the-way", "yes"}}},
      {"route-paths", {}},
      {"route-tree", {}},
  };
  on_random_networks(1, [&](const Topology& network, const Request& request) {
    for (const auto& scheme : schemes) {
      CAPTURE(scheme.first);
      const BoundPlanner bound(*find_planner(scheme.first), network, scheme.second);
      // expand() refuses plans that miss a destination, deliver one twice or use a channel twice.
      const Routes routes = expand(bound.plan(request), bound.context().routing);
      std::size_t delivered = 0;
      for (const WormRoute& worm : routes.worms)
        for (const RouteHop& hop : worm.hops) delivered += hop.kind == RouteHop::Kind::deliver ? 1 : 0;
      REQUIRE(delivered == request.destinations.size());
    }
  });
}

TEST_CASE("random networks: all legal turns of up*/down* together are acyclic, and every route is legal") {
  std::size_t cyclic = 0;
  on_random_networks(2, [&](const Topology& network, const Request& request) {
    const UpDownSetup setup(network);
    std::vector<bool> up(network.channel_bound());
    for (std::uint32_t r = 0; r < network.routers(); ++r)
      for (const Arc& arc : setup.arcs(NodeId{r})) up[arc.channel.value] = arc.up;
    REQUIRE(ordered_channels(network, [&](std::uint32_t a, std::uint32_t b) { return up[a] || !up[b]; }) ==
            network.channel_bound());
    cyclic +=
        ordered_channels(network, [](std::uint32_t, std::uint32_t) { return true; }) < network.channel_bound()
            ? 1
            : 0;
    for (const std::string_view name : {"up-down", "spanning-tree"}) {
      const auto routing = bind_routing(name, network);
      const NodeId from = network.router_of(request.source);
      for (const HostId host : request.destinations) {
        const NodeId to = network.router_of(host);
        NodeId at = from;
        bool down = false;
        std::uint32_t hops = 0;
        for (RoutingState state = routing->first(at, to, 0); at != to; ++hops) {
          const RoutingStep step = routing->next(at, state, to);
          REQUIRE_FALSE((down && up[step.channel.value]));
          down = !up[step.channel.value];
          at = step.to;
          state = step.state;
        }
        CHECK(hops == routing->distance(from, to));
        CHECK(hops >= network.distance(from, to));
      }
    }
  });
  CHECK(cyclic > networks() / 2);  // the turn rule is what keeps them acyclic
}

TEST_CASE("random networks: u-tree takes the fewest steps, and no two worms of a step share a channel") {
  on_random_networks(3, [&](const Topology& network, const Request& request) {
    const BoundPlanner bound(*find_planner("u-tree"), network, {});
    const Plan plan = bound.plan(request);
    REQUIRE(phase_count(plan.worms) == ceil_log2(request.destinations.size() + 1));
    std::vector<std::uint32_t> phase;
    for (std::size_t i = 0; i < plan.worms.size(); ++i)
      phase.push_back(
          phase_count({plan.worms.begin(), plan.worms.begin() + static_cast<std::ptrdiff_t>(i) + 1}));
    const Routes routes = expand(plan, bound.context().routing);
    std::set<std::pair<std::uint32_t, std::uint32_t>> used;  // step, channel
    for (std::size_t i = 0; i < routes.worms.size(); ++i)
      for (const RouteHop& hop : routes.worms[i].hops)
        if (hop.is_channel()) REQUIRE(used.insert({phase[i], hop.target}).second);
  });
}

TEST_CASE("random networks: strings of a switch are disjoint and make up its reach; whole reaches overlap") {
  std::size_t overlapping = 0;
  std::size_t with_two_links = 0;
  on_random_networks(4, [&](const Topology& network, const Request&) {
    const UpDownSetup setup(network);
    for (std::uint32_t s = 0; s < network.routers(); ++s) {
      const NodeId node{s};
      std::map<NodeId, std::set<std::uint32_t>> strings;  // by the switch that a way down leads to first
      std::vector<std::uint32_t> reaching(network.hosts());
      for (std::uint32_t h = 0; h < network.hosts(); ++h) {
        const NodeId to = network.router_of(HostId{h});
        std::set<NodeId> down;  // the hosts that copies downwards by any link could reach
        for (const Arc& arc : setup.arcs(node))
          if (!arc.up && setup.down_distance(arc.to, to) != unreachable) down.insert(arc.to);
        reaching[h] = static_cast<std::uint32_t>(down.size());
        const Arc* first = setup.next(node, true, to);
        REQUIRE((first != nullptr) == !down.empty());
        if (first != nullptr) strings[first->to].insert(h);
      }
      // A copy that comes by a link goes on to the hosts of its string alone, and nowhere a sibling goes.
      std::map<NodeId, NodeId> taken;
      for (const auto& [link, string] : strings)
        for (const std::uint32_t h : string)
          for (NodeId at = link; at != network.router_of(HostId{h});) {
            at = setup.next(at, true, network.router_of(HostId{h}))->to;
            REQUIRE(taken.try_emplace(at, link).first->second == link);
          }
      if (strings.size() < 2) continue;
      ++with_two_links;
      overlapping += *std::max_element(reaching.begin(), reaching.end()) > 1 ? 1 : 0;
    }
  });
  CHECK(overlapping > with_two_links / 2);
}

TEST_CASE("random networks: phases of mpm-ssr, fewer than unicasts where switches have two destinations") {
  std::uint32_t no_fewer = 0;  // though a switch has two destinations, as others have one
  on_random_networks(5, [&](const Topology& network, const Request& request) {
    std::map<std::uint32_t, std::uint32_t> sizes;
    for (const HostId host : request.destinations) ++sizes[network.router_of(host).value];
    const auto by_size = [](const auto& a, const auto& b) { return a.second < b.second; };
    const std::uint32_t most = std::max_element(sizes.begin(), sizes.end(), by_size)->second;
    const std::uint32_t unicast = ceil_log2(request.destinations.size() + 1);
    const auto phases = [&](const char* order) {
      return phase_count(plan_with("mpm-ssr", network, request, {{"order", order}}).worms);
    };
    const std::uint32_t naive = phases("naive");
    const std::uint32_t largest = phases("largest");
    CHECK(naive <= unicast);
    CHECK(largest <= naive);
    if (most == 1) CHECK(naive == unicast);
    if (request.destinations.size() >= 2 * sizes.size()) CHECK(naive < unicast);  // two on average
    if (most >= 2 && naive == unicast) ++no_fewer;
    CHECK(phases("ranges") >= largest);
  });
  CHECK(no_fewer > 0);
}

TEST_CASE("one-phase multicast turns at the root when no switch but the root has all destinations below") {
  // A star: 0 in the middle, hosts on the leaves.
  TopologySpec spec;
  spec.family = "graph";
  spec.graph.routers = 4;
  spec.graph.hosts = {1, 2, 3};
  for (std::uint32_t leaf = 1; leaf < 4; ++leaf) {
    GraphLink link;
    link.ends = {0, leaf};
    spec.graph.links.push_back(link);
  }
  const auto star = build_topology(std::move(spec));
  const Plan plan = plan_with("opm", *star, request_of(0, {1, 2}));
  REQUIRE(plan.worms.size() == 1);
  const auto& stops = plan.worms[0].stops;
  REQUIRE(stops.size() == 5);
  CHECK(stops[0].node == 0);
  CHECK(stops[0].action == StopAction::branch);
  CHECK(stops[1].parent == 0);
  CHECK(stops[2].node == 1);
  CHECK(stops[2].action == StopAction::deliver);
  CHECK(stops[3].parent == 0);
  CHECK(plan.traffic_channels == 3);
  CHECK(plan.longest_path_hops == 2);
}

}  // namespace wormcast::irregular_random_test

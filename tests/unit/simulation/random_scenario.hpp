// Random small simulations: every topology at hand, planned and arbitrary worms, every parameter.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "topology/generator.hpp"
#include "topology/random.hpp"
#include "unit/simulation/hand_routes.hpp"
#include "unit/simulation/scenario.hpp"

namespace wormcast {

class RandomScenario {
 public:
  /// Crowded: short worms that branch as they please, on small rings, where a deadlock ends the run.
  explicit RandomScenario(std::uint64_t seed, bool crowded = false)
      : random_(RandomStreams(seed, "scenario").stream(0)),
        round_robin_(RandomStreams(seed, "round robin").stream(0).below(3) == 0),
        crowded_(crowded),
        one_vc_(crowded && chance(2)) {}

  Scenario make() {
    Scenario scenario;
    scenario.topology = topology();
    scenario.options = options();
    const std::vector<BoundPlanner> planners = bound_planners(*scenario.topology);
    const std::uint64_t count = 1 + below(12) * (1 + below(4));
    const std::uint64_t longest = 1 + below(crowded_ ? 8 : 40);
    const Cycle gap = chance(4) ? 0 : 1 + below(crowded_ ? 4 : 60);
    Cycle start = below(3);
    for (std::uint64_t id = 0; id < count; ++id) {
      const std::uint64_t flits = 1 + below(longest);
      const bool hosts_are_nodes = !scenario.topology->hosts_have_links();
      Routes routes = !planners.empty() && (!hosts_are_nodes || chance(crowded_ ? 6 : 2))
                          ? planned(planners[below(planners.size())], id, start, flits)
                          : arbitrary(*scenario.topology, id, start, flits);
      if (chance(6)) depend(scenario.routes, routes);
      scenario.routes.push_back(std::move(routes));
      start += below(gap + 1);
    }
    return scenario;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  std::uint32_t small(std::uint64_t bound) { return static_cast<std::uint32_t>(below(bound)); }
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }

  std::unique_ptr<const Topology> topology() {
    if (crowded_) {
      const char* const family = chance(3) ? "torus" : "torus-forward";
      return build_topology(
          {family,
           chance(3) ? std::vector<std::uint64_t>{2 + below(2), 3} : std::vector{3 + below(3)},
           0,
           {}});
    }
    switch (below(7)) {
      case 0:
        return build_topology({"hypercube", {1 + below(4)}, 0, {}});
      case 1:
        return build_topology({"mesh", {1 + below(3), 1 + below(3), 1 + below(3)}, 0, {}});
      case 2:
        return build_topology({"torus", {2 + below(4), 2 + below(4)}, 0, {}});
      case 3:
        return build_topology({"ccc", {3}, 0, {}});
      case 4:
        return build_topology(generate(*find_generator("irregular"), {{"switches", 1 + below(6)},
                                                                      {"ports", 5 + below(3)},
                                                                      {"hosts", 2 + below(2)},
                                                                      {"seed", below(1000)}}));
      default:
        return build_topology({"mesh", {1 + below(5), 1 + below(5)}, 0, {}});
    }
  }

  SimulationOptions options() {
    SimulationOptions options;
    RouterModel& model = options.model;
    model.hop_cycles = 1 + small(4);
    model.routing_cycles = chance(2) ? 0 : small(4);
    model.flit_cycles = 1 + small(3);
    model.credit_cycles = 1 + small(4);
    model.buffer_flits = 1 + small(chance(3) ? 40 : 6);
    model.startup_cycles = chance(2) ? 0 : below(12);
    model.relay_startup_cycles = chance(2) ? 0 : below(12);
    model.overhead_cycles = chance(2) ? 0 : below(4);
    model.header_flits = small(3);
    model.injection_channels = small(3);
    model.consumption_channels = small(4);
    model.consumption_cycles = chance(2) ? 0 : small(model.hop_cycles + model.credit_cycles + 1);
    model.allocation = chance(2) ? Allocation::atomic : Allocation::incremental;
    options.stop_on_deadlock = chance(5);
    model.path_reservation = chance(8);
    if (round_robin_ && !model.path_reservation && model.allocation == Allocation::incremental)
      model.output_arbitration = OutputArbitration::round_robin;
    if (crowded_) {
      options.stop_on_deadlock = true;
      model.path_reservation = false;
      if (chance(2)) model.hop_cycles = model.flit_cycles = model.credit_cycles = 1;
    }
    options.channel_loads = LoadsBy::channel;
    if (chance(4)) options.window = WindowOptions{below(60), 1 + below(200), below(4)};
    if (options.window && chance(2)) {  // few deliveries are enough here
      options.window->warmup_cycles = WindowOptions::kSought;
      options.window->find = WarmupOptions{10, 1 + below(2)};
    }
    return options;
  }

  static std::vector<BoundPlanner> bound_planners(const Topology& topology) {
    std::vector<BoundPlanner> result;
    for (const Planner* planner : planners()) {
      if (topology.hosts() < 2 || planner->name == "unicast" || planner->unsupported(topology)) continue;
      result.emplace_back(*planner, topology, PlanOptions{});
      for (const PlannerParameter& parameter : planner->parameters)
        for (const std::string_view value : std::span(parameter.values).subspan(1))
          if (parameter.name == "replication" || parameter.name == "first-hop")
            result.emplace_back(*planner, topology,
                                PlanOptions{{std::string(parameter.name), std::string(value)}});
    }
    return result;
  }

  Routes planned(const BoundPlanner& planner, std::uint64_t id, Cycle start, std::uint64_t flits) {
    const Topology& net = planner.context().topology;
    Request request;
    request.id = id;
    request.start_cycle = start;
    request.length_flits = flits;
    request.source = HostId{small(net.hosts())};
    std::set<std::uint32_t> hosts;
    const std::uint64_t wanted = 1 + below(std::min<std::uint64_t>(net.hosts() - 1, 6));
    while (hosts.size() < wanted) {
      const std::uint32_t host = small(net.hosts());
      if (host != request.source.value) hosts.insert(host);
    }
    for (const std::uint32_t host : hosts) request.destinations.push_back(HostId{host});
    Plan plan = planner.plan(std::move(request));
    if (chance(3))
      for (Worm& worm : plan.worms) worm.header_flits = small(9);
    return Expander(planner.context().routing).expand(std::move(plan));
  }

  /// Worms that wander and branch as they please, some of them after others.
  Routes arbitrary(const Topology& net, std::uint64_t id, Cycle start, std::uint64_t flits) {
    std::vector<WormRoute> worms;
    std::set<std::uint32_t> consumed;
    const std::uint64_t count = 1 + below(3);
    const HostId source{small(net.hosts())};
    for (std::uint64_t i = 0; i < count; ++i) {
      WormRoute worm;
      worm.source = source;
      if (!worms.empty() && chance(2)) {  // from where an earlier worm was consumed
        const auto before = small(worms.size());
        for (const RouteHop& hop : worms[before].hops)
          if (!hop.is_channel()) worm.source = HostId{hop.target};
        worm.after = static_cast<std::int32_t>(before);
      }
      std::set<std::uint32_t> reached = consumed;
      if (!wander(net, worm, reached)) continue;
      worms.push_back(std::move(worm));
      consumed = std::move(reached);
    }
    if (consumed.empty()) {
      worms.clear();
      WormRoute self;
      self.source = source;
      self.hops.push_back({source.value, -1, 0, RouteHop::Kind::deliver});
      worms.push_back(self);
    }
    return multicast(id, start, flits, std::move(worms));
  }

  /// Fills the hops; false if no host is left that could be reached.
  bool wander(const Topology& net, WormRoute& worm, std::set<std::uint32_t>& consumed) {
    const std::uint64_t shape = below(3);  // path, asynchronous, lock-step
    const bool branches = shape > 0 && !chance(3);
    worm.replication = shape == 0 ? Copies::unstated : shape == 1 ? Copies::asynchronous : Copies::lock_step;
    const std::uint32_t vcs = one_vc_ ? 1 : 1 + small(2);
    std::vector<std::pair<std::uint32_t, std::int32_t>> ends = {{worm.source.value, -1}};  // node, its hop
    std::set<std::pair<std::uint32_t, std::uint32_t>> used;
    std::set<std::uint32_t> taken;  // nodes where this worm is consumed
    std::vector<bool> followed;
    const std::uint64_t steps = 1 + below(8);
    for (std::uint64_t i = 0; i < steps; ++i) {
      const auto [node, parent] = branches ? ends[below(ends.size())] : ends.back();
      const PortId port{small(net.ports())};
      const auto to = net.neighbour(NodeId{node}, port);
      const std::uint32_t vc = small(vcs);
      if (!to || !used.emplace(net.channel(NodeId{node}, port).value, vc).second) continue;
      ends.emplace_back(to->value, static_cast<std::int32_t>(worm.hops.size()));
      worm.hops.push_back({net.channel(NodeId{node}, port).value, parent, vc});
      if (parent >= 0) followed[static_cast<std::size_t>(parent)] = true;
      followed.push_back(false);
      const bool consumes = chance(3) && consumed.insert(to->value).second;
      if (!consumes) continue;
      taken.insert(to->value);
      followed.back() = true;
      worm.hops.push_back({to->value, ends.back().second, 0, RouteHop::Kind::deliver});
      followed.push_back(true);
    }
    for (const auto& [node, hop] : ends) {  // every leaf is consumed, where need be only to send on
      if (hop < 0 || followed[static_cast<std::size_t>(hop)]) continue;
      if (!taken.insert(node).second) return false;
      const bool deliver = consumed.insert(node).second;
      worm.hops.push_back({node, hop, 0, deliver ? RouteHop::Kind::deliver : RouteHop::Kind::relay});
    }
    if (chance(8))
      for (RouteHop& hop : worm.hops)
        if (chance(3)) hop.not_before_cycle = below(200);
    return !worm.hops.empty();
  }

  void depend(const std::vector<Routes>& earlier, Routes& routes) {
    for (const Routes& other : earlier) {
      const auto& hosts = other.plan.request.destinations;
      if (std::binary_search(hosts.begin(), hosts.end(), routes.plan.request.source) && chance(2))
        routes.plan.request.depends_on.push_back(other.plan.request.id);
    }
  }

  Random random_;
  bool round_robin_;  ///< where nothing excludes it
  bool crowded_;
  bool one_vc_;  ///< no two virtual channels share a link
};

}  // namespace wormcast

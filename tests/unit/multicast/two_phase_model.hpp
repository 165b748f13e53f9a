// Two-phase plans under the paper's latency model, from their routes alone, and random torus requests.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "topology/random.hpp"
#include "topology/topology.hpp"

namespace wormcast::testing {

/// The paper's parameters.
inline constexpr std::uint64_t first_startup_ns = 1000;
inline constexpr std::uint64_t second_startup_ns = 240;
inline constexpr std::uint64_t hop_ns = 30;

/// Last delivery in ns: every worm goes on `hop_ns` a hop, after the startup of its source. With one
/// port a relay starts its worms one after the other, in plan order; the source always has all ports.
inline std::uint64_t model_latency_ns(const Routes& routes, bool one_port = false) {
  std::vector<std::map<std::uint32_t, std::uint64_t>> consumed(routes.worms.size());
  std::map<std::uint32_t, std::uint64_t> relayed;  // worms that a node has sent on
  std::uint64_t last = 0;
  for (std::size_t w = 0; w < routes.worms.size(); ++w) {
    const WormRoute& worm = routes.worms[w];
    std::uint64_t start = first_startup_ns;
    if (worm.after >= 0) {
      const std::uint64_t before = one_port ? relayed[worm.source.value]++ : 0;
      start = consumed[static_cast<std::size_t>(worm.after)].at(worm.source.value) +
              (1 + before) * second_startup_ns;
    }
    std::vector<std::uint64_t> depth(worm.hops.size(), 0);
    for (std::size_t h = 0; h < worm.hops.size(); ++h) {
      const RouteHop& hop = worm.hops[h];
      const std::uint64_t before = hop.parent < 0 ? 0 : depth[static_cast<std::size_t>(hop.parent)];
      depth[h] = before + (hop.is_channel() ? 1 : 0);
      if (hop.is_channel()) continue;
      const std::uint64_t arrival = start + hop_ns * depth[h];
      consumed[w][hop.target] = arrival;
      if (hop.kind == RouteHop::Kind::deliver) last = std::max(last, arrival);
    }
  }
  return last;
}

inline BoundPlanner bind_planner(const Topology& topology, std::string_view name,
                                 const PlanOptions& options = {}) {
  return BoundPlanner(*find_planner(name), topology, options);
}

/// Traffic and model latency of one planner on one request.
struct Cost {
  std::uint64_t traffic = 0;
  std::uint64_t latency_ns = 0;
};

inline Cost cost(const BoundPlanner& planner, const Request& request, bool one_port = false) {
  const Routes routes = expand(planner.plan(request), planner.context().routing);
  return {*routes.plan.traffic_channels, model_latency_ns(routes, one_port)};
}

/// `count` random destinations of `source`.
inline Request random_multicast(Random& random, std::uint32_t nodes, std::uint32_t source,
                                std::uint32_t count) {
  Request request;
  request.source = HostId{source};
  for (const std::uint32_t index : sample(random, count, nodes - 1))
    request.destinations.push_back(HostId{index < source ? index : index + 1});
  return request;
}

}  // namespace wormcast::testing

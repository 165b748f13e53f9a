// Up*/down* routing where the router chooses: every next hop of a shortest legal route.
//
// Tree, directions and distances are those of up-down. A worm that has not gone down yet may take any hop
// after which the shortest legal rest is one hop shorter; once it went down (one bit of state), any hop down
// of which that holds. A way is always left: the rest was legal when the hop before was chosen.
// Why free of deadlock: whatever routers choose, up channels are used in descending order of (level, id),
// then down channels in ascending order, and all ups before all downs. up-down-path-adaptive is for worms of
// several stops, as up-down-path: from the first stop on only down. Cost: as up-down; a hop is O(ports).
// cite: Schroeder et al. 1990 (Autonet, which takes any free port of a shortest legal route).
// SPDX-License-Identifier: MIT
#include "routing/adaptive/adaptive_routing.hpp"
#include "routing/up_down.hpp"

namespace wormcast {
namespace {

class UpDownAdaptive final : public AdaptiveBeside {
 public:
  UpDownAdaptive(const Topology& network, bool path)
      : AdaptiveBeside(network, path ? "up-down-path" : "up-down") {}

  bool history_free() const override { return false; }
  void candidates(NodeId at, RoutingState state, NodeId destination,
                  std::vector<RoutingCandidate>& candidates) const override {
    candidates.clear();
    up_down()->each_next(at, may_only_go_down(state), destination, [&](const Arc& arc) {
      // By its port the hop leads to the state in which the fixed function would arrive.
      const RoutingStep step = forced(at, arc.port, state, destination);
      candidates.push_back({arc.channel, 0, channel_vcs(arc.channel), arc.to, step.state, 0});
    });
  }
};

}  // namespace

extern const RoutingEntry routing_up_down_adaptive = {
    .name = "up-down-adaptive",
    .summary = "adaptive: any hop of a shortest legal route, up links before down links",
    .topologies = "any connected",
    .cite = "Schroeder et al. 1990",
    .unsupported = no_paths_both_ways,
    .bind = bound<UpDownAdaptive, false>,
    .adaptive = true,
};

extern const RoutingEntry routing_up_down_path_adaptive = {
    .name = "up-down-path-adaptive",
    .summary = "adaptive: as up-down-adaptive to the first stop, only downwards from there on",
    .topologies = "any connected",
    .cite = "Schroeder et al. 1990; this project",
    .unsupported = no_paths_both_ways,
    .bind = bound<UpDownAdaptive, true>,
    .adaptive = true,
    .unicasts = false,
};

}  // namespace wormcast

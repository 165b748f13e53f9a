// Minimal adaptive routing: every hop that is one hop closer, with and without an escape.
//
// minimal-adaptive: virtual channel 0 of every channel (0 and 1 on tori) is the escape, on which worms go by
// dimension order; on the virtual channels above it they take any hop that is one hop closer. Routers take
// the escape where nothing else is free (preference). A worm that took the escape stays on it, and escape
// channels wait for escape channels alone, in the order of dimension order: no cycle.
// minimal-adaptive-return: the same, but a worm on the escape may leave it again. Then an escape channel can
// be held while worms go on adaptively and ask for the escape elsewhere: indirect dependencies. They close no
// cycle either. Between two escape channels of one worm every hop was minimal, so the dimensions corrected
// before the first stay corrected, and along its own ring the worm only came further, in the same direction:
// if both ways round were as long, only before the first of the two. So the second comes later in the order
// of dimensions, rings, datelines that makes dimension order acyclic. The escape is offered at every router,
// hence Duato's condition: no deadlock.
// fully-adaptive: all minimal hops on all virtual channels, no escape. Dependency cycles are possible
// wherever minimal routes turn in all directions; it is the counter-example.
// The proofs are for worms with one destination. Cost: O(dimensions) a hop; one bit of state for the escape.
// On graphs fully-adaptive costs O(ports) a hop and the table of routing function shortest.
// cite: Duato 1993 (A new theory of deadlock-free adaptive routing in wormhole networks); Dally, Seitz 1987.
// SPDX-License-Identifier: MIT
#include "routing/adaptive/adaptive_routing.hpp"
#include "topology/connectivity.hpp"

namespace wormcast {
namespace {

class MinimalWithEscape final : public MinimalRouting {
 public:
  MinimalWithEscape(const Topology& network, bool may_return)
      : MinimalRouting(network),
        escape_(find_routing_function("dimension-order")->bind(network)),
        may_return_(may_return) {}

  std::uint32_t virtual_channels() const override { return escape_->virtual_channels() + 1; }

  void candidates(NodeId at, RoutingState state, NodeId destination,
                  std::vector<RoutingCandidate>& candidates) const override {
    candidates.clear();
    if (state.bits != on_escape) {
      const std::uint32_t begin = escape_->virtual_channels();
      each_minimal(at, destination, [&](PortId, ChannelId channel, NodeId to) {
        candidates.push_back({channel, begin, channel_vcs(channel), to, state, 0});
      });
    }
    // The escape looks at the way ahead alone, so a fresh state does.
    const RoutingStep step = escape_->next(at, escape_->first(at, destination, 0), destination);
    candidates.push_back(
        {step.channel, step.vc, step.vc + 1, step.to, RoutingState{may_return_ ? state.bits : on_escape}, 1});
  }

 private:
  static constexpr std::uint32_t on_escape = 1;  // RoutingState: the worm stays on the escape

  std::unique_ptr<const RoutingFunction> escape_;
  bool may_return_;
};

class FullyAdaptive final : public MinimalRouting {
 public:
  using MinimalRouting::MinimalRouting;

  void candidates(NodeId at, RoutingState state, NodeId destination,
                  std::vector<RoutingCandidate>& candidates) const override {
    on_every_vc(state, candidates, [&](auto take) {
      each_minimal(at, destination, [&](PortId, ChannelId channel, NodeId to) { take(channel, to); });
    });
  }
};

std::optional<std::string> no_dimension_order(const Topology& topology) {
  return find_routing_function("dimension-order")->unsupported(topology);
}

}  // namespace

extern const RoutingEntry routing_minimal_adaptive = {
    .name = "minimal-adaptive",
    .summary = "adaptive: any minimal hop beside an escape by dimension order; on it a worm stays",
    .topologies = "mesh, torus, hypercube",
    .cite = "Duato 1993",
    .unsupported = no_dimension_order,
    .bind = bound<MinimalWithEscape, false>,
    .adaptive = true,
};

extern const RoutingEntry routing_minimal_adaptive_return = {
    .name = "minimal-adaptive-return",
    .summary = "adaptive: minimal-adaptive whose worms may leave the escape again",
    .topologies = "mesh, torus, hypercube",
    .cite = "Duato 1993",
    .unsupported = no_dimension_order,
    .bind = bound<MinimalWithEscape, true>,
    .adaptive = true,
};

extern const RoutingEntry routing_fully_adaptive = {
    .name = "fully-adaptive",
    .summary = "adaptive: any minimal hop on any virtual channel; not free of deadlock",
    .topologies = "any connected",
    .cite = "Duato 1993 (the counter-example)",
    .unsupported = no_paths,
    .bind = bound<FullyAdaptive>,
    .adaptive = true,
};

}  // namespace wormcast

// Label-monotone routing where the router chooses: every hop on a shortest way of monotone label.
//
// Between two nodes whose labels grow (or fall) there may be several shortest ways on which labels only grow
// (only fall). All their hops are candidates: a neighbour whose label lies between here and the destination,
// and from which the shortest monotone way is one hop shorter. One such way always exists (along the
// Hamiltonian path at the latest), so no worm comes to a dead end.
// Why free of deadlock: whatever routers choose, a worm to larger labels holds and asks for channels of
// growing label alone, and a channel waits only for channels further up; downwards alike. The two networks
// share no channel. Stops in label order change nothing, so paths of several destinations (dual-path, ocms)
// are free of channel cycles too, with consumption at stops as under label routing.
// Cost: O(ports) distances of label-shortest a hop (O(1) each on meshes and hypercubes, a table on small
// networks), no state.
// cite: Lin, Ni 1991 (the label order); Lin, McKinley, Ni 1994 (adaptive dual-path).
// SPDX-License-Identifier: MIT
#include <optional>

#include "routing/adaptive/adaptive_routing.hpp"
#include "routing/routing_function.hpp"
#include "topology/connectivity.hpp"

namespace wormcast::routing_label_adaptive {
namespace {

class LabelAdaptive final : public AdaptiveRouting {
 public:
  explicit LabelAdaptive(const Topology& network)
      : AdaptiveRouting(network), shortest_(find_routing_function("label-shortest")->bind(network)) {
    if (network.given_by_links()) adjacency_.emplace(network);
  }

  bool label_monotone() const override { return true; }
  std::uint32_t distance(NodeId from, NodeId to) const override { return shortest_->distance(from, to); }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    return shortest_->next(at, state, destination);
  }
  /// As label-shortest: any port that does not pass the destination, also where the way gets longer.
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override {
    return shortest_->forced(source, port, state, destination);
  }

  void candidates(NodeId at, RoutingState state, NodeId destination,
                  std::vector<RoutingCandidate>& candidates) const override {
    const Topology& network = topology();
    const Label from = network.label(at);
    const Label target = network.label(destination);
    const std::uint32_t hops = distance(at, destination);
    on_every_vc(state, candidates, [&](auto take) {
      const auto consider = [&](ChannelId channel, NodeId to) {
        if (on_the_way(from, network.label(to), target) && distance(to, destination) + 1 == hops)
          take(channel, to);
      };
      if (adjacency_) {
        for (const OutChannel& out : adjacency_->out(at)) consider(out.channel, out.to);
        return;
      }
      for (std::uint32_t port = 0; port < network.ports(); ++port)
        if (const auto to = network.neighbour(at, PortId{port}))
          consider(network.channel(at, PortId{port}), *to);
    });
  }

 private:
  std::unique_ptr<const RoutingFunction> shortest_;
  std::optional<Adjacency> adjacency_;  ///< of graphs, whose ports can have gaps
};

}  // namespace

extern const RoutingEntry entry = {
    .name = "label-adaptive",
    .summary = "adaptive: any hop on a shortest route of monotone label",
    .topologies = "any with Hamiltonian-path labels; shortest of all on meshes and hypercubes",
    .cite = "Lin, McKinley, Ni 1994",
    .unsupported = unlabelled,
    .bind = bound<LabelAdaptive>,
    .adaptive = true,
};

}  // namespace wormcast::routing_label_adaptive

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
// networks); memory: 12 bytes a channel.
// cite: Lin, Ni 1991 (the label order); Lin, McKinley, Ni 1994 (adaptive dual-path).
// SPDX-License-Identifier: MIT
#include "routing/adaptive/adaptive_routing.hpp"
#include "topology/connectivity.hpp"

namespace wormcast {
namespace {

/// Forced ports as of label-shortest: any that does not pass the destination, even by a longer way.
class LabelAdaptive final : public AdaptiveBeside {
 public:
  explicit LabelAdaptive(const Topology& network)
      : AdaptiveBeside(network, "label-shortest"), adjacency_(network) {}

  bool label_monotone() const override { return true; }
  void candidates(NodeId at, RoutingState state, NodeId destination,
                  std::vector<RoutingCandidate>& candidates) const override {
    const Topology& network = topology();
    const Label from = network.label(at);
    const Label target = network.label(destination);
    const std::uint32_t hops = distance(at, destination);
    on_every_vc(state, candidates, [&](auto take) {
      for (const OutChannel& out : adjacency_.out(at))
        if (on_the_way(from, network.label(out.to), target) && distance(out.to, destination) + 1 == hops)
          take(out.channel, out.to);
    });
  }

 private:
  Adjacency adjacency_;
};

}  // namespace

extern const RoutingEntry routing_label_adaptive = {
    .name = "label-adaptive",
    .summary = "adaptive: any hop on a shortest route of monotone label",
    .topologies = "any with Hamiltonian-path labels; shortest of all on meshes and hypercubes",
    .cite = "Lin, McKinley, Ni 1994",
    .unsupported = unlabelled,
    .bind = bound<LabelAdaptive>,
    .adaptive = true,
};

}  // namespace wormcast

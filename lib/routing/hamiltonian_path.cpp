// Routing along the Hamiltonian path itself: the next label up, or the next one down.
//
// Cost: O(1) a hop, |L(v) − L(u)| hops. Labels are monotone, so it is deadlock-free.
// cite: Lin, McKinley, Ni 1994 (fixed-path).
// SPDX-License-Identifier: MIT
#include "routing/routing_function.hpp"

namespace wormcast {
namespace {

class HamiltonianPath final : public LabelMonotone {
 public:
  using LabelMonotone::LabelMonotone;

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const Topology& network = topology();
    const Label label = network.label(at);
    const bool up = label < network.label(destination);
    const NodeId to = network.node_at(Label{up ? label.value + 1 : label.value - 1});
    std::uint32_t port = 0;
    while (network.neighbour(at, PortId{port}) != to) ++port;
    return {network.channel(at, PortId{port}), 0, to, state};
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    const std::uint32_t a = topology().label(from).value;
    const std::uint32_t b = topology().label(to).value;
    return a < b ? b - a : a - b;
  }
};

}  // namespace

extern const RoutingEntry routing_hamiltonian_path = {
    .name = "hamiltonian-path",
    .summary = "label by label along the Hamiltonian path (fixed-path worms)",
    .topologies = "any with Hamiltonian-path labels",
    .cite = "Lin, McKinley, Ni 1994",
    .unsupported = unlabelled,
    .bind = bound<HamiltonianPath>,
    .unicasts = false,
};

}  // namespace wormcast

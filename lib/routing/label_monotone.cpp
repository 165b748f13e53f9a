// Forced first hops of label-monotone routing, and where it applies.
// SPDX-License-Identifier: MIT
#include "routing/label_monotone.hpp"

#include "topology/connectivity.hpp"
#include "topology/error.hpp"

namespace wormcast {

RoutingStep LabelMonotone::forced(NodeId source, PortId port, RoutingState state, NodeId destination) const {
  const RoutingStep step = RoutingFunction::forced(source, port, state, destination);
  const Topology& network = topology();
  if (!on_the_way(network.label(source), network.label(step.to), network.label(destination)))
    throw InputError("first_port",
                     "port " + std::to_string(port.value) + " of router " + std::to_string(source.value) +
                         " leads to label " + std::to_string(network.label(step.to).value) +
                         ", which is not between labels " + std::to_string(network.label(source).value) +
                         " and " + std::to_string(network.label(destination).value) +
                         " of source and first stop");
  return step;
}

std::optional<std::string> unlabelled(const Topology& topology) {
  if (topology.labelled()) return std::nullopt;
  if (const auto one_way = channels_without_return(topology)) return one_way;
  return "its nodes carry no Hamiltonian-path labels (gen-topology --find-labels looks for some)";
}

bool is_plane_snake(const Topology& topology) {
  return topology.line_grid() && topology.spec().labels.empty() && topology.grid()->dimensions() <= 2;
}

}  // namespace wormcast

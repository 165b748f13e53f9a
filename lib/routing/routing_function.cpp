// What a routing function does unless it says otherwise: no state, one class, one virtual channel, any port.
// SPDX-License-Identifier: MIT
#include "routing/routing_function.hpp"

#include "topology/error.hpp"

namespace wormcast {

RoutingState RoutingFunction::first(NodeId, NodeId, std::uint32_t vc_class) const {
  check_class(vc_class);
  return {};
}

void RoutingFunction::check_class(std::uint32_t vc_class) const {
  if (vc_class >= classes())
    throw InputError("class", "class " + std::to_string(vc_class) + "; this routing function knows " +
                                  (classes() == 1 ? "0 only" : "0 to " + std::to_string(classes() - 1)));
}

RoutingStep RoutingFunction::forced(NodeId source, PortId port, RoutingState state, NodeId) const {
  const auto to = port.value < topology_->ports() ? topology_->neighbour(source, port) : std::nullopt;
  if (!to)
    throw InputError("first_port", "router " + std::to_string(source.value) + " has no link on port " +
                                       std::to_string(port.value));
  return {topology_->channel(source, port), 0, *to, state};
}

RoutingStep RoutingFunction::own_port_only(NodeId source, PortId port, RoutingState state,
                                           NodeId destination) const {
  const RoutingStep asked = RoutingFunction::forced(source, port, state, destination);
  const RoutingStep own = next(source, state, destination);
  if (asked.channel == own.channel) return own;
  throw InputError("first_port", "port " + std::to_string(port.value) + " of router " +
                                     std::to_string(source.value) + "; the routing function leaves by port " +
                                     std::to_string(topology_->ends(own.channel)->port.value) +
                                     " for router " + std::to_string(destination.value) +
                                     ", and by another worms could deadlock");
}

std::vector<std::uint32_t> RoutingFunction::choices_between(NodeId source, NodeId destination) const {
  if (source == destination || !draws()) return {0};
  std::vector<std::uint32_t> classes(choices(source, destination));
  for (std::uint32_t i = 0; i < classes.size(); ++i) classes[i] = choice(source, destination, i);
  return classes;
}

std::uint32_t RoutingFunction::channel_vcs() const {
  const std::uint32_t limit = topology_->spec().virtual_channels;
  return limit == 0 ? virtual_channels() : limit;
}

std::pair<std::uint32_t, std::uint32_t> RoutingFunction::class_range(std::uint32_t vc,
                                                                     ChannelId channel) const {
  const std::uint32_t classes = virtual_channels();
  const std::uint32_t vcs = channel_vcs(channel);
  return {vc * vcs / classes, (vc + 1) * vcs / classes};
}

void RoutingFunction::candidates(NodeId at, RoutingState state, NodeId destination,
                                 std::vector<RoutingCandidate>& candidates) const {
  const RoutingStep step = next(at, state, destination);
  const auto [begin, end] = class_range(step.vc, step.channel);
  candidates.assign(1, {step.channel, begin, end, step.to, step.state, 0});
}

void RoutingFunction::forced_candidates(NodeId source, PortId port, RoutingState state, NodeId destination,
                                        std::vector<RoutingCandidate>& candidates) const {
  const RoutingStep step = forced(source, port, state, destination);
  this->candidates(source, state, destination, candidates);
  std::erase_if(candidates, [&](const RoutingCandidate& hop) { return hop.channel != step.channel; });
  if (!candidates.empty()) return;
  const auto [begin, end] = class_range(step.vc, step.channel);
  candidates.push_back({step.channel, begin, end, step.to, step.state, 0});
}

std::uint32_t RoutingFunction::distance(NodeId from, NodeId to) const {
  std::uint32_t hops = 0;
  RoutingState state = first(from, to, 0);
  while (from != to || !arrived(state)) {
    const RoutingStep step = next(from, state, to);
    from = step.to;
    state = step.state;
    ++hops;
  }
  return hops;
}

}  // namespace wormcast

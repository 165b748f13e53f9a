// What a routing function does unless it says otherwise: no state, one class, one virtual channel, any port;
// what those of monotone labels share; and the explicit list of all. To add one: write its file, add a line
// to routing_functions.def.
// SPDX-License-Identifier: MIT
#include "routing/routing_function.hpp"

#include <array>

#include "topology/connectivity.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

RoutingState RoutingFunction::first(NodeId, NodeId, std::uint32_t vc_class) const {
  check_class(vc_class);
  return {};
}

void RoutingFunction::check_class(std::uint32_t vc_class) const {
  if (vc_class >= classes())
    refuse("class", "class {}; this routing function knows 0 {}", vc_class,
           classes() == 1 ? "only" : fmt::format("to {}", classes() - 1));
}

RoutingStep RoutingFunction::forced(NodeId source, PortId port, RoutingState state, NodeId) const {
  const auto to = port.value < topology_->ports() ? topology_->neighbour(source, port) : std::nullopt;
  if (!to) refuse("first_port", "router {} has no link on port {}", source.value, port.value);
  return {topology_->channel(source, port), 0, *to, state};
}

RoutingStep RoutingFunction::own_port_only(NodeId source, PortId port, RoutingState state,
                                           NodeId destination) const {
  const RoutingStep asked = RoutingFunction::forced(source, port, state, destination);
  const RoutingStep own = next(source, state, destination);
  if (asked.channel == own.channel) return own;
  refuse("first_port",
         "port {} of router {}; the routing function leaves by port {} for router {}, and by another worms "
         "could deadlock",
         port.value, source.value, topology_->ends(own.channel)->port.value, destination.value);
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
  const RoutingState state = first(from, to, from == to ? 0 : choice(from, to, 0));
  each_hop(from, state, to, [&](const RoutingStep&) { ++hops; });
  return hops;
}

#define ROUTING(name) extern const RoutingEntry routing_##name;
#define ALIAS(alias, name)
#include "routing/routing_functions.def"

std::span<const RoutingEntry* const> routing_functions() {
  static constexpr std::array list = {
#define ROUTING(name) &routing_##name,
#define ALIAS(alias, name)
#include "routing/routing_functions.def"
  };
  return list;
}

std::span<const std::string_view> unicast_routings() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const RoutingEntry* entry : routing_functions())
      if (entry->unicasts) all.push_back(entry->name);
    return all;
  }();
  return names;
}

const RoutingEntry* find_routing_function(std::string_view name) {
  static constexpr std::pair<std::string_view, const RoutingEntry*> aliases[] = {
#define ROUTING(name)
#define ALIAS(alias, name) {alias, &routing_##name},
#include "routing/routing_functions.def"
  };
  return find_by_name(routing_functions(), aliases, name);
}

std::string routing_name(std::string_view text) {
  const RoutingEntry* entry = find_routing_function(text);
  return std::string(entry == nullptr ? text : entry->name);
}

std::unique_ptr<const RoutingFunction> bind_routing(std::string_view name, const Topology& topology,
                                                    const std::string& field) {
  const RoutingEntry* entry = find_routing_function(name);
  if (entry == nullptr)
    throw InputError(field,
                     unknown_name("routing function", name, routing_functions(), "route-expand --list"));
  if (const auto reason = entry->unsupported(topology))
    refuse(field, "{} does not apply to {}: {}", entry->name, topology.name(), *reason);
  auto bound = entry->bind(topology);
  const std::uint32_t limit = topology.least(LinkValue::virtual_channels, topology.spec().virtual_channels);
  if (limit != 0 && bound->virtual_channels() > limit)
    refuse(field, "{} needs {} virtual channels a channel, the topology has {}{}", entry->name,
           bound->virtual_channels(), limit, (topology.alike(LinkValue::virtual_channels) ? "" : " on some"));
  return bound;
}

RoutingStep LabelMonotone::forced(NodeId source, PortId port, RoutingState state, NodeId destination) const {
  const RoutingStep step = RoutingFunction::forced(source, port, state, destination);
  const Topology& network = topology();
  if (!on_the_way(network.label(source), network.label(step.to), network.label(destination)))
    refuse("first_port",
           "port {} of router {} leads to label {}, which is not between labels {} and {} of source and "
           "first stop",
           port.value, source.value, network.label(step.to).value, network.label(source).value,
           network.label(destination).value);
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

// Chains, forced ports and the split of destinations by label.
// SPDX-License-Identifier: MIT
#include "multicast/worms.hpp"

#include <algorithm>

#include "routing/label_monotone.hpp"

namespace wormcast {

Worm chain_worm(HostId source, std::span<const HostId> stops) {
  Worm worm;
  worm.source = source;
  worm.stops.reserve(stops.size());
  for (std::size_t i = 0; i < stops.size(); ++i)
    worm.stops.push_back({stops[i].value, static_cast<std::int32_t>(i) - 1, StopAction::deliver});
  return worm;
}

Replication replication_of(const PlanningContext& context) {
  return context.option("replication") == "asynchronous" ? Replication::asynchronous : Replication::lock_step;
}

void leave_by(Worm& worm, PortId port, const RoutingFunction& routing) {
  const Topology& network = routing.topology();
  const NodeId source = network.router_of(worm.source);
  const NodeId first = network.router_of(HostId{worm.stops.front().node});
  const RoutingStep step = routing.next(source, routing.first(source, first, worm.vc_class), first);
  if (step.channel != network.channel(source, port)) worm.first_port = port;
}

namespace {

/// Request order is row by row from left to right; the snake walks odd rows backwards.
LabelHalves split_plane_snake(const Topology& topology, const Request& request) {
  const std::uint32_t width = topology.grid()->dims()[0];
  const Label source = topology.label(NodeId{request.source.value});
  LabelHalves halves;
  std::vector<HostId> ordered = request.destinations;
  auto first = ordered.begin();
  auto last_below = ordered.begin();  // end of the labels below the source's
  while (first != ordered.end()) {
    const std::uint32_t row = first->value / width;
    const std::uint64_t row_end = (std::uint64_t{row} + 1) * width;
    const auto last = std::find_if(first, ordered.end(), [&](HostId host) { return host.value >= row_end; });
    if (row % 2 == 1) std::reverse(first, last);
    first = last;
  }
  last_below = std::partition_point(ordered.begin(), ordered.end(),
                                    [&](HostId host) { return topology.label(NodeId{host.value}) < source; });
  halves.down.assign(std::make_reverse_iterator(last_below), ordered.rend());
  halves.up.assign(last_below, ordered.end());
  return halves;
}

}  // namespace

LabelHalves split_by_label(const Topology& topology, const Request& request) {
  if (is_plane_snake(topology)) return split_plane_snake(topology, request);
  const Label source = topology.label(topology.router_of(request.source));
  LabelHalves halves;
  std::vector<std::pair<Label, HostId>> up;
  std::vector<std::pair<Label, HostId>> down;
  for (const HostId host : request.destinations) {
    const Label label = topology.label(topology.router_of(host));
    if (label == source)
      halves.local.push_back(host);
    else
      (label < source ? down : up).emplace_back(label, host);
  }
  std::sort(up.begin(), up.end());
  std::sort(down.begin(), down.end(), [](const auto& a, const auto& b) { return b < a; });
  for (const auto& entry : up) halves.up.push_back(entry.second);
  for (const auto& entry : down) halves.down.push_back(entry.second);
  return halves;
}

void append_local(HostId source, const LabelHalves& halves, std::vector<Worm>& worms) {
  if (!halves.local.empty()) worms.push_back(chain_worm(source, halves.local));
}

std::optional<std::string> no_label_paths(const Topology& topology) { return unlabelled(topology); }

std::optional<std::string> any_topology(const Topology&) { return std::nullopt; }

}  // namespace wormcast

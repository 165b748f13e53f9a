// Chains, forced ports, the split of destinations by label, and trees of unicasts.
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/worms.hpp"

#include <algorithm>
#include <cassert>

#include "routing/routing_function.hpp"
#include "topology/generator.hpp"

namespace wormcast {

void append_chain(std::vector<Worm>& worms, HostId source, std::span<const HostId> stops) {
  if (!stops.empty()) worms.push_back(chain_worm(source, stops));
}

void leave_by(Worm& worm, PortId port, const RoutingFunction& routing) {
  const Topology& network = routing.topology();
  const NodeId source = network.router_of(worm.source);
  const NodeId first = network.router_of(HostId{worm.stops.front().node});
  const RoutingStep step = routing.next(source, routing.first(source, first, worm.vc_class), first);
  if (routing.adaptive() || step.channel != network.channel(source, port)) worm.first_port = port;
}

namespace {

/// Request order is row by row from left to right; the snake walks odd rows backwards.
LabelHalves split_plane_snake(const Topology& topology, const Request& request) {
  const std::uint32_t width = topology.grid()->dims()[0];
  // Rows go from the source's outwards, so that each half is written once, in its order.
  const std::vector<HostId>& all = request.destinations;
  const auto row_of = [&](HostId host) { return host.value / width; };
  const auto begin_of = [&](std::uint32_t row) {
    return std::partition_point(all.begin(), all.end(), [&](HostId host) { return row_of(host) < row; });
  };
  const std::uint32_t own = row_of(request.source);
  const auto own_begin = begin_of(own);
  const auto own_end = begin_of(own + 1);
  LabelHalves halves;
  const auto append = [&](std::vector<HostId>& half, auto first, auto last, bool rightwards) {
    if (rightwards)
      half.insert(half.end(), first, last);
    else
      half.insert(half.end(), std::make_reverse_iterator(last), std::make_reverse_iterator(first));
  };
  const auto middle =
      std::partition_point(own_begin, own_end, [&](HostId host) { return host < request.source; });
  halves.up.reserve(static_cast<std::size_t>(all.end() - own_begin));
  halves.down.reserve(static_cast<std::size_t>(own_end - all.begin()));
  const bool rightwards = own % 2 == 0;
  append(halves.up, rightwards ? middle : own_begin, rightwards ? own_end : middle, rightwards);
  append(halves.down, rightwards ? own_begin : middle, rightwards ? middle : own_end, !rightwards);
  for (auto first = own_end; first != all.end();) {
    const std::uint32_t row = row_of(*first);
    const std::uint64_t row_end = (std::uint64_t{row} + 1) * width;
    const auto last = std::find_if(first, all.end(), [&](HostId host) { return host.value >= row_end; });
    append(halves.up, first, last, row % 2 == 0);
    first = last;
  }
  for (auto last = own_begin; last != all.begin();) {
    const std::uint32_t row = row_of(*std::prev(last));
    const std::uint64_t row_begin = std::uint64_t{row} * width;
    auto first = last;
    while (first != all.begin() && std::prev(first)->value >= row_begin) --first;
    append(halves.down, first, last, row % 2 == 1);
    last = first;
  }
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

std::optional<std::string> no_plane_mesh(const Topology& topology) {
  return needs(topology.any_line_grid() && topology.grid()->dimensions() == 2, "a two-dimensional mesh");
}

bool concentrated_mesh(const Topology& topology) { return generated_by(topology, "cmesh").has_value(); }

std::optional<std::string> no_plane_of_hosts(const Topology& topology) {
  return needs(!no_plane_mesh(topology) || concentrated_mesh(topology), "a two-dimensional mesh or a cmesh");
}

std::shared_ptr<const PlannerData> prepare_tiles(const PlanningContext& context) {
  const auto sizes = generated_by(context.topology, "cmesh");  // W, H, w, h
  if (!sizes) return nullptr;
  const Grid routers({static_cast<std::uint32_t>((*sizes)[0]), static_cast<std::uint32_t>((*sizes)[1])});
  return std::make_shared<const Tiles>(routers, *host_grid(context.topology));
}

const Grid* router_grid(const PlanningContext& context) {
  const auto* tiles = static_cast<const Tiles*>(context.prepared.get());
  return tiles != nullptr ? &tiles->routers : context.topology.grid();
}

const Grid* host_grid(const PlanningContext& context) {
  const auto* tiles = static_cast<const Tiles*>(context.prepared.get());
  return tiles != nullptr ? &tiles->hosts : context.topology.grid();
}

std::optional<std::string> any_topology(const Topology&) { return std::nullopt; }

// Recursive halving: every informed node sends once a step to a node of the half it does not keep.
//
// The larger half stays with the sender when it is in the lower one, so m nodes are informed in
// ⌈log2 m⌉ steps. A unicast never leaves the interval of the chain it serves, and the intervals of
// one step are disjoint: with an order that fits the routing function, so are their channels.
// Cost: O(m log m). cite: McKinley, Xu, Esfahanian, Ni 1994.
std::vector<Worm> unicast_tree(std::span<const HostId> chain, std::size_t source) {
  assert(source < chain.size());
  /// An informed node and the part of the chain it still has to serve, itself included.
  struct Duty {
    std::size_t holder;
    std::size_t left;
    std::size_t right;  ///< inclusive
    std::int32_t informed_by;
  };
  std::vector<Worm> worms;
  std::vector<Duty> duties{{source, 0, chain.size() - 1, -1}};
  for (bool sent = true; sent;) {
    sent = false;
    const std::size_t holders = duties.size();
    for (std::size_t i = 0; i < holders; ++i) {
      Duty& duty = duties[i];
      if (duty.left == duty.right) continue;
      sent = true;
      const std::size_t upper = duty.left + (duty.right - duty.left + 2) / 2;
      Duty given{upper, upper, duty.right, static_cast<std::int32_t>(worms.size())};
      if (duty.holder < upper) {
        duty.right = upper - 1;
      } else {
        given = {upper - 1, duty.left, upper - 1, given.informed_by};
        duty.left = upper;
      }
      worms.push_back(chain_worm(chain[duty.holder], {&chain[given.holder], 1}));
      worms.back().after = duty.informed_by;
      duties.push_back(given);
    }
  }
  return worms;
}

}  // namespace wormcast

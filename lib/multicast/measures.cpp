// Traffic, longest path and longest chain of a plan, and the steps of its worms.
//
// A worm's legs add up along its tree of stops; a worm that waits for another starts at the depth at
// which that one is consumed at its source. Where no worm waits, a path worm is only its length, and
// nothing is kept of its stops. Cost: one distance() a stop (one walk where the routing function depends
// on history).
// Recursive halving sends to the middle of what is left, so the receivers of one sender stand in the
// chain in the reverse order of sending, each before all that it informs: a walk of the tree that
// visits later sends first meets the receivers in chain order.
// cite: McKinley, Xu, Esfahanian, Ni 1994.
// SPDX-License-Identifier: MIT
#include "multicast/measures.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <optional>

namespace wormcast {

void MeasureSum::clear() {
  total_ = {};
  worms_ = 0;
}

void MeasureSum::add(const Worm& worm, const std::vector<std::uint64_t>& depths, std::uint64_t channels) {
  if (arrivals_.size() <= worms_) arrivals_.emplace_back();
  std::vector<Arrival>& mine = arrivals_[worms_++];
  mine.clear();
  std::uint64_t start = 0;
  if (worm.after >= 0)
    for (const Arrival& arrival : arrivals_[static_cast<std::size_t>(worm.after)])
      if (arrival.host == worm.source.value) start = arrival.hops;
  const std::uint64_t longest = depths.empty() ? 0 : *std::max_element(depths.begin(), depths.end());
  for (std::size_t i = 0; i < depths.size(); ++i)
    if (worm.stops[i].action != StopAction::branch) mine.push_back({worm.stops[i].node, start + depths[i]});
  total_.traffic_channels += channels;
  total_.longest_path_hops = std::max(total_.longest_path_hops, longest);
  total_.longest_chain_hops = std::max(total_.longest_chain_hops, start + longest);
}

void MeasureSum::add_path(std::uint64_t hops) {
  total_.traffic_channels += hops;
  total_.longest_path_hops = std::max(total_.longest_path_hops, hops);
  total_.longest_chain_hops = std::max(total_.longest_chain_hops, hops);
}

namespace {

struct MeasuredLeg {
  NodeId to;
  RoutingState state;
  std::uint64_t hops = 0;
};

MeasuredLeg walk(const RoutingFunction& routing, NodeId from, RoutingState state, NodeId to) {
  MeasuredLeg leg{from, state, 0};
  routing.each_hop(from, state, to, [&](const RoutingStep& step) {
    leg = {step.to, step.state, leg.hops + 1};
  });
  return leg;
}

/// Hops of a path worm through all its stops by a routing function without history; nothing for trees
/// and stops that are routers.
std::optional<std::uint64_t> path_hops(const Worm& worm, const RoutingFunction& routing) {
  const Topology& network = routing.topology();
  NodeId at = network.router_of(worm.source);
  std::uint64_t hops = 0;
  std::int32_t before = -1;
  for (const Stop& stop : worm.stops) {
    if (stop.parent != before || stop.action == StopAction::branch) return std::nullopt;
    const NodeId to = network.router_of(HostId{stop.node});
    if (before < 0 && worm.first_port) {
      at = routing.forced(at, *worm.first_port, routing.first(at, to, worm.vc_class), to).to;
      ++hops;
    }
    hops += routing.distance(at, to);
    at = to;
    ++before;
  }
  return hops;
}

}  // namespace

PlanMeasures measure(const std::vector<Worm>& worms, const RoutingFunction& routing) {
  const Topology& network = routing.topology();
  const bool by_distance = routing.history_free();
  const bool no_waits =
      std::all_of(worms.begin(), worms.end(), [](const Worm& worm) { return worm.after < 0; });
  MeasureSum sum;
  std::vector<std::uint64_t> depths;
  std::vector<MeasuredLeg> legs;
  for (const Worm& worm : worms) {
    if (no_waits && by_distance) {
      if (const auto hops = path_hops(worm, routing)) {
        sum.add_path(*hops);
        continue;
      }
    }
    const NodeId source = network.router_of(worm.source);
    std::uint64_t channels = 0;
    depths.clear();
    depths.reserve(worm.stops.size());
    legs.clear();
    legs.reserve(worm.stops.size());
    for (const Stop& stop : worm.stops) {
      const NodeId to = router_of(network, stop);
      const bool root = stop.parent < 0;
      const std::size_t parent = root ? 0 : static_cast<std::size_t>(stop.parent);
      NodeId from = root ? source : legs[parent].to;
      RoutingState state = root ? routing.first(source, to, worm.vc_class) : legs[parent].state;
      std::uint64_t hops = 0;
      if (root && worm.first_port) {
        const RoutingStep step = routing.forced(source, *worm.first_port, state, to);
        from = step.to;
        state = step.state;
        hops = 1;
      }
      MeasuredLeg leg =
          by_distance ? MeasuredLeg{to, state, routing.distance(from, to)} : walk(routing, from, state, to);
      hops += leg.hops;
      channels += hops;
      depths.push_back(hops + (root ? 0 : depths[parent]));
      legs.push_back(leg);
    }
    sum.add(worm, depths, channels);
  }
  return sum.total();
}

std::vector<Send> schedule(const std::vector<Worm>& worms) {
  const Senders senders(worms);
  std::vector<std::uint32_t> latest(senders.count());  // step of the latest send
  // Sends that wait for the same arrival, newest first; index 0 for those of the multicast's source.
  constexpr std::int32_t none = -1;
  std::vector<std::int32_t> newest(worms.size() + 1, none);
  std::vector<std::int32_t> older(worms.size(), none);
  std::vector<Send> sends(worms.size());
  for (std::size_t i = 0; i < worms.size(); ++i) {
    const auto after = slot_after(worms[i].after);
    assert(after <= i);
    const std::uint32_t informed = after == 0 ? 0 : sends[after - 1].step;
    std::uint32_t& before = latest[senders.of(i)];
    before = sends[i].step = std::max(before, informed) + 1;
    older[i] = newest[after];
    newest[after] = static_cast<std::int32_t>(i);
  }
  std::uint32_t position = 0;
  std::vector<std::int32_t> todo;
  if (newest[0] != none) todo.push_back(newest[0]);
  while (!todo.empty()) {
    const auto i = static_cast<std::size_t>(todo.back());
    todo.pop_back();
    sends[i].position = ++position;
    if (older[i] != none) todo.push_back(older[i]);
    if (newest[i + 1] != none) todo.push_back(newest[i + 1]);
  }
  return sends;
}

std::uint32_t least_steps(std::uint64_t nodes) {
  return nodes <= 1 ? 0 : static_cast<std::uint32_t>(std::bit_width(nodes - 1));
}

}  // namespace wormcast

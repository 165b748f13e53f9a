// Traffic, longest path and longest chain of a plan.
//
// A worm's legs add up along its tree of stops; a worm that waits for another starts at the depth at
// which that one is consumed at its source. Cost: one distance() a stop (one walk where the routing
// function depends on history).
// SPDX-License-Identifier: MIT
#include "multicast/measures.hpp"

#include <algorithm>

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

namespace {

struct Leg {
  NodeId to;
  RoutingState state;
  std::uint64_t hops = 0;
};

Leg walk(const RoutingFunction& routing, NodeId from, RoutingState state, NodeId to) {
  Leg leg{from, state, 0};
  while (leg.to != to) {
    const RoutingStep step = routing.next(leg.to, leg.state, to);
    leg = {step.to, step.state, leg.hops + 1};
  }
  return leg;
}

}  // namespace

PlanMeasures measure(const std::vector<Worm>& worms, const RoutingFunction& routing) {
  const Topology& network = routing.topology();
  const bool by_distance = routing.history_free();
  MeasureSum sum;
  std::vector<std::uint64_t> depths;
  std::vector<Leg> legs;
  for (const Worm& worm : worms) {
    const NodeId source = network.router_of(worm.source);
    std::uint64_t channels = 0;
    depths.clear();
    legs.clear();
    for (const Stop& stop : worm.stops) {
      const NodeId to =
          stop.action == StopAction::branch ? NodeId{stop.node} : network.router_of(HostId{stop.node});
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
      Leg leg = by_distance ? Leg{to, state, routing.distance(from, to)} : walk(routing, from, state, to);
      hops += leg.hops;
      channels += hops;
      depths.push_back(hops + (root ? 0 : depths[parent]));
      legs.push_back(leg);
    }
    sum.add(worm, depths, channels);
  }
  return sum.total();
}

}  // namespace wormcast

// Joins the stops of every worm by the routing function, and refuses worms that do not fit.
//
// The header's routing state is carried on from stop to stop and copied where the worm branches. A
// consumption hop hangs on the channel that enters its router, and so does the channel that follows.
// A worm holds all its channels until its tail has passed, so one that came back to a (channel, VC)
// of its own would wait for itself for ever: it is refused here, before anything simulates it.
// Cost: one next() and one bit a hop. cite: Bouchitté, Cohen, Fleury 1997, section 2.
// SPDX-License-Identifier: MIT
#include "multicast/expand.hpp"

#include <algorithm>
#include <string>

#include "topology/error.hpp"

namespace wormcast {
namespace {

std::string worm_place(std::size_t worm) { return "worms[" + std::to_string(worm) + "]"; }

std::string stop_place(std::size_t worm, std::size_t stop) {
  return worm_place(worm) + ".stops[" + std::to_string(stop) + "]";
}

[[noreturn]] void refuse(const std::string& place, const std::string& message) {
  throw InputError(place, message);
}

/// Where the worm starts and what it waits for.
void check_start(const Plan& plan, std::size_t index) {
  const Worm& worm = plan.worms[index];
  const std::string host = std::to_string(worm.source.value);
  if (worm.stops.empty()) refuse(worm_place(index) + ".stops", "a worm needs at least one stop");
  if (worm.after < 0) {
    if (worm.source != plan.request.source)
      refuse(worm_place(index) + ".source",
             "node " + host + " is not the source of the multicast, and the worm is after no other");
    return;
  }
  if (static_cast<std::size_t>(worm.after) >= index)
    refuse(worm_place(index) + ".after",
           "worm " + std::to_string(worm.after) + " does not come before worm " + std::to_string(index));
  const Worm& before = plan.worms[static_cast<std::size_t>(worm.after)];
  const bool arrives = std::any_of(before.stops.begin(), before.stops.end(), [&](const Stop& stop) {
    return stop.action != StopAction::branch && stop.node == worm.source.value;
  });
  if (!arrives)
    refuse(worm_place(index) + ".after", "worm " + std::to_string(worm.after) + " is not consumed at node " +
                                             host + ", where worm " + std::to_string(index) + " starts");
}

/// Nodes in the network, parents before children, destinations only.
void check_stops(const Topology& network, const Plan& plan, std::size_t index) {
  const Worm& worm = plan.worms[index];
  const auto& destinations = plan.request.destinations;
  std::size_t roots = 0;
  for (std::size_t i = 0; i < worm.stops.size(); ++i) {
    const Stop& stop = worm.stops[i];
    const std::string node = std::to_string(stop.node);
    const std::uint32_t nodes = stop.action == StopAction::branch ? network.routers() : network.hosts();
    if (stop.node >= nodes)
      refuse(stop_place(index, i), "node " + node + " is not in topology " + network.name() + " (" +
                                       std::to_string(nodes) + " nodes)");
    if (stop.parent < -1 || stop.parent >= static_cast<std::int32_t>(i))
      refuse(worm_place(index) + ".parents[" + std::to_string(i) + "]",
             std::to_string(stop.parent) + " is not a stop before " + std::to_string(i));
    roots += stop.parent < 0 ? 1 : 0;
    if (stop.action == StopAction::deliver &&
        !std::binary_search(destinations.begin(), destinations.end(), HostId{stop.node}))
      refuse(stop_place(index, i), "node " + node + " is not a destination of the multicast");
  }
  if (worm.first_port && roots > 1)
    refuse(worm_place(index) + ".first_port", "the worm leaves its source by several branches");
}

/// A worm that relays may not be consumed twice at one host: it would wait for itself.
void check_consumption(const Worm& worm, std::size_t index) {
  const auto relays = [](const Stop& stop) { return stop.action == StopAction::relay; };
  if (std::none_of(worm.stops.begin(), worm.stops.end(), relays)) return;
  std::vector<std::uint32_t> hosts;
  for (const Stop& stop : worm.stops)
    if (stop.action != StopAction::branch) hosts.push_back(stop.node);
  std::sort(hosts.begin(), hosts.end());
  const auto twice = std::adjacent_find(hosts.begin(), hosts.end());
  if (twice != hosts.end())
    refuse(worm_place(index) + ".stops", "the worm is consumed twice at node " + std::to_string(*twice));
}

void check_measure(const char* field, std::optional<std::uint64_t>& stated, std::uint64_t computed) {
  if (stated && *stated != computed)
    refuse(field,
           "the plan says " + std::to_string(*stated) + ", its routes have " + std::to_string(computed));
  stated = computed;
}

/// Every destination once.
void check_coverage(const Request& request, std::vector<std::uint32_t>& delivered) {
  std::sort(delivered.begin(), delivered.end());
  const auto twice = std::adjacent_find(delivered.begin(), delivered.end());
  if (twice != delivered.end())
    refuse("worms", "destination " + std::to_string(*twice) + " is delivered more than once");
  for (std::size_t i = 0; i < request.destinations.size(); ++i)
    if (i >= delivered.size() || delivered[i] != request.destinations[i].value)
      refuse("worms", "no worm delivers to destination " + std::to_string(request.destinations[i].value));
}

}  // namespace

Expander::Expander(const RoutingFunction& routing)
    : routing_(&routing),
      marks_((std::size_t{routing.topology().channel_bound()} * routing.virtual_channels() + 63) / 64) {}

Routes Expander::expand(Plan plan) {
  Routes routes;
  routes.worms.resize(plan.worms.size());
  sum_.clear();
  delivered_.clear();
  for (std::size_t i = 0; i < plan.worms.size(); ++i) expand_worm(plan, i, routes.worms[i]);
  check_coverage(plan.request, delivered_);
  check_measure("traffic_channels", plan.traffic_channels, sum_.total().traffic_channels);
  check_measure("longest_path_hops", plan.longest_path_hops, sum_.total().longest_path_hops);
  check_measure("longest_chain_hops", plan.longest_chain_hops, sum_.total().longest_chain_hops);
  routes.plan = std::move(plan);
  return routes;
}

void Expander::expand_worm(const Plan& plan, std::size_t index, WormRoute& route) {
  const Worm& worm = plan.worms[index];
  worm_index_ = index;
  check_start(plan, index);
  check_stops(routing_->topology(), plan, index);
  check_consumption(worm, index);
  route.source = worm.source;
  route.after = worm.after;
  route.replication = worm.replication;
  places_.resize(worm.stops.size());
  depths_.resize(worm.stops.size());
  try {
    for (std::size_t i = 0; i < worm.stops.size(); ++i) walk_leg(worm, i, route);
  } catch (...) {
    clear_marks(route);
    throw;
  }
  clear_marks(route);
  route.settle_replication();
  const auto channels = static_cast<std::uint64_t>(std::count_if(
      route.hops.begin(), route.hops.end(), [](const RouteHop& hop) { return hop.is_channel(); }));
  sum_.add(worm, depths_, channels);
}

void Expander::walk_leg(const Worm& worm, std::size_t index, WormRoute& route) {
  const Topology& network = routing_->topology();
  const Stop& stop = worm.stops[index];
  const NodeId to =
      stop.action == StopAction::branch ? NodeId{stop.node} : network.router_of(HostId{stop.node});
  if (stop.parent < 0) {
    const NodeId source = network.router_of(worm.source);
    here_ = {source, routing_->first(source, to, worm.vc_class), -1};
    here_depth_ = 0;
    if (worm.first_port) {
      if (source == to)
        refuse(stop_place(worm_index_, index),
               "the stop is at the source, which the worm must leave by a forced port");
      try {
        take(worm, index, routing_->forced(source, *worm.first_port, here_.state, to), route);
      } catch (InputError& error) {
        if (error.field == "first_port") error.field = worm_place(worm_index_) + ".first_port";
        throw;
      }
    }
  } else {
    here_ = places_[static_cast<std::size_t>(stop.parent)];
    here_depth_ = depths_[static_cast<std::size_t>(stop.parent)];
  }
  while (here_.node != to) take(worm, index, routing_->next(here_.node, here_.state, to), route);
  places_[index] = here_;
  depths_[index] = here_depth_;
  if (stop.action == StopAction::branch) return;
  const bool delivers = stop.action == StopAction::deliver;
  if (delivers) delivered_.push_back(stop.node);
  route.hops.push_back(
      {stop.node, here_.hop, 0, delivers ? RouteHop::Kind::deliver : RouteHop::Kind::relay, 0});
}

void Expander::take(const Worm& worm, std::size_t stop, const RoutingStep& step, WormRoute& route) {
  const std::size_t bit = std::size_t{step.vc} * routing_->topology().channel_bound() + step.channel.value;
  std::uint64_t& word = marks_[bit / 64];
  const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
  if ((word & mask) != 0)
    refuse(stop_place(worm_index_, stop),
           "on the way to node " + std::to_string(worm.stops[stop].node) + " the worm would use channel " +
               std::to_string(step.channel.value) + " (virtual channel " + std::to_string(step.vc) +
               ") out of node " + std::to_string(here_.node.value) + " a second time");
  word |= mask;
  route.hops.push_back({step.channel.value, here_.hop, step.vc, RouteHop::Kind::channel, 0});
  here_ = {step.to, step.state, static_cast<std::int32_t>(route.hops.size()) - 1};
  ++here_depth_;
}

void Expander::clear_marks(const WormRoute& route) {
  const std::size_t channels = routing_->topology().channel_bound();
  for (const RouteHop& hop : route.hops)
    if (hop.is_channel()) marks_[(hop.vc * channels + hop.target) / 64] = 0;
}

Routes expand(Plan plan, const RoutingFunction& routing) { return Expander(routing).expand(std::move(plan)); }

}  // namespace wormcast

// Worms that are routed on the way: which plans may be, and that routers cannot choose a dead end.
//
// Only chains of stops are routed on the way. Where the function's history can matter, every place that a
// worm can come to, a router and a state, is searched leg by leg from all places in which it can stand at
// the stop before: no place before the next stop may be without candidates. Functions without history
// promise that, and nothing is searched.
// Cost: O(1) a stop, else O(places · ports) a leg. cite: this project.
// SPDX-License-Identifier: MIT
#include "multicast/expansion/expand.hpp"

#include <algorithm>
#include <string>

#include "topology/error.hpp"

namespace wormcast {
namespace {

std::string place_of(std::size_t worm, std::string_view key) {
  return "worms[" + std::to_string(worm) + "]." + std::string(key);
}

std::string place_of(std::size_t worm, std::size_t stop) {
  return place_of(worm, "stops[" + std::to_string(stop) + "]");
}

/// What the shortest ways have, which no choice of a minimal function makes longer or shorter.
void check_stated(const char* field, std::optional<std::uint64_t>& stated, std::uint64_t shortest) {
  if (stated && *stated != shortest)
    throw InputError(field, "the plan says " + std::to_string(*stated) + ", its shortest ways have " +
                                std::to_string(shortest));
  stated.reset();
}

}  // namespace

void OnTheWay::expand(Routes& routes) {
  Plan& plan = routes.plan;
  routes.worms.resize(plan.worms.size());
  for (std::size_t i = 0; i < plan.worms.size(); ++i) {
    const Worm& worm = plan.worms[i];
    check_worm(worm, i);
    WormRoute& route = routes.worms[i];
    route.source = worm.source;
    route.after = worm.after;
    route.replication = worm.replication;
    route.header_flits = worm.header_flits;
    route.hops.clear();
  }
  if (!plan.traffic_channels && !plan.longest_path_hops && !plan.longest_chain_hops) return;
  const PlanMeasures shortest = measure(plan.worms, *routing_);
  check_stated("traffic_channels", plan.traffic_channels, shortest.traffic_channels);
  check_stated("longest_path_hops", plan.longest_path_hops, shortest.longest_path_hops);
  check_stated("longest_chain_hops", plan.longest_chain_hops, shortest.longest_chain_hops);
}

NodeId OnTheWay::node_of(const Stop& stop) const {
  return stop.action == StopAction::branch ? NodeId{stop.node}
                                           : routing_->topology().router_of(HostId{stop.node});
}

void OnTheWay::check_worm(const Worm& worm, std::size_t index) {
  if (!is_chain(worm))
    throw InputError(place_of(index, "parents"),
                     "the worm branches; an adaptive routing function takes unicasts and paths");
  try {
    begin_leg(worm, index, node_of(worm.stops.front()));
  } catch (InputError& error) {
    if (error.field == "class" || error.field == "first_port") error.field = place_of(index, error.field);
    throw;
  }
  if (routing_->history_free()) return;
  for (std::size_t s = 0; s < worm.stops.size(); ++s) check_leg(worm, index, s);
}

/// The places at the source, or after its forced port.
void OnTheWay::begin_leg(const Worm& worm, std::size_t index, NodeId to) {
  const NodeId source = routing_->topology().router_of(worm.source);
  const RoutingState state = routing_->first(source, to, worm.vc_class);
  arrivals_.assign(1, {source, state});
  if (!worm.first_port) return;
  if (source == to)
    throw InputError(place_of(index, std::size_t{0}),
                     "the stop is at the source, which the worm must leave by a forced port");
  routing_->forced_candidates(source, *worm.first_port, state, to, candidates_);
  arrivals_.clear();
  for (const RoutingCandidate& hop : candidates_) arrivals_.push_back({hop.to, hop.state});
}

void OnTheWay::reach(Place place) {
  const std::uint64_t mark = std::uint64_t{place.node.value} << 32 | place.state.bits;
  const auto at = std::lower_bound(marks_.begin(), marks_.end(), mark);
  if (at != marks_.end() && *at == mark) return;
  marks_.insert(at, mark);
  reached_.push_back(place);
}

void OnTheWay::check_leg(const Worm& worm, std::size_t index, std::size_t stop) {
  const NodeId to = node_of(worm.stops[stop]);
  reached_.clear();
  marks_.clear();
  for (const Place& place : arrivals_) reach(place);
  arrivals_.clear();
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    const Place here = reached_[i];
    if (here.node == to) {
      arrivals_.push_back(here);
      continue;
    }
    routing_->candidates(here.node, here.state, to, candidates_);
    if (candidates_.empty())
      throw InputError(place_of(index, stop),
                       "the worm may come to router " + std::to_string(here.node.value) +
                           ", from where no way leads to router " + std::to_string(to.value));
    for (const RoutingCandidate& hop : candidates_) reach({hop.to, hop.state});
  }
}

}  // namespace wormcast

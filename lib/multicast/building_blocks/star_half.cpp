// Costs of the legs of a star, by either first-hop rule, and its worms.
//
// This is the report's constraint function c. Strict: a first leg to d is allowed only by the port
// that the routing function takes towards d. Free: by every port whose neighbour w lies on the way,
// at 1 + d(w, d) hops; on 2-D meshes this gives the optimum over all label-monotone stars.
// cite: Bouchitté, Cohen, Fleury 1997, equations (5) and (7).
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/star_half.hpp"

#include <algorithm>

#include "routing/routing_function.hpp"
#include "topology/error.hpp"

namespace wormcast {

StarHalf::StarHalf(const PlanningContext& context, HostId source, std::vector<HostId> destinations, bool up,
                   FirstHop rule)
    : topology_(&context.topology),
      routing_(&context.routing),
      source_(source),
      destinations_(std::move(destinations)),
      up_(up),
      rule_(rule),
      ports_(star_ports(*topology_, source, up)) {
  std::erase_if(ports_, [&](const StarPort& port) {
    // By the free rule the farthest destination can be first by any port that reaches one at all.
    bool reaches =
        !destinations_.empty() && rule == FirstHop::free && compute_first(port, node(size() - 1)) != no_leg;
    for (std::size_t j = 0; rule == FirstHop::strict && j < size() && !reaches; ++j)
      reaches = compute_first(port, node(j)) != no_leg;
    return !reaches;
  });
}

StarHalf StarHalf::strict() const {
  return {{*topology_, *routing_, {}}, source_, destinations_, up_, FirstHop::strict};
}

std::uint32_t StarHalf::compute_first(const StarPort& port, NodeId to) const {
  const NodeId from = source_node();
  if (rule_ == FirstHop::strict) {
    const RoutingStep step = routing_->next(from, routing_->first(from, to, 0), to);
    return step.channel == port.channel ? routing_->distance(from, to) : no_leg;
  }
  if (!on_the_way(topology_->label(from), port.label, topology_->label(to))) return no_leg;
  return 1 + routing_->distance(port.neighbour, to);
}

std::uint32_t StarHalf::first(std::size_t port, std::size_t j) const {
  return compute_first(ports_[port], node(j));
}

std::uint32_t StarHalf::leg(std::size_t i, std::size_t j) const {
  return legs_.empty() ? routing_->distance(node(i), node(j)) : legs_[i * size() + j];
}

void StarHalf::tabulate() {
  constexpr std::size_t most = 2048;
  if (size() > most || !legs_.empty()) return;
  std::vector<std::uint32_t> legs(size() * size(), no_leg);
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t j = i + 1; j < size(); ++j) legs[i * size() + j] = leg(i, j);
  legs_ = std::move(legs);
}

std::vector<StarHalf> star_halves(const PlanningContext& context, const Request& request,
                                  LabelHalves& split) {
  std::vector<StarHalf> halves;
  halves.reserve(2);
  for (const bool up : {true, false}) {
    std::vector<HostId>& destinations = up ? split.up : split.down;
    if (destinations.empty() || destinations.front() == request.source) continue;
    halves.emplace_back(context, request.source, std::move(destinations), up, first_hop_option(context));
  }
  return halves;
}

StarCost cost_of(const StarLegs& legs, const Star& star) {
  StarCost cost;
  for (const StarPath& path : star) {
    std::int64_t hops = 0;
    for (std::size_t i = 0; i < path.stops.size(); ++i)
      hops += i == 0 ? legs.first(path.port, path.stops[0]) : legs.leg(path.stops[i - 1], path.stops[i]);
    cost.longest = std::max(cost.longest, hops);
    cost.traffic += hops;
  }
  return cost;
}

CostedStar costed(const StarLegs& legs, Star star) {
  const StarCost cost = cost_of(legs, star);
  return {std::move(star), cost};
}

void append_star(const StarHalf& half, const Star& star, std::vector<Worm>& worms) {
  for (const StarPath& path : star) {
    if (path.stops.empty()) continue;
    Worm& worm = worms.emplace_back();
    worm.source = half.source();
    worm.stops.reserve(path.stops.size());
    for (const std::uint32_t stop : path.stops)
      worm.stops.push_back({half.destinations()[stop].value, static_cast<std::int32_t>(worm.stops.size()) - 1,
                            StopAction::deliver});
    leave_by(worm, half.ports()[path.port].port, half.routing());
  }
}

bool edge_disjoint_option(const PlanningContext& context) {
  const bool asked = context.option("edge-disjoint") == "yes";
  if (asked && context.routing.adaptive())
    throw InputError("--edge-disjoint",
                     "worms may share channels where an adaptive routing function chooses them");
  return asked;
}

FirstHop first_hop_option(const PlanningContext& context) {
  return context.option("first-hop") == "free" ? FirstHop::free : FirstHop::strict;
}

}  // namespace wormcast

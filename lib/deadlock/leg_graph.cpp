// The dependency graph of all multicasts a planner can plan, from its legs.
//
// A routing function without history sends every leg to one destination the same way on from a node,
// so a walk stops where an earlier one to the same destination has passed: N legs to a destination
// cost N steps together. At a stop, every last channel of legs that arrive meets every first channel
// of legs that go on; few of either exist at a node, however many legs there are.
// The graph holds every dependency any plan can have, so a numbering of it proves the planner safe. It
// may hold more (two legs that no multicast has together), so its cycles prove nothing by themselves.
// Cost: O(N²) steps for N hosts, or O(N² · length) where routing has a history.
// cite: ALGORITHMS G.4; Dally, Seitz 1987.
// SPDX-License-Identifier: MIT
#include "deadlock/leg_graph.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "deadlock/footprint.hpp"

namespace wormcast {

LegGraph::LegGraph(const RoutingFunction& routing, const RouterModel& model, DependencyGraph& graph)
    : routing_(routing),
      topology_(routing.topology()),
      model_(model),
      resources_(topology_, model),
      graph_(graph),
      expander_(routing),
      to_(std::numeric_limits<std::uint32_t>::max()) {
  for (std::vector<std::uint32_t>& nodes : walked_) nodes.assign(topology_.routers(), 0);
  arrivals_.resize(std::size_t{topology_.hosts()} * kinds);
  departures_.resize(arrivals_.size());
}

bool LegGraph::known_from(NodeId node, std::size_t kind) {
  if (!routing_.history_free()) return false;
  std::uint32_t& walked = walked_[kind][node.value];
  if (walked == epoch_) return true;
  walked = epoch_;
  return false;
}

ResourceId LegGraph::consumption(HostId host, Channel input) const {
  return resources_.consumption(host, input.channel, input.vc);
}

void LegGraph::start(const Leg& leg, ResourceId first) {
  const Cause cause{leg.from.value, leg.to.value, -1};
  if (topology_.hosts_have_links()) graph_.add(resources_.host_link(leg.from), first, cause);
  if (model_.injection_channels > 0)
    graph_.add(resources_.injection(leg.from),
               topology_.hosts_have_links() ? resources_.host_link(leg.from) : first, cause);
  graph_.add_resource(first);
}

void LegGraph::arrive(HostId host, std::size_t kind, Channel last, const Cause& cause) {
  graph_.add(resources_.network(last.channel, last.vc), consumption(host, last), cause);
  if (kind == no_kind) return;
  note(arrivals_[host.value * kinds + kind], last);
}

void LegGraph::note(std::vector<Channel>& known, const Channel& channel) {
  for (Channel& other : known) {
    if (other.channel != channel.channel || other.vc != channel.vc) continue;
    if (channel.single) other = channel;
    return;
  }
  known.push_back(channel);
}

void LegGraph::leg(const Leg& leg) {
  ++legs_;
  if (leg.to != to_ || leg.vc_class != vc_class_) ++epoch_;
  to_ = leg.to;
  vc_class_ = leg.vc_class;
  const std::size_t kind = leg.arrives ? *leg.arrives : no_kind;
  const Cause cause{leg.from.value, leg.to.value, -1};
  const NodeId target = topology_.router_of(leg.to);
  NodeId at = topology_.router_of(leg.from);
  RoutingState state = routing_.first(at, target, leg.vc_class);
  if (at == target) return;  // two hosts of one router: their links only
  std::optional<Channel> before;
  for (bool walked = false; at != target && !walked;) {
    const bool forced = !before && leg.first_port;
    walked = !forced && known_from(at, kind);
    const RoutingStep step =
        forced ? routing_.forced(at, *leg.first_port, state, target) : routing_.next(at, state, target);
    const ResourceId resource = resources_.network(step.channel, step.vc);
    const bool single = !before && step.to == target;
    const Channel taken{step.channel, step.vc, leg.from, single};
    if (before) {
      graph_.add(resources_.network(before->channel, before->vc), resource, cause);
    } else {
      start(leg, resource);
      if (leg.goes_on)
        note(departures_[leg.from.value * kinds + *leg.goes_on],
             Channel{step.channel, step.vc, leg.to, single});
    }
    before = taken;
    at = step.to;
    state = step.state;
    if (at == target) arrive(leg.to, kind, *before, cause);
  }
}

void LegGraph::part_of(const Worm& worm) {
  ++legs_;
  Plan plan;
  plan.request.source = worm.source;
  for (const Stop& stop : worm.stops)
    if (stop.action == StopAction::deliver) plan.request.destinations.push_back(HostId{stop.node});
  std::sort(plan.request.destinations.begin(), plan.request.destinations.end());
  plan.worms.push_back(worm);
  plan.worms.front().after = -1;
  const Routes routes = expander_.expand(std::move(plan));
  const Footprint footprint(topology_, resources_, model_, routes.worms.front(),
                            std::numeric_limits<std::uint64_t>::max());
  const Cause cause{worm.source.value, worm.stops.back().node, -1};
  graph_.add(footprint, cause);
  if (footprint.advance() != Advance::path) return;
  const auto steps = footprint.steps();
  for (std::size_t i = 1; i + 1 < steps.size(); ++i)  // the same without a delivery on the way
    if (!steps[i].buffered && steps[i].hop >= 0)
      graph_.add(steps[i - 1].resource, steps[i + 1].resource, cause);
}

void LegGraph::finish() {
  for (std::uint32_t host = 0; host < topology_.hosts(); ++host) {
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      for (const Channel last : arrivals_[host * kinds + kind])
        for (const Channel next : departures_[host * kinds + kind])
          graph_.add(consumption(HostId{host}, last), resources_.network(next.channel, next.vc),
                     Cause{last.far_end.value, host, static_cast<std::int32_t>(next.far_end.value)});
    }
  }
}

}  // namespace wormcast

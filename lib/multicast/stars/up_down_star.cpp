// What may follow what in up*/down* path worms.
//
// A worm goes up and down to its first stop and only down from there on (up-down-path). So b may follow
// a if and only if it lies below a, whatever came before a: the relation is acyclic (levels and ids grow
// along it) and the cost of a leg does not depend on the worm's history. The phase, up or down, is spent
// on the first leg. Least traffic then is an assignment, as on Hamiltonian paths.
// Deadlock-free, with one consumption channel a host too: channels up in falling (level, id), then, by
// growing (level, id) of the router, the channels down into it before its consumption channels before the
// channels down out of it; a worm takes them in that order. Two hosts of one router at one stop are two
// outputs that wait for each other, so worms that serve them together need buffers for the whole worm.
// Cost: O(k²) legs, and matchings without costs to find how many worms a port must send.
// cite: Schroeder et al. 1990; Panda, Singal, Kesavan 1999 (base routing conformed paths); the star: this
// project.
// SPDX-License-Identifier: MIT
#include "multicast/stars/star_search.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "multicast/building_blocks/worms.hpp"

namespace wormcast {

UpDownStar::UpDownStar(const PlanningContext& context, const Request& request, FirstHop rule, bool together)
    : routing_(&context.routing), source_(request.source), together_(together) {
  const UpDownSetup& setup = *routing_->up_down();
  const NodeId source = context.topology.router_of(source_);
  for (SwitchGroup& group : group_by_switch(context.topology, request)) {
    if (group.node == source)
      local_ = std::move(group.hosts);
    else if (together)
      targets_.push_back(std::move(group));
    else
      for (const HostId host : group.hosts) targets_.push_back({group.node, {host}});
  }
  std::sort(targets_.begin(), targets_.end(), [&](const SwitchGroup& a, const SwitchGroup& b) {
    return std::tuple(setup.level(a.node), a.node, a.hosts) <
           std::tuple(setup.level(b.node), b.node, b.hosts);
  });
  for (const Arc& arc : setup.arcs(source)) {
    std::vector<std::uint32_t> row;
    for (const SwitchGroup& target : targets_) row.push_back(compute_first(arc, target.node, rule));
    if (std::all_of(row.begin(), row.end(), [](std::uint32_t hops) { return hops == no_leg; })) continue;
    ports_.push_back(arc.port);
    first_.insert(first_.end(), row.begin(), row.end());
  }
  legs_.assign(size() * size(), no_leg);
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t j = i + 1; j < size(); ++j)
      if (targets_[i].node != targets_[j].node) {
        const std::uint32_t hops = setup.down_distance(targets_[i].node, targets_[j].node);
        if (hops != unreachable) legs_[i * size() + j] = hops;
      }
}

std::uint32_t UpDownStar::compute_first(const Arc& arc, NodeId to, FirstHop rule) const {
  const UpDownSetup& setup = *routing_->up_down();
  if (rule == FirstHop::strict) {
    const NodeId source = routing_->topology().router_of(source_);
    const RoutingStep step = routing_->next(source, routing_->first(source, to, 0), to);
    return step.channel == arc.channel ? setup.distance(source, to) : no_leg;
  }
  const std::uint32_t rest = arc.up ? setup.distance(arc.to, to) : setup.down_distance(arc.to, to);
  return rest == unreachable ? no_leg : rest + 1;
}

std::int64_t UpDownStar::furthest() const {
  std::uint32_t furthest = 0;
  for (std::size_t j = 0; j < size(); ++j) {
    std::uint32_t nearest = no_leg;
    for (std::size_t p = 0; p < port_count(); p += worms_a_port_) nearest = std::min(nearest, first(p, j));
    furthest = std::max(furthest, nearest);
  }
  return furthest;
}

void UpDownStar::append_worms(const Star& star, std::vector<Worm>& worms) const {
  for (const StarPath& path : star) {
    std::vector<HostId> stops;
    for (const std::uint32_t stop : path.stops)
      stops.insert(stops.end(), targets_[stop].hosts.begin(), targets_[stop].hosts.end());
    if (stops.empty()) continue;
    worms.push_back(chain_worm(source_, stops));
    leave_by(worms.back(), ports_[path.port / worms_a_port_], *routing_);
  }
}

void UpDownStar::append_local(std::vector<Worm>& worms) const {
  if (together_) return append_chain(worms, source_, local_);
  for (const HostId& host : local_) append_chain(worms, source_, {&host, 1});
}

Star fewest_worms_a_port(UpDownStar& legs) {
  const auto will_do = [&](std::size_t worms) {
    legs.allow(worms);
    return crowd_of(legs).empty();
  };
  std::size_t too_few = 0;
  std::size_t enough = 1;
  while (!will_do(enough)) {  // ends: with a worm for each destination there is a star
    too_few = enough;
    enough *= 2;
  }
  while (enough - too_few > 1) {
    const std::size_t middle = too_few + (enough - too_few) / 2;
    (will_do(middle) ? enough : too_few) = middle;
  }
  legs.allow(enough);
  return least_traffic_flow(legs);
}

std::vector<std::uint64_t> crowd_of(const StarLegs& legs) {
  const std::size_t ports = legs.port_count();
  const auto may_precede = [&](std::size_t b, std::size_t j) {
    if (b < ports) return legs.first(b, j) != StarLegs::no_leg;
    return b - ports < j && legs.leg(b - ports, j) != StarLegs::no_leg;
  };
  constexpr std::size_t unmatched = static_cast<std::size_t>(-1);
  std::vector<std::size_t> follower(ports + legs.size(), unmatched);
  std::vector<bool> seen;
  // Looks for a predecessor of j that is free, else moves others on: an alternating path of the matching.
  const std::function<bool(std::size_t)> place = [&](std::size_t j) {
    for (std::size_t b = 0; b < ports + legs.size(); ++b) {
      if (follower[b] != unmatched || !may_precede(b, j)) continue;
      follower[b] = j;
      return true;
    }
    for (std::size_t b = 0; b < ports + legs.size(); ++b) {
      if (seen[b] || !may_precede(b, j)) continue;
      seen[b] = true;
      if (!place(follower[b])) continue;
      follower[b] = j;
      return true;
    }
    return false;
  };
  for (std::size_t j = 0; j < legs.size(); ++j) {
    seen.assign(ports + legs.size(), false);
    if (place(j)) continue;
    // All that may precede j, or those that had to move for it, are taken: by these.
    std::vector<std::uint64_t> crowd{j};
    for (std::size_t b = 0; b < seen.size(); ++b)
      if (seen[b]) crowd.push_back(follower[b]);
    std::sort(crowd.begin(), crowd.end());
    return crowd;
  }
  return {};
}

}  // namespace wormcast

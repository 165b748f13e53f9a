// The union of routes, walked one after the other.
//
// Dimension order, tree links, and shortest ways with ties to the lowest neighbour have a property: a part of
// a route is the route between its ends. Two routes from one source that met again after they parted would
// have different parts between the same ends; so they form a tree, and a part of the tree to all hosts. (Of
// shortest ways the route is the first in the order of (neighbour, port), hop by hop. If another way were
// before a part of it, the whole with that in its place would be before the route.) Cost: a step a hop and
// branch there. cite: derived here.
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/route_tree.hpp"

#include <algorithm>
#include <utility>

#include "multicast/building_blocks/worms.hpp"
#include "routing/grid_walk.hpp"

namespace wormcast {

RouteTree::RouteTree(const RoutingFunction& routing, HostId source, std::uint32_t vc_class)
    : routing_(&routing), source_(source), vc_class_(vc_class) {
  nodes_.reserve(64);
  nodes_.push_back({routing.topology().router_of(source)});
}

std::int32_t RouteTree::follow(std::int32_t at, const RoutingStep& step) {
  std::int32_t before = -1;
  std::int32_t next = nodes_[static_cast<std::size_t>(at)].child;
  for (; next >= 0; next = nodes_[static_cast<std::size_t>(before)].sibling) {
    const Node& node = nodes_[static_cast<std::size_t>(next)];
    if (node.channel == step.channel) return next;
    if (step.channel < node.channel) break;
    before = next;
  }
  const auto made = static_cast<std::int32_t>(nodes_.size());
  nodes_.push_back({step.to, step.channel, at, -1, next});
  (before < 0 ? nodes_[static_cast<std::size_t>(at)].child
              : nodes_[static_cast<std::size_t>(before)].sibling) = made;
  return made;
}

void RouteTree::add(HostId host) {
  const NodeId to = routing_->topology().router_of(host);
  std::int32_t at = 0;
  NodeId router = nodes_.front().router;
  RoutingState state = router == to ? RoutingState{} : routing_->first(router, to, vc_class_);
  while (router != to) {
    const RoutingStep step = routing_->next(router, state, to);
    at = follow(at, step);
    router = step.to;
    state = step.state;
  }
  std::int32_t* last = &nodes_[static_cast<std::size_t>(at)].end;
  while (*last >= 0) last = &ends_[static_cast<std::size_t>(*last)].next;
  *last = static_cast<std::int32_t>(ends_.size());
  ends_.push_back({host});
}

std::vector<Stop> RouteTree::stops() const {
  std::vector<Stop> stops;
  std::vector<std::pair<std::int32_t, std::int32_t>> open{{0, -1}};  // a node, and the last stop before it
  while (!open.empty()) {
    const std::int32_t at = open.back().first;
    std::int32_t last = open.back().second;
    open.pop_back();
    const Node& node = nodes_[static_cast<std::size_t>(at)];
    const auto stop = [&](std::uint32_t where, StopAction action) {
      stops.push_back({where, last, action});
      last = static_cast<std::int32_t>(stops.size()) - 1;
    };
    for (std::int32_t end = node.end; end >= 0; end = ends_[static_cast<std::size_t>(end)].next)
      stop(ends_[static_cast<std::size_t>(end)].host.value, StopAction::deliver);
    const bool splits = node.child >= 0 && nodes_[static_cast<std::size_t>(node.child)].sibling >= 0;
    if (at != 0 && node.end < 0 && splits) stop(node.router.value, StopAction::branch);
    const std::size_t first = open.size();
    for (std::int32_t child = node.child; child >= 0; child = nodes_[static_cast<std::size_t>(child)].sibling)
      open.emplace_back(child, last);
    std::reverse(open.begin() + static_cast<std::ptrdiff_t>(first), open.end());
  }
  return stops;
}

std::vector<Worm> RouteTree::paths(bool all) const {
  const bool rise = routing_->rises_after_stops();
  std::vector<Worm> worms;
  std::vector<bool> served(nodes_.size(), false);
  std::vector<HostId> way;
  const auto add = [&] {
    std::reverse(way.begin(), way.end());
    worms.push_back(chain_worm(source_, way));
    std::reverse(way.begin(), way.end());
    worms.back().vc_class = vc_class_;
  };
  for (std::size_t end = nodes_.size() - 1; end > 0; --end) {  // what is behind a node comes before it
    // Where a worm may go on, a shorter one is a part of a longer one, but for virtual channels.
    if (nodes_[end].end < 0 || (all ? !rise && nodes_[end].child >= 0 : served[end])) continue;
    way.clear();
    for (std::size_t at = end; at > 0;) {
      const Node& node = nodes_[at];
      const auto parent = static_cast<std::size_t>(node.parent);
      if (node.end >= 0 && !served[at]) way.push_back(ends_[static_cast<std::size_t>(node.end)].host);
      served[at] = !all;
      if (all && rise && node.end >= 0) add();
      if (rise && node.router < nodes_[parent].router) break;
      at = parent;
    }
    if (!(all && rise)) add();
  }
  return worms;
}

std::uint32_t class_of_stops(const PlanningContext& context) {
  const bool dateline = context.topology.ring_grid() && context.routing.classes() > 1;  // yx has none
  return dateline ? static_cast<std::uint32_t>(TorusClass::wrap_crossed) : 0;
}

}  // namespace wormcast

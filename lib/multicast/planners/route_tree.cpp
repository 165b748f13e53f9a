// The union of the routes to all destinations on any network: as one worm (route-tree), or as path worms,
// each for destinations on the way to its last one (route-paths).
//
// Dimension order, tree links, and shortest ways with ties to the lowest neighbour have a property: a part of
// a route is the route between its ends. Two routes from one source that met again after they parted would
// have different parts between the same ends; so they form a tree, and a part of the tree to all hosts. (Of
// shortest ways the route is the first in the order of (neighbour, port), hop by hop. If another way were
// before a part of it, the whole with that in its place would be before the route.)
//
// route-tree: dimension order on grids, as xy-tree; on graphs shortest routes by negative hops, or the links
// of a spanning tree. The worm splits where routes part, at explicit branch stops, and copies at destinations
// on the way. Copied asynchronously in buffers that hold a whole worm, each branch waits for its next channel
// alone, as a unicast does, so such trees are as free of deadlock as the unicasts of the routing function: by
// negative hops the virtual channel, and then the router's number, rise along every branch. Where a copy
// holds one output while it waits for another they can block each other, as those of xy-tree can.
//
// route-paths: by dimension order where there is one, a worm to each end of the tree of routes. It takes
// the channels of a unicast to its last destination, so among network channels it waits for nothing that
// unicasts do not, and a consumption channel of its input is asked for by what holds that input alone.
// Elsewhere, also where links run one way, by negative hops to the first stop, and from there on only to
// higher routers, on a virtual channel of its own (`negative-hop-path`). Free of deadlock for any lengths and
// buffers, with one consumption channel a host: first all channels up to a first stop, as of unicasts (by
// virtual channel, then router); then by the number of the router the channels of the last virtual channel
// into it, its consumption channels, and the channels of the last virtual channel out of it, which lead to
// higher ones. A worm takes them in that order. Destinations that share a router take a worm each: a worm
// that is copied to both would hold one while it waits for the other.
// Cost: O(sum of hops), a step a hop and branch there. cite: Lin, Ni 1991 (tree-based multicast); Panda,
// Singal, Kesavan 1999 (BRCP: paths that conform to the base routing); Boppana, Chalasani 1993 (negative
// hops); this project.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "multicast/building_blocks/grid_tree.hpp"
#include "multicast/legs.hpp"
#include "topology/connectivity.hpp"

namespace wormcast {
namespace {

/// The union of the routes by a function whose routes from one source part for good: every part of a route
/// is the route between its ends, but for virtual channels.
class RouteTree {
 public:
  /// Worms of `vc_class`.
  RouteTree(const RoutingFunction& routing, HostId source, std::uint32_t vc_class)
      : routing_(&routing), source_(source), vc_class_(vc_class) {
    nodes_.reserve(64);
    nodes_.push_back({routing.topology().router_of(source)});
  }

  /// Adds the route to `host`.
  void add(HostId host) {
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
  /// A worm that goes all ways, which stops where it is consumed or splits.
  std::vector<Stop> stops() const {
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
      for (std::int32_t child = node.child; child >= 0;
           child = nodes_[static_cast<std::size_t>(child)].sibling)
        open.emplace_back(child, last);
      std::reverse(open.begin() + static_cast<std::ptrdiff_t>(first), open.end());
    }
    return stops;
  }
  /// Path worms for the hosts, of which no router has two and that of the source none: each for those on the
  /// way to its last one, that may go on from there, and that no other one is for. `all`: every one that any
  /// of the hosts can have.
  std::vector<Worm> paths(bool all) const {
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

 private:
  struct Node {
    NodeId router;
    ChannelId channel{};  ///< by which it is entered
    std::int32_t parent = -1;
    std::int32_t child = -1;    ///< that of the least channel
    std::int32_t sibling = -1;  ///< the next by channel
    std::int32_t end = -1;      ///< of the first route that ends here
  };
  struct End {
    HostId host;
    std::int32_t next = -1;  ///< at the same router
  };

  std::int32_t follow(std::int32_t at, const RoutingStep& step) {
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

  const RoutingFunction* routing_;
  HostId source_;
  std::uint32_t vc_class_;
  std::vector<Node> nodes_;  ///< the source's router first
  std::vector<End> ends_;
};

constexpr std::array<PlannerParameter, 1> route_tree_parameters = {
    {{"replication", {"asynchronous", "lock-step"}, tree_replication.summary}}};

std::vector<Worm> plan_tree(const PlanningContext& context, const Request& request) {
  std::vector<Worm> worms{{.source = request.source,
                           .vc_class = class_of_stops(context),
                           .replication = replication_of(context)}};
  RouteTree tree(context.routing, request.source, worms[0].vc_class);
  for (const HostId host : request.destinations) tree.add(host);
  worms[0].stops = tree.stops();
  return worms;
}

std::optional<std::string> no_route_tree(const Topology& topology) {
  if (topology.given_by_links() || !topology.intact()) return no_paths(topology);
  return needs(topology.one_way_grid() || !no_grid_tree(topology), "a mesh, a torus, a hypercube or a graph");
}

std::vector<Worm> plan_paths(const PlanningContext& context, const Request& request) {
  const NodeId home = context.topology.router_of(request.source);
  std::vector<Worm> worms;
  std::vector<SwitchGroup> groups = group_by_switch(context.topology, request);
  for (std::size_t round = 0; !groups.empty(); ++round) {
    RouteTree tree(context.routing, request.source, class_of_stops(context));
    for (const SwitchGroup& group : groups) {
      if (group.node == home)
        worms.push_back(chain_worm(request.source, {&group.hosts[round], 1}));
      else
        tree.add(group.hosts[round]);
    }
    for (Worm& worm : tree.paths(false)) worms.push_back(std::move(worm));
    std::erase_if(groups, [&](const SwitchGroup& group) { return group.hosts.size() == round + 1; });
  }
  return worms;
}

/// Of every source the worms to all hosts; of a router that has fewer than others its last one again.
void legs_of_paths(const PlanningContext& context, LegSink& sink) {
  const HostsByRouter hosts(context.topology);
  std::size_t most = 0;
  for (std::uint32_t r = 0; r < hosts.routers(); ++r) most = std::max(most, hosts.at(NodeId{r}).size());
  for (const HostId source : context.topology.host_ids()) {
    const NodeId home = context.topology.router_of(source);
    for (const HostId host : hosts.at(home))
      if (host != source) sink.part_of(chain_worm(source, {&host, 1}));
    for (std::size_t round = 0; round < most; ++round) {
      RouteTree tree(context.routing, source, class_of_stops(context));
      for (std::uint32_t r = 0; r < hosts.routers(); ++r) {
        const auto here = hosts.at(NodeId{r});
        if (r != home.value && !here.empty()) tree.add(here[std::min(round, here.size() - 1)]);
      }
      for (const Worm& worm : tree.paths(true)) sink.part_of(worm);
    }
  }
}

}  // namespace

extern const Planner planner_route_tree = {
    .name = "route-tree",
    .summary = "one tree worm: the union of the routes, by dimension order or negative hops",
    .topologies = "mesh, tori, hypercube, any connected graph",
    .cost = "O(k * hops)",
    .cite = "Lin, Ni 1991; this project",
    .needs = "copy to several ports",
    .parameters = route_tree_parameters,
    .routings = {"dimension-order", "one-way", "negative-hop", "spanning-tree"},
    .worms = {.from_source = true, .different_ports = true},
    .unsupported = no_route_tree,
    .plan = plan_tree,
    .legs = legs_of_broadcasts,
    .header = HeaderEncoding::bit_string,
};

extern const Planner planner_route_paths = {
    .name = "route-paths",
    .summary = "paths along routes, each for destinations on the way to its last one",
    .topologies = "any connected",
    .cost = "O(k * hops)",
    .cite = "Panda, Singal, Kesavan 1999; this project",
    .needs = "copy to the processor on the way",
    .routings = {"dimension-order", "one-way", "negative-hop-path"},
    .worms = {.from_source = true, .chains = true},
    .unsupported = any_topology,
    .plan = plan_paths,
    .legs = legs_of_paths,
};

}  // namespace wormcast

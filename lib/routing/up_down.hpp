// The set-up of up*/down* routing: spanning tree, link directions, legal distances, reachability.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "routing/routing_function.hpp"
#include "topology/connectivity.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// A link as the router at its near end sees it.
struct Arc {
  NodeId to;
  PortId port;
  ChannelId channel;
  bool up = false;  ///< towards the smaller (level, id)
};

/// True if a worm under up-down or a function made of it may only go down from here on.
constexpr bool may_only_go_down(RoutingState state) { return state.bits == 1; }
inline constexpr RoutingState going_down{1};

/// What every switch knows after the set-up. Legal routes go up any number of hops, then down any
/// number. The topology must be connected, and outlive it.
class UpDownSetup {
 public:
  /// The breadth-first tree starts at the topology's root.
  explicit UpDownSetup(const Topology& topology);

  const Topology& topology() const { return *topology_; }
  /// Hops from the root.
  std::uint32_t level(NodeId node) const { return levels_[node.value]; }
  /// Links of `node` in the order of (far end, port).
  std::span<const Arc> arcs(NodeId node) const {
    return {arcs_.data() + first_[node.value], arcs_.data() + first_[node.value + 1]};
  }
  /// Every router, by (level, id): those above a router come before it.
  std::span<const NodeId> by_level() const { return by_level_; }

  /// The router before `node` on the tree; nothing for the root.
  std::optional<NodeId> parent(NodeId node) const;
  /// Place of `node` in the depth-first order of the tree, children by id.
  std::uint32_t preorder_position(NodeId node) const { return position_[node.value]; }
  /// True if `node` is `ancestor` or below it on the tree.
  bool in_subtree(NodeId node, NodeId ancestor) const {
    const std::uint32_t offset = position_[node.value] - position_[ancestor.value];
    return offset < subtree_[ancestor.value];
  }

  /// Hops of a shortest legal route.
  std::uint32_t distance(NodeId from, NodeId to) const;
  /// Hops of a shortest route that only goes down; unreachable if there is none.
  std::uint32_t down_distance(NodeId from, NodeId to) const { return hops_to(to, true).down[from.value]; }
  /// The next hop of a shortest legal route, the lowest (far end, port) of all; nothing where the
  /// worm may only go down and `to` is not below.
  const Arc* next(NodeId at, bool down_only, NodeId to) const;
  /// Calls visit(arc) for every next hop of a shortest legal route, in the order of (far end, port).
  template <class Visit>
  void each_next(NodeId at, bool down_only, NodeId to, Visit visit) const {
    const Hops& hops = hops_to(to, down_only);
    for (const Arc& arc : arcs(at))
      if (closer(hops, at, down_only, arc)) visit(arc);
  }

 private:
  /// To one router, from every router: ways down only, and legal ones if these were asked for, too.
  struct Hops {
    std::vector<std::uint32_t> down, legal;
  };

  /// Whether `arc` is the first hop of a shortest way.
  static bool closer(const Hops& hops, NodeId at, bool down_only, const Arc& arc) {
    if (arc.up && down_only) return false;
    const std::uint32_t all = down_only ? hops.down[at.value] : hops.legal[at.value];
    const std::uint32_t rest = arc.up ? hops.legal[arc.to.value] : hops.down[arc.to.value];
    return rest != unreachable && rest + 1 == all;
  }
  /// Until it is called for another router.
  const Hops& hops_to(NodeId to, bool down_only) const {
    const Hops& known = hops_[to.value];
    return (down_only ? known.down : known.legal).empty() ? search(to, down_only) : known;
  }
  const Hops& search(NodeId to, bool down_only) const;

  static constexpr std::uint32_t no_router = 0xffffffff;

  const Topology* topology_;
  std::vector<Arc> arcs_;
  std::vector<std::uint32_t> first_;  ///< of each router in arcs_
  std::vector<std::uint32_t> levels_;
  std::vector<std::uint32_t> parents_;
  std::vector<NodeId> by_level_;
  std::vector<std::uint32_t> position_;
  std::vector<std::uint32_t> subtree_;  ///< routers in each subtree
  mutable std::vector<Hops> hops_;      ///< by destination, empty until asked for
  mutable std::size_t kept_ = 0;        ///< that are not empty
};

}  // namespace wormcast

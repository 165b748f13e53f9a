// The set-up of up*/down* routing: spanning tree, link directions, legal distances, reachability.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
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
  enum class Tables : std::uint8_t { hops, none };  ///< whether to keep the hops of all pairs

  /// The breadth-first tree starts at the topology's root. Without tables, and on large networks,
  /// distances and hops are searched for at every call.
  explicit UpDownSetup(const Topology& topology, Tables tables = Tables::hops);

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
  std::uint32_t down_distance(NodeId from, NodeId to) const;
  /// The next hop of a shortest legal route, the lowest (far end, port) of all; nothing where the
  /// worm may only go down and `to` is not below.
  const Arc* next(NodeId at, bool down_only, NodeId to) const;
  /// Calls visit(arc) for every next hop of a shortest legal route, in the order of (far end, port).
  template <class Visit>
  void each_next(NodeId at, bool down_only, NodeId to, Visit visit) const {
    std::vector<std::uint32_t> down;
    std::vector<std::uint32_t> legal;
    if (down_.empty()) search(to, down, legal);
    const std::size_t row = std::size_t{to.value} * topology_->routers();
    const auto down_hops = [&](NodeId from) {
      return down_.empty() ? down[from.value] : widen(down_[row + from.value]);
    };
    const auto legal_hops = [&](NodeId from) {
      return down_.empty() ? legal[from.value] : widen(legal_[row + from.value]);
    };
    const std::uint32_t hops = down_only ? down_hops(at) : legal_hops(at);
    if (hops == unreachable) return;
    for (const Arc& arc : arcs(at)) {
      if (arc.up && down_only) continue;
      const std::uint32_t rest = arc.up ? legal_hops(arc.to) : down_hops(arc.to);
      if (rest != unreachable && rest + 1 == hops) visit(arc);
    }
  }
  /// The link by which a copy for `to` leaves `at` downwards: on a shortest way down, the lowest (far
  /// end, port); nothing if `to` is not below, or is `at`.
  const Arc* down_link(NodeId at, NodeId to) const { return next(at, true, to); }

 private:
  static constexpr std::uint16_t no_way = std::numeric_limits<std::uint16_t>::max();
  static std::uint32_t widen(std::uint16_t hops) { return hops == no_way ? unreachable : hops; }

  const Arc* closer(NodeId at, bool down_only, const auto& down, const auto& legal) const;
  void number_levels();
  void number_tree();
  /// Hops to `to` from every router: down only, and by legal routes.
  void search(NodeId to, std::vector<std::uint32_t>& down, std::vector<std::uint32_t>& legal) const;

  const Topology* topology_;
  std::vector<Arc> arcs_;
  std::vector<std::uint32_t> first_;  ///< of each router in arcs_
  std::vector<std::uint32_t> levels_;
  std::vector<std::uint32_t> parents_;
  std::vector<NodeId> by_level_;
  std::vector<std::uint32_t> position_;
  std::vector<std::uint32_t> subtree_;  ///< routers in each subtree
  std::vector<std::uint16_t> down_;     ///< [to][from]; empty without tables
  std::vector<std::uint16_t> legal_;
};

}  // namespace wormcast

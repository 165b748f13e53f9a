// up*/down* routing and its set-up.
//
// A breadth-first tree from the root gives every router a level; each link, tree link or not, points
// up to its end of smaller (level, id). A legal route never goes up after it went down. Up channels
// are used in descending and down channels in ascending order of (level, id), and all ups before all
// downs, so the channel dependency graph is acyclic; the tree alone makes every pair routable.
// For each router as destination one sweep finds the hops of the shortest ways down (breadth first
// against the down links) and of the shortest legal routes (in the order of (level, id), where those
// above come first: legal(u) = min(down(u), 1 + min legal(v) over v above u)). Of the neighbours that
// are one hop closer the lowest (id, port) is taken.
// Cost: a sweep over the links for each destination that is asked for, whose hops are then kept, up to a
// limit of memory; a hop is O(ports). cite: Schroeder et al. 1990 (Autonet); Sivaram, Panda, Stunkel 1997.
// SPDX-License-Identifier: MIT
#include "routing/up_down.hpp"

#include <algorithm>
#include <utility>

#include "topology/refuse.hpp"

namespace wormcast {

UpDownSetup::UpDownSetup(const Topology& topology) : topology_(&topology), hops_(topology.routers()) {
  const Adjacency adjacency(topology);
  first_.push_back(0);
  for (std::uint32_t r = 0; r < topology.routers(); ++r) {
    for (const OutChannel& out : adjacency.out(NodeId{r}))
      arcs_.push_back({out.to, out.port, out.channel, false});
    std::sort(arcs_.begin() + first_.back(), arcs_.end(),
              [](const Arc& a, const Arc& b) { return std::pair(a.to, a.port) < std::pair(b.to, b.port); });
    first_.push_back(static_cast<std::uint32_t>(arcs_.size()));
  }
  const std::uint32_t routers = topology.routers();
  // Levels and parents, breadth-first from the root.
  levels_.assign(routers, no_router);
  parents_.assign(routers, no_router);
  const NodeId start{topology.spec().root};
  std::vector<NodeId> queue{start};
  levels_[start.value] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Arc& arc : arcs(queue[head])) {
      if (levels_[arc.to.value] != no_router) continue;
      levels_[arc.to.value] = levels_[queue[head].value] + 1;
      parents_[arc.to.value] = queue[head].value;
      queue.push_back(arc.to);
    }
  if (queue.size() < routers) throw InputError("routing", *disconnected(topology));
  by_level_ = std::move(queue);
  const auto is_above = [&](NodeId a, NodeId b) { return std::pair(level(a), a) < std::pair(level(b), b); };
  std::sort(by_level_.begin(), by_level_.end(), is_above);
  for (std::uint32_t r = 0; r < routers; ++r)
    for (std::uint32_t i = first_[r]; i < first_[r + 1]; ++i) arcs_[i].up = is_above(arcs_[i].to, NodeId{r});
  // Positions: the tree in preorder.
  subtree_.assign(routers, 1);
  // Children have higher levels than their parents.
  for (auto node = by_level_.rbegin(); node != by_level_.rend(); ++node)
    if (const auto above = parent(*node)) subtree_[above->value] += subtree_[node->value];
  position_.assign(routers, 0);
  std::vector<std::uint32_t> free(routers, 1);  // next position below a router, counted from its own
  // Within a level by id, so the children of one parent come by id.
  for (const NodeId node : by_level_)
    if (const auto above = parent(node)) {
      position_[node.value] = position_[above->value] + free[above->value];
      free[above->value] += subtree_[node.value];
    }
}

std::optional<NodeId> UpDownSetup::parent(NodeId node) const {
  if (parents_[node.value] == no_router) return std::nullopt;
  return NodeId{parents_[node.value]};
}

const UpDownSetup::Hops& UpDownSetup::search(NodeId to, bool down_only) const {
  /// Of hops of pairs: all of them on up to 4,096 routers (128 MiB).
  constexpr std::size_t most_kept = std::size_t{4096} * 4096;
  Hops& known = hops_[to.value];
  if (known.down.empty()) {
    if (++kept_ * hops_.size() > most_kept && kept_ > 1) {
      std::fill(hops_.begin(), hops_.end(), Hops{});
      kept_ = 1;
    }
    known.down.assign(topology_->routers(), unreachable);
    known.down[to.value] = 0;
    std::vector<NodeId> queue{to};
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (const Arc& arc : arcs(queue[head])) {
        // The way down to `to` enters this router from above.
        if (!arc.up || known.down[arc.to.value] != unreachable) continue;
        known.down[arc.to.value] = known.down[queue[head].value] + 1;
        queue.push_back(arc.to);
      }
  }
  if (!down_only && known.legal.empty()) {
    known.legal = known.down;
    for (const NodeId node : by_level_)
      for (const Arc& arc : arcs(node))
        if (arc.up && known.legal[arc.to.value] != unreachable)
          known.legal[node.value] = std::min(known.legal[node.value], known.legal[arc.to.value] + 1);
  }
  return known;
}

std::uint32_t UpDownSetup::distance(NodeId from, NodeId to) const {
  return hops_to(to, false).legal[from.value];
}

const Arc* UpDownSetup::next(NodeId at, bool down_only, NodeId to) const {
  // No search for neighbours, as most stops of trees are.
  if (const Hops& known = hops_[to.value]; (down_only ? known.down : known.legal).empty())
    for (const Arc& arc : arcs(at))
      if (arc.to == to && !(down_only && arc.up)) return &arc;
  const Hops& hops = hops_to(to, down_only);
  for (const Arc& arc : arcs(at))
    if (closer(hops, at, down_only, arc)) return &arc;
  return nullptr;
}

namespace {

class UpDown : public RoutingFunction {
 public:
  explicit UpDown(const Topology& network) : RoutingFunction(network), setup_(network) {}

  const UpDownSetup* up_down() const override { return &setup_; }
  bool history_free() const override { return false; }
  std::uint32_t distance(NodeId from, NodeId to) const override { return setup_.distance(from, to); }

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const Arc* arc = setup_.next(at, may_only_go_down(state), destination);
    if (arc == nullptr)
      refuse("worms", "from router {} on the worm may only go down, and router {} is not below it", at.value,
             destination.value);
    return {arc->channel, 0, arc->to, arc->up ? state : going_down};
  }

  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override {
    RoutingStep step = RoutingFunction::forced(source, port, state, destination);
    for (const Arc& arc : setup_.arcs(source))
      if (arc.port == port && !arc.up) step.state = going_down;
    return step;
  }

 private:
  UpDownSetup setup_;
};

/// The same for worms of several stops: from the first stop on they only go down.
class UpDownPath final : public UpDown {
 public:
  using UpDown::UpDown;

  // A first stop on the source's own router is one that no hop leads to.
  RoutingState first(NodeId source, NodeId destination, std::uint32_t vc_class) const override {
    const RoutingState state = UpDown::first(source, destination, vc_class);
    return source == destination ? going_down : state;
  }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    return stop(UpDown::next(at, state, destination), destination);
  }
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override {
    return stop(UpDown::forced(source, port, state, destination), destination);
  }

 private:
  static RoutingStep stop(RoutingStep step, NodeId destination) {
    if (step.to == destination) step.state = going_down;
    return step;
  }
};

}  // namespace

extern const RoutingEntry routing_up_down = {
    .name = "up-down",
    .summary = "shortest route that never goes up after it went down; ties to the lowest neighbour",
    .topologies = "any connected",
    .cite = "Schroeder et al. 1990",
    .unsupported = no_paths_both_ways,
    .bind = bound<UpDown>,
};

// A worm that went up after a delivery would hold that host's consumption channel and wait for a channel
// up, while another came down to the same host: with one consumption channel a host that can deadlock.
extern const RoutingEntry routing_up_down_path = {
    .name = "up-down-path",
    .summary = "up*/down* for path worms: as up-down to the first stop, only downwards from there on",
    .topologies = "any connected",
    .cite = "Schroeder et al. 1990; this project",
    .unsupported = no_paths_both_ways,
    .bind = bound<UpDownPath>,
    .unicasts = false,
};

}  // namespace wormcast

// Worms as the checks read them: positions, what they can hold while they wait, what is asked for together.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "router/discipline.hpp"
#include "router/router_model.hpp"
#include "router/router_rules.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Positions of a worm: 0 = its source (an answer's port; injection channel; host link), i + 1 = hop i.
class PlainWorm {
 public:
  PlainWorm(const Topology& topology, const RouterModel& model, const WormRoute& route, std::uint64_t flits);

  std::size_t positions() const { return route_.hops.size() + 1; }
  /// Resources at a position: one for a hop; none to two for the source, in the order in which it has them.
  std::vector<ResourceId> resources(std::size_t position) const;
  template <class Visit>
  void each_resource(std::size_t position, Visit visit) const {
    if (position > 0) {
      visit(resources_.taken_by(route_.hops[position - 1], route_.hops));
      return;
    }
    if (const auto held = port()) visit(*held);
    if (resources_.injection_blocks()) visit(resources_.injection(route_.source));
    if (topology_.hosts_have_links()) visit(resources_.host_link(route_.source));
  }
  /// The consumption channel by which what it answers came: it has that until its tail has left the source.
  std::optional<ResourceId> port() const {
    if (!route_.port || !model_.answered()) return std::nullopt;
    return resources_.consumption(route_.source, route_.port->channel, route_.port->vc);
  }
  /// Length with header flits, cut off where longer makes no difference.
  std::uint64_t flits() const { return flits_; }
  /// The position before it on its way from the source; of positions from 1.
  std::size_t parent(std::size_t position) const { return slot_after(route_.hops[position - 1].parent); }
  /// True where copies leave a node at the same time: paths and lock step.
  bool copies_together() const { return together_; }
  /// True for a tree whose nodes are granted all their outputs in one cycle.
  bool granted_at_once() const { return !path_ && together_ && discipline_.grants_nodes; }
  /// Of a tree's node: true if a branch that is blocked there holds up the others. Where arbiters are
  /// locked: or, as the worms there have the router's, what others want.
  bool branches_wait_for_each_other(std::size_t node) const {
    if (discipline_.routers_copy()) return branches_hold_up(model_, flits_);
    return together_ || ((node > 0 || topology_.hosts_have_links()) && flits_ > slots(node));
  }
  bool is_ancestor(std::size_t above, std::size_t below) const {
    return place_[above] <= place_[below] && place_[below] <= place_[above] + behind_[above];
  }
  /// Of the buffer at the position: a channel's end, or at 0 that of the host's link.
  std::uint32_t slots(std::size_t position) const {
    return channel(position) ? buffer_slots(topology_, model_, ChannelId{route_.hops[position - 1].target})
                             : buffer_slots(topology_, model_, route_.source);
  }
  bool channel(std::size_t position) const { return position > 0 && route_.hops[position - 1].is_channel(); }
  /// Some hop is a channel between routers.
  bool travels() const { return route_.channels() > 0; }
  /// True for an output that the worm may have been granted while it stands in the FIFO behind another worm.
  bool may_stand_behind(std::size_t position) const { return shares_buffers(model_) && channel(position); }
  /// A consumption channel that only the worm in its input can ask for.
  bool private_consumption(std::size_t position) const;
  /// True for a worm that never branches: it asks for its positions one turn after the other.
  bool is_path() const { return path_; }
  /// True where outputs of a node are taken one after the other.
  bool takes_turns() const { return !turns_.empty(); }
  /// Number of the position in a path's order of requests: on a path every node's consumption channel
  /// is asked for before its next channel. Of copies made one after the other their number at a node.
  std::size_t turn(std::size_t position) const { return turns_[position]; }
  /// True if the worm can hold the resource at `held` while it waits for the one at `wanted`.
  bool can_hold_and_wait(std::size_t held, std::size_t wanted) const;
  /// True if both are outputs of one atomic node, each waited for by other worms too.
  bool asked_for_together(std::size_t p, std::size_t q) const;

 private:
  void number_ways();
  void number_turns();

  const Topology& topology_;
  RouterModel model_;
  const Discipline& discipline_;
  Resources resources_;
  const WormRoute& route_;
  std::uint64_t flits_;
  bool path_;
  Copies copying_;
  bool together_;                   ///< path or lock-step: copies move together
  std::vector<std::size_t> turns_;  ///< of positions whose requests have an order
  /// Places depth first, and how many positions lie behind each: those have the next places.
  std::vector<std::size_t> place_, behind_;
};

/// Resources that one worm waits for when it waits for any of them: what atomic nodes ask for together, and
/// what others ask for together with that. Groups, by union-find.
class JointRequests {
 public:
  void add(const Topology& topology, const RouterModel& model, const WormRoute& route, std::uint64_t flits) {
    if (!model.discipline().queues_jointly) return;
    const PlainWorm worm(topology, model, route, flits);
    if (worm.is_path()) return;
    std::vector<std::size_t> first(worm.positions(), 0);  // of each node's outputs that others wait for
    for (std::size_t p = 1; p < worm.positions(); ++p) {
      std::size_t& before = first[worm.parent(p)];
      if (before == 0) {
        if (!worm.private_consumption(p)) before = p;
      } else if (worm.asked_for_together(before, p)) {
        join(worm.resources(before).front(), worm.resources(p).front());
      }
    }
  }

  /// Some worm asks for both at once.
  void join(ResourceId a, ResourceId b) {
    while (next_.size() <= std::max(a, b).value) next_.push_back(static_cast<std::uint32_t>(next_.size()));
    const std::uint32_t one = group(a).value, other = group(b).value;
    const std::uint32_t kept = next_[one] = next_[other] = std::min(one, other);
    for (std::uint32_t at : {a.value, b.value})  // shorter ways for the next
      while (next_[at] != kept) at = std::exchange(next_[at], kept);
  }

  bool none() const { return next_.empty(); }
  /// The resource that stands for the group of this one.
  ResourceId group(ResourceId resource) const {
    std::uint32_t at = resource.value;
    while (at < next_.size() && next_[at] != at) at = next_[at];
    return ResourceId{at};
  }

 private:
  std::vector<std::uint32_t> next_;  ///< by resource: one nearer to the group's own
};

}  // namespace wormcast

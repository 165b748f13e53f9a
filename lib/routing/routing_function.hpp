// The signature every routing function has, and the registry of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

class UpDownSetup;

/// What a worm's header carries from hop to hop beside its destination (phase, dateline bits,
/// message class). Opaque to everyone but the routing function that wrote it.
struct RoutingState {
  std::uint32_t bits = 0;
};

/// One step: the channel and virtual channel to take, where it leads, and the state on arrival.
struct RoutingStep {
  ChannelId channel;
  std::uint32_t vc = 0;
  NodeId to;
  RoutingState state;
};

/// One of the ways on among which a router chooses: a channel, any of a range of its virtual channels, where
/// it leads, and the state on arrival.
struct RoutingCandidate {
  ChannelId channel;
  std::uint32_t vc_begin = 0;
  std::uint32_t vc_end = 1;  ///< one past the last
  NodeId to;
  RoutingState state;
  std::uint32_t preference = 0;  ///< a router that heeds it takes a higher one only if no lower one is free
  std::uint32_t hops = 0;        ///< of the whole way by it, where queues_decide()
};

/// A routing function bound to one topology, which must outlive it. Pure: no member function changes
/// anything. A deterministic one says the next hop; an adaptive one those among which the router chooses.
class RoutingFunction {
 public:
  explicit RoutingFunction(const Topology& topology) : topology_(&topology) {}
  virtual ~RoutingFunction() = default;
  RoutingFunction(const RoutingFunction&) = delete;
  RoutingFunction& operator=(const RoutingFunction&) = delete;

  const Topology& topology() const { return *topology_; }

  /// Virtual channels per directed channel that it uses.
  virtual std::uint32_t virtual_channels() const { return 1; }
  /// Message classes that it knows: 0 to one less.
  virtual std::uint32_t classes() const { return 1; }
  /// State of a worm of class `vc_class` before its first hop from `source`. Throws InputError ("class") for
  /// a class that the function does not know, or has too few virtual channels for.
  virtual RoutingState first(NodeId source, NodeId destination, std::uint32_t vc_class) const;
  /// Ways from `source` to `destination`, two different routers, of which a worm goes one by chance: its
  /// class says which, drawn once when it is planned. One where classes mean something else (draws()).
  virtual std::uint32_t choices(NodeId /*source*/, NodeId /*destination*/) const { return 1; }
  /// The class of a worm that goes way `index`, below choices().
  virtual std::uint32_t choice(NodeId /*source*/, NodeId /*destination*/, std::uint32_t /*index*/) const {
    return 0;
  }
  /// Whether classes are such choices.
  virtual bool draws() const { return false; }
  /// All of them, by choice(); class 0 alone between two hosts of one router.
  std::vector<std::uint32_t> choices_between(NodeId source, NodeId destination) const;
  /// True unless a worm that comes to its destination in `state` only passes there and comes back: the
  /// function then says its next hop, too.
  virtual bool arrived(RoutingState /*state*/) const { return true; }
  /// The hop from `at` towards `destination`, another router unless the worm only passes there (arrived()).
  virtual RoutingStep next(NodeId at, RoutingState state, NodeId destination) const = 0;
  /// True if a router has a choice of channels: worms are then routed on the way, by candidates(), and
  /// next() says only one of the shortest ways.
  virtual bool adaptive() const { return false; }
  /// Everything that the router at `at` may choose for a header in `state` towards `destination` ≠ `at`,
  /// where channels have channel_vcs() virtual channels; replaces `candidates`, and leaves it empty only at a
  /// dead end. By itself: the hop of next(), on any virtual channel of its class_range().
  virtual void candidates(NodeId at, RoutingState state, NodeId destination,
                          std::vector<RoutingCandidate>& candidates) const;
  /// Whether a router takes one of the candidates at once when a header in `state` comes, and waits for that
  /// alone: the one for which flits in the FIFO at its channel's end, times hops, are fewest; then the first.
  virtual bool queues_decide(RoutingState /*state*/) const { return false; }
  /// The same at the source of a worm whose plan forces `port`: those of candidates() that leave by it, or
  /// where there are none the hop of forced(). Throws what forced() throws.
  void forced_candidates(NodeId source, PortId port, RoutingState state, NodeId destination,
                         std::vector<RoutingCandidate>& candidates) const;
  /// Virtual channels that each channel has at most for a router to choose from, and those of one: the
  /// topology's limit, or as many as the function needs where it has none.
  std::uint32_t channel_vcs() const;
  std::uint32_t channel_vcs(ChannelId channel) const {
    return topology_->own(LinkValue::virtual_channels, channel, channel_vcs());
  }
  /// The virtual channels, from the first to one past the last, on which a router may send what the function
  /// puts on virtual channel `vc` of a channel: equal shares of all that it has.
  std::pair<std::uint32_t, std::uint32_t> class_range(std::uint32_t vc, ChannelId channel) const;
  /// The hop out of `source` by a port the plan forces: by the port that next() takes the very step of
  /// next(), virtual channel and state included. Throws InputError ("first_port") without a link there, and
  /// where the function has no use for the port.
  virtual RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const;
  /// Calls visit(step) for every hop to `destination` of a header that is at `at` in `state`.
  template <class Visit>
  void each_hop(NodeId at, RoutingState state, NodeId destination, Visit visit) const {
    while (at != destination || !arrived(state)) {
      const RoutingStep step = next(at, state, destination);
      visit(step);
      at = step.to;
      state = step.state;
    }
  }
  /// Hops of the route from `from` to `to` by fresh worms of the first class that goes there.
  virtual std::uint32_t distance(NodeId from, NodeId to) const;
  /// True if the channels from a stop to the next do not depend on how the worm came to the stop, so
  /// that distance() holds for every leg of a worm, of any class. An adaptive function promises as much: no
  /// leg comes to a dead end, and distance() holds, though its candidates may depend on the state.
  virtual bool history_free() const { return true; }
  /// True if every part of a route is the route between its ends, virtual channels included (a coherent
  /// function). Then two successive channels of any route are a route of their own.
  virtual bool coherent() const { return false; }
  /// Whether the route is the one of an intact network, and not one around links that have failed: planners
  /// know of no other, and what lies behind is served by worms of its own (around_faults.hpp).
  virtual bool direct(NodeId /*from*/, NodeId /*to*/) const { return true; }
  /// Whether some routes are not.
  virtual bool goes_around() const { return false; }
  /// True if labels only grow or only fall along a route, whatever routers choose.
  virtual bool label_monotone() const { return false; }
  /// True if a worm goes on from a stop only where every hop leads to a router of a higher number.
  virtual bool rises_after_stops() const { return false; }
  /// True if routes run in the last dimension first.
  virtual bool last_dimension_first() const { return false; }
  /// Tree and directions behind the routes, nullptr where there are none (up-down, spanning-tree have).
  virtual const UpDownSetup* up_down() const { return nullptr; }

 protected:
  void check_class(std::uint32_t vc_class) const;
  /// What forced() is where no other port than the route's own is of use: the very step of next().
  RoutingStep own_port_only(NodeId source, PortId port, RoutingState state, NodeId destination) const;

 private:
  const Topology* topology_;
};

/// A function that sends a worm one of several ways, drawn when it is planned.
class DrawnRouting : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;

  bool draws() const final { return true; }
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const final {
    return own_port_only(source, port, state, destination);
  }
};

/// One registered routing function.
struct RoutingEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view topologies;  ///< in words, for --list
  std::string_view cite;
  /// Why it does not apply to `topology`; nothing if it does.
  std::optional<std::string> (*unsupported)(const Topology& topology);
  std::unique_ptr<const RoutingFunction> (*bind)(const Topology& topology);
  bool adaptive = false;  ///< what adaptive() says of every bound one
  bool draws = false;     ///< what draws() says of some bound ones, and of no other function's
  bool unicasts = true;   ///< false: only for worms that its planners make
};

std::span<const RoutingEntry* const> routing_functions();
/// Names of those that route unicasts, the usual ones first.
std::span<const std::string_view> unicast_routings();
const RoutingEntry* find_routing_function(std::string_view name);
/// The name of the function that a name or an alias means; `text` itself where it means none.
std::string routing_name(std::string_view text);
/// Binds the function of that name; throws InputError on `field` (unknown name, topology it does not support,
/// more virtual channels than the topology's limit).
std::unique_ptr<const RoutingFunction> bind_routing(std::string_view name, const Topology& topology,
                                                    const std::string& field = "routing");

// How a routing function is bound that needs the network and constants alone.

/// `bind` of a RoutingEntry.
template <class Function, auto... constants>
std::unique_ptr<const RoutingFunction> bound(const Topology& topology) {
  return std::make_unique<Function>(topology, constants...);
}

/// True if a hop from label `from` to label `to` stays on the way to label `target`.
constexpr bool on_the_way(Label from, Label to, Label target) {
  return from < target ? from < to && to <= target : target <= to && to < from;
}

/// A routing function whose routes have labels that only grow or only fall. Then the channels of
/// growing label and those of falling label form two acyclic networks, also through intermediate
/// destinations visited in label order. Each hop depends on where the worm is and where it goes alone, and is
/// the best of its kind among those not past the destination: so it is the best not past any node on the way.
class LabelMonotone : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;
  bool label_monotone() const final { return true; }
  bool coherent() const final { return true; }
  /// Refuses a port whose far end lies on the other side of the source or past the destination.
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override;

 protected:
  /// To the neighbour on the way of least hops(node); of several the largest label, downwards the smallest.
  template <class Hops>
  RoutingStep to_best(NodeId at, RoutingState state, NodeId destination, Hops hops) const {
    const Label from = topology().label(at), target = topology().label(destination);
    RoutingStep best;
    best.state = state;
    Label best_label = from;
    std::uint32_t least = unreachable;
    for (std::uint32_t port = 0; port < topology().ports(); ++port) {
      const auto to = topology().neighbour(at, PortId{port});
      if (!to) continue;
      const Label label = topology().label(*to);
      if (!on_the_way(from, label, target)) continue;
      const std::uint32_t left = hops(*to);
      if (left > least || (left == least && (from < target ? label <= best_label : label >= best_label)))
        continue;
      least = left;
      best_label = label;
      best.channel = topology().channel(at, PortId{port});
      best.to = *to;
    }
    assert(best_label != from);
    return best;
  }
};

/// The reason why label routing does not apply, if it does not.
std::optional<std::string> unlabelled(const Topology& topology);
/// True on a mesh of at most two dimensions that carries the closed-form snake.
bool is_plane_snake(const Topology& topology);

}  // namespace wormcast

// What a planner can make of any multicast at all, as legs: enough for proofs about all multicasts.
//
// A worm is a sequence of legs, each from one stop to the next. Whatever multicasts there are, a planner
// produces legs of a few kinds, and which leg can follow which at a stop depends only on their kinds
// (label order: up legs follow up legs). So the dependencies of all plans are those within legs and,
// at each node, from the last channel of a leg that arrives to the first of one that may go on:
// N² legs stand for 2^N destination sets. Trees and arms along rings are given as whole worms, of
// which a plan takes any part; trees whose shape depends on the set, router by router: the turns their
// headers take and the outputs they ask for together.
// cite: derived here.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// One leg. It goes on in the worm of one that arrives where it starts and `arrives` as it `goes_on`.
struct Leg {
  /// Kinds: any numbers a planner chooses, below 4; nothing: a leg that starts or ends its worm only.
  std::optional<std::uint32_t> goes_on{};
  std::optional<std::uint32_t> arrives{};
  HostId from;
  HostId to;
  std::optional<PortId> first_port{};
  std::uint32_t vc_class = 0;
  bool drawn = false;  ///< the class is one of the routing function's choices, of which any may be drawn
};
/// Kinds of legs that follow labels, or a column; and those of worms to several hosts of their own router.
inline constexpr std::uint32_t upwards = 0, downwards = 1, within_router = 2;

/// What a header asks a router for: a virtual channel that leaves it, or a host's consumption channel.
struct Output {
  ChannelId channel;  ///< of a host: the channel the worm came by, where it came by one
  std::uint32_t vc = 0;
  std::optional<HostId> host;
  bool at_source = false;  ///< host: the worm comes from a host of the same router

  static Output through(ChannelId channel, std::uint32_t vc) { return {channel, vc, std::nullopt, false}; }
  static Output into(HostId host, ChannelId input, std::uint32_t vc) { return {input, vc, host, false}; }
  static Output beside_source(HostId host) { return {ChannelId{}, 0, host, true}; }
};

/// Takes what a planner can produce. More is allowed (a proof still holds), less is not.
class LegSink {
 public:
  /// Which legs are asked for.
  enum class Detail : std::uint8_t {
    every_leg,
    every_dependency,  ///< so many that every dependency of theirs is one of these, and no other
    more,              ///< also what no worm does, where that is quicker to say
  };

  virtual ~LegSink() = default;
  virtual Detail detail() const { return Detail::every_dependency; }
  virtual void leg(const Leg& leg) = 0;
  /// A worm of which plans take any part: any of its deliveries, and the way to them.
  virtual void part_of(const Worm& worm) = 0;
  /// A worm of `source` may ask for `first` at its own router.
  virtual void start(HostId source, const Output& first) = 0;
  /// A worm that came by `before`, a channel, may ask for `next`.
  virtual void turn(const Output& before, const Output& next) = 0;
  /// A worm may ask one router for both outputs; `replication` as such worms state it: one that states
  /// none is a path where it asks for one host and one channel.
  virtual void split(const Output& one, const Output& other, Copies replication = {}) = 0;
};

/// Calls visit(from, to) for all pairs of hosts. Those with one destination come one after the other: their
/// routes run together.
template <class Visit>
void each_pair(const Topology& topology, Visit visit) {
  const std::vector<HostId> hosts = topology.host_ids();
  for (const HostId to : hosts)
    for (const HostId from : hosts)
      if (from != to) visit(from, to);
}
/// All hosts but one, ascending.
std::vector<HostId> all_but(const Topology& topology, HostId host);

/// Unicasts between all pairs, by each way that routing may draw: planners whose worms have one stop. Of a
/// coherent function those of at most two hops have every dependency. More: all legal turns of up*/down*.
void unicast_legs(const PlanningContext& context, LegSink& sink);
/// Worms in label order, upwards or downwards, that leave as the routing function says.
void label_legs(const PlanningContext& context, LegSink& sink);
/// The same, or by any first port that leads to a label on the way.
void label_legs_by_any_port(const PlanningContext& context, LegSink& sink);
/// The turns of worms under up*/down*: all legal ones. `stops`: worms go on downwards from where they are
/// delivered, also to hosts of one router one after the other if `together`.
void up_down_legs(const PlanningContext& context, LegSink& sink, bool stops, bool together);
/// More than any trees produce: on all virtual channels of the routing function every turn but back, and all
/// that a router can be asked for together. `paths`: worms also go on, as paths, from where they are
/// delivered.
void legs_of_any_trees(const PlanningContext& context, LegSink& sink, bool paths);
/// The worms of every source's plan for all nodes, by the context's planner.
void legs_of_broadcasts(const PlanningContext& context, LegSink& sink);

// The ports by which label-monotone worms can leave a source.

/// A port of the source, its channel and the neighbour behind it.
struct StarPort {
  PortId port;
  ChannelId channel;
  NodeId neighbour;
  Label label;  ///< the neighbour's
};

/// The ports that lead to larger labels (`up`) or smaller ones, the nearest label first.
/// Parallel links are ports of their own, the lower port first.
std::vector<StarPort> star_ports(const Topology& topology, HostId source, bool up);

}  // namespace wormcast

// The dependency graph: an edge r → s where some worm can hold r while it waits for s.
//
// An acyclic graph excludes deadlock for every timing, every number of copies of the worms, and for paths and
// lock-step trees every length and every buffer of at least one flit (of asynchronous trees, worms that fit
// into a buffer have fewer edges): a worm that waits for the resource with the largest number of all that
// blocked worms hold would wait for a free one. cite: Dally, Seitz 1987 (channels of unicast worms); derived
// here (consumption, siblings).
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "deadlock/verdict.hpp"
#include "deadlock/worms/joined_worms.hpp"
#include "multicast/expansion/expand.hpp"
#include "multicast/legs.hpp"
#include "router/worm_footprint.hpp"
#include "routing/routing_function.hpp"
#include "topology/graphs.hpp"
#include "topology/ids.hpp"
#include "topology/random.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// What a worm of the multicast holds and waits for, as it is checked.
inline Footprint footprint_of(const Topology& topology, const Resources& resources,
                              const CheckOptions& options, const Routes& routes, const WormRoute& worm) {
  return Footprint(topology, resources, options.model, worm,
                   checked_flits(worm, routes.plan.request, options.flits, options.model));
}

/// Collects dependencies; each is kept once, with its first cause.
class DependencyGraph {
 public:
  void add(ResourceId from, ResourceId to, const Cause& cause) {
    if (is_new(from, to)) put_down(from, to, cause);
  }
  /// Makes a resource known that no worm waits for and that is never held while waiting.
  void add_resource(ResourceId resource);
  /// What a worm holds one step for while it waits for the other.
  using CauseOf = std::function<Cause(const Step& held, const Step& wanted)>;
  /// All dependencies of one worm. Consecutive steps suffice: the rest is their transitive closure.
  void add(const Footprint& footprint, const CauseOf& cause_of);
  /// The same for a worm of a stream; the cause's hop is filled in.
  void add(const Footprint& footprint, WormCause cause);

  /// Makes it known that some node asks for both at once and queues for them together.
  void add_joint(ResourceId one, ResourceId other) {
    joint_[one].insert(other);
    joint_[other].insert(one);
  }
  /// True if some node asks for several resources at once and queues for all of them.
  bool has_joint_requests() const { return !joint_.empty(); }
  /// The resource, and all whose queues are joined to its queue by such requests.
  std::vector<ResourceId> asked_for_with(ResourceId resource) const;
  /// The graph in which a worm that waits for a resource also waits for whatever is asked for
  /// together with it: an atomic request at the head of one queue waits in the others meanwhile.
  DependencyGraph closed_over_queues() const;

  /// A dependency, and the place of its cause.
  struct Edge {
    ResourceId from;
    ResourceId to;
    std::uint32_t cause = 0;
  };
  std::size_t size() const { return edges_.size(); }
  /// Taken by any worm.
  std::uint64_t resources() const {
    return static_cast<std::uint64_t>(std::count(taken_.begin(), taken_.end(), true));
  }
  /// In the order in which they were added.
  const std::vector<Edge>& edges() const { return edges_; }
  Dependency dependency(const Edge& edge) const { return {edge.from, edge.to, causes_[edge.cause]}; }
  std::vector<Dependency> dependencies() const {
    std::vector<Dependency> result;
    for (const Edge& edge : edges_) result.push_back(dependency(edge));
    return result;
  }
  /// Adds what another graph has.
  void add(const DependencyGraph& other);
  /// Whether the resource is taken by any worm, by id; shorter than the resources' bound.
  const std::vector<bool>& taken() const { return taken_; }

 private:
  /// False if there is one already; else its cause is put down next.
  bool is_new(ResourceId from, ResourceId to);
  /// A cause like the one before is kept once.
  void put_down(ResourceId from, ResourceId to, const Cause& cause) {
    if (causes_.empty() || causes_.back() != cause) causes_.push_back(cause);
    edges_.push_back({from, to, static_cast<std::uint32_t>(causes_.size() - 1)});
  }
  /// The cause of a dependency is worked out once.
  void add(const Step& held, const Step& wanted, const CauseOf& cause_of) {
    if (is_new(held.resource, wanted.resource))
      put_down(held.resource, wanted.resource, cause_of(held, wanted));
  }
  void add_sibling_dependencies(const Footprint& footprint, std::int32_t node, const CauseOf& cause_of);
  /// What is waited for while one resource is held: a set by open addressing, in its stretch of places_;
  /// where that would take more room, a bit for each resource. The sets of resources that lie together are
  /// looked up together, so each lies in one place.
  struct Wanted {
    std::size_t first = 0;
    std::uint32_t room = 0, count = 0;
    bool bits = false;
  };
  std::uint32_t& place_of(const Wanted& set, std::uint32_t wanted);
  void grow(Wanted& set);
  bool note(Wanted& set, std::uint32_t wanted);

  std::vector<Edge> edges_;
  std::vector<Cause> causes_;
  std::map<ResourceId, std::set<ResourceId>> joint_;  ///< asked for together, both ways
  std::vector<Wanted> wanted_;                        ///< by resource
  std::vector<std::uint32_t> places_;                 ///< resources that are waited for; no_resource: free
  std::vector<bool> taken_;
};

/// Order and cycles of a finished dependency graph: a numbering, its components, a shortest cycle.
class DependencyOrder {
 public:
  /// Cycles within one such ring are none. `without`: resources whose dependencies are left out.
  explicit DependencyOrder(const DependencyGraph& graph, RingOf ring_of = nullptr,
                           const std::vector<bool>& without = {});

  bool acyclic() const { return acyclic_; }
  /// Every resource taken, such that each dependency goes to a later one, or stays in a ring all of whose
  /// resources follow each other; needs acyclic().
  const std::vector<ResourceId>& numbering() const { return numbering_; }
  /// True if both lie on one dependency cycle (or r = s lies on one).
  bool on_a_cycle(ResourceId r, ResourceId s) const {
    return component(r) != 0 && component(r) == component(s);
  }
  /// Number of the component in which the resource lies; 0: on no cycle.
  std::uint32_t component(ResourceId r) const {
    return r.value < component_.size() ? component_[r.value] : 0;
  }
  /// One of the cycles with the fewest dependencies, from its smallest resource on; needs !acyclic().
  std::vector<Dependency> shortest_cycle() const;

 private:
  void sort_out_edges(const std::vector<bool>& without);
  void number();
  void find_components();
  bool within_ring(ResourceId from, ResourceId to) const;
  std::vector<Dependency> shortest_cycle_beyond_rings() const;
  std::vector<Dependency> shortest_cycle_through(std::uint32_t start, std::size_t below,
                                                 std::vector<std::uint32_t>& reached) const;

  const DependencyGraph* graph_;
  RingOf ring_of_;
  Lists<std::uint32_t> edges_;            ///< indices of dependencies, by (from, to)
  std::vector<std::uint32_t> component_;  ///< 0 = on no cycle
  std::vector<ResourceId> numbering_;
  bool acyclic_ = true;
};

/// A set of dependencies without a cycle: a topological order, which one that is added changes only between
/// its two ends. cite: Pearce, Kelly 2006.
class GrowingOrder {
 public:
  using Edge = std::pair<std::uint32_t, std::uint32_t>;

  explicit GrowingOrder(std::size_t resources);

  /// False, and nothing is added, where they close a cycle.
  bool add(const std::vector<Edge>& edges);

 private:
  using Lists = std::vector<std::vector<std::uint32_t>>;

  std::vector<std::uint32_t> reached(std::uint32_t start, const Lists& lists, std::uint32_t least,
                                     std::uint32_t most) const;
  bool reorder(std::uint32_t from, std::uint32_t to);

  Lists next_, before_;
  std::vector<std::uint32_t> place_;
};

/// A dependency cycle, and where it is.
struct CycleThere {
  const Topology& topology;
  const Resources& resources;
  const std::vector<Dependency>& cycle;
};

/// Multicasts that turn as the cycle does: candidates for a search, which decides.
MulticastSet multicasts_along(const CycleThere& at);

/// What a message from one host to another takes, one after the other, and what its answer does.
using WaysOfPair = std::function<std::vector<std::vector<ResourceId>>(HostId, HostId)>;
/// A few messages that have all dependencies of the cycle, they or their answers; none if there are none.
MulticastSet messages_covering(const CycleThere& at, const WaysOfPair& ways_of);

/// From the nearest hosts around each dependency to pairs of the nearest behind it.
MulticastSet multicasts_around(const CycleThere& at);

/// All multicasts with one or two destinations among the `most` hosts nearest to the cycle.
MulticastSet small_multicasts(const CycleThere& at, std::size_t most);

/// `count` multicasts, drawn among the `most` hosts nearest to the cycle, to at most `widest` destinations.
MulticastSet drawn_multicasts(const CycleThere& at, std::size_t most, std::size_t count, std::size_t widest,
                              Random& random);

// What reductions hold and wait for, beside multicasts and unicasts: a graph over worms in their places.

/// Without a cycle there is no deadlock, unless JoinedWorms::lack says why that does not follow.
struct JoinOrder {
  /// Without a cycle: places for which several worms can wait, each of which waits for later ones only.
  std::vector<WormCause> order;
  std::vector<Dependency> cycle;  ///< a shortest one, each with the place that holds
  std::uint64_t dependencies = 0;
};

/// `apart`: without what reductions joined by flit wait for beside their way; the check of the order says if
/// that is allowed.
JoinOrder order_joins(const JoinedWorms& worms, bool apart = false);

/// The dependency graph of all multicasts a planner can plan. Walks legs by a routing function and adds their
/// dependencies to a graph; of turns and splits the causes are worms between the hosts nearest to them.
/// finish() adds the dependencies at the stops.
class LegGraph final : public LegSink {
 public:
  /// `flits`: length of every worm, header included. `vc_offset` is added to the virtual channels of legs.
  LegGraph(const RoutingFunction& routing, const RouterModel& model, std::uint64_t flits,
           DependencyGraph& graph, std::uint32_t vc_offset = 0, Detail detail = Detail::every_dependency);

  Detail detail() const override { return detail_; }
  void leg(const Leg& leg) override;
  void part_of(const Worm& worm) override;
  void start(HostId source, const Output& first) override;
  void turn(const Output& before, const Output& next) override;
  void split(const Output& one, const Output& other, Copies replication = {}) override;
  void finish();

  std::uint64_t legs() const { return legs_; }
  /// For a second pass over the same legs, which says what worms hold beside channels that answers keep.
  LegGraph& noting_beside() {
    noting_beside_ = true;
    return *this;
  }
  /// Adds to `waiting` that nodes wait to send `answers` while they keep what these legs came by.
  void answer_by(const LegGraph& answers, DependencyGraph& waiting) const;

 private:
  struct Channel {
    ChannelId channel;
    std::uint32_t vc;
    /// Of a leg that takes it last or first, the shortest known: where that leg starts or ends.
    HostId far_end;
    bool single = false;  ///< that leg has no other channel
  };
  static constexpr std::size_t kinds = 4;
  static constexpr std::size_t no_kind = kinds;

  static void note(std::vector<Channel>& known, const Channel& channel);
  bool known_from(NodeId node, RoutingState state, std::size_t kind);
  void leave(HostId source, ResourceId first, const LegCause& cause);
  void arrive(HostId host, std::size_t kind, Channel last, const LegCause& cause);
  void depend(ResourceId held, ResourceId wanted, const LegCause& cause);
  ResourceId consumption(HostId host, Channel input) const;
  ResourceId resource(const Output& output) const;
  bool own_input(ResourceId id) const;
  void depend_beside(ResourceId held, ResourceId wanted, const LegCause& cause);
  NodeId router_before(const Output& output) const;
  HostId nearest_host(NodeId router);
  HostId host_near(HostId node);
  HostId beyond(const Output& output);
  LegCause between(ResourceId held, ResourceId wanted);
  void pass_stops(HostId host, std::size_t kind);
  void share_routers();
  void join_atomic_branches();

  const RoutingFunction& routing_;
  const Topology& topology_;
  RouterModel model_;
  std::uint64_t flits_;
  std::uint32_t vc_offset_;
  Detail detail_;
  WaitRules rules_;
  Resources resources_;
  DependencyGraph& graph_;
  Expander expander_;
  std::uint64_t legs_ = 0;
  HostId to_;  ///< destination of the legs that come
  std::uint32_t vc_class_ = 0;
  std::uint32_t epoch_ = 0;
  /// Routing states in which legs to the present destination have passed a node.
  struct Passed {
    std::uint32_t epoch = 0;
    std::vector<std::uint32_t> states;
  };
  std::array<std::vector<Passed>, kinds + 1> walked_;  ///< by kind and node
  std::vector<std::vector<Channel>> arrivals_;         ///< by host · kinds + kind
  std::vector<std::vector<Channel>> departures_;
  bool stops_beside_ = false;  ///< a worm may go on from one host of its source's router to another
  /// What the worms of a host ask for first, each with a leg that does; where answers are waited for.
  std::map<HostId, std::map<ResourceId, LegCause>> firsts_;
  /// What a worm can hold beside a consumption channel of its own input (the second) that it waits for: only
  /// the answer to the worm before, by that input, can have that.
  DependencyGraph beside_own_input_;
  bool noting_beside_ = false;
  std::vector<HostId> nearest_;                          ///< by router; empty until asked for
  std::map<ResourceId, std::vector<ResourceId>> turns_;  ///< what follows a channel, for atomic nodes
  std::vector<std::pair<ResourceId, ResourceId>> atomic_splits_;
};

}  // namespace wormcast

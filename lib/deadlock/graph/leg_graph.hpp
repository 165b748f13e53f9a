// The dependency graph of all multicasts a planner can plan, from its legs.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "deadlock/graph/dependency_graph.hpp"
#include "multicast/expansion/expand.hpp"
#include "multicast/legs.hpp"
#include "routing/routing_function.hpp"
#include "topology/router_model.hpp"
#include "topology/rules/router_rules.hpp"

namespace wormcast {

/// Walks legs by a routing function and adds their dependencies to a graph; of turns and splits the causes
/// are worms between the hosts nearest to them. finish() adds the dependencies at the stops.
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
  void split(const Output& one, const Output& other, Replication replication) override;
  void finish();

  std::uint64_t legs() const { return legs_; }
  /// What a worm can hold beside a consumption channel of its own input (the second) that it waits for:
  /// nobody can have that but the answer to who came before by that input.
  const std::set<std::pair<ResourceId, ResourceId>>& beside_own_input() const { return beside_own_input_; }
  /// What the worms of a host ask for first, each with a leg that does; where answers are waited for.
  const std::map<HostId, std::map<ResourceId, LegCause>>& firsts() const { return firsts_; }

 private:
  struct Channel {
    ChannelId channel;
    std::uint32_t vc;
    HostId
        far_end;  ///< of a leg that takes it last or first, the shortest known: where that leg starts or ends
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
  /// Consumption on the way is one more branch.
  bool router_copies() const { return routers_copy(model_) && !model_.path_reservation; }
  bool branches_wait() const;
  NodeId router_before(const Output& output) const;
  HostId nearest_host(NodeId router);
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
  std::map<HostId, std::map<ResourceId, LegCause>> firsts_;
  std::set<std::pair<ResourceId, ResourceId>> beside_own_input_;
  std::vector<HostId> nearest_;                          ///< by router; empty until asked for
  std::map<ResourceId, std::vector<ResourceId>> turns_;  ///< what follows a channel, for atomic nodes
  std::vector<std::pair<ResourceId, ResourceId>> atomic_splits_;
};

}  // namespace wormcast

// What a planner's worms can hold while they wait, leg by leg to the very end: the second reading of legs.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "multicast/expansion/expand.hpp"
#include "multicast/legs.hpp"
#include "routing/routing_function.hpp"
#include "topology/router_model.hpp"

namespace wormcast {

/// Walks every leg from its source to its destination. Of how legs are read it shares nothing with LegGraph,
/// which cuts walks short and keeps a graph; this one keeps the first and last channels at stops, and what
/// splits ask for.
class LegWalk final : public LegSink {
 public:
  struct Visitor {
    std::function<void(ResourceId held, ResourceId wanted)> wait;
    std::function<void(ResourceId one, ResourceId other)> together;  ///< one request asks for both
    std::function<void(ResourceId)> take;
  };

  /// `flits`: length of every worm, header included. `vc_offset` is added to the virtual channels of legs.
  LegWalk(const RoutingFunction& routing, const RouterModel& model, std::uint64_t flits, Visitor visitor,
          std::uint32_t vc_offset = 0, Detail detail = Detail::every_dependency);

  Detail detail() const override { return detail_; }
  void leg(const Leg& leg) override;
  void part_of(const Worm& worm) override;
  void start(HostId source, const Output& first) override;
  void turn(const Output& before, const Output& next) override;
  void split(const Output& one, const Output& other, Replication replication) override;
  /// What follows from several legs: stops, and branches that are granted together.
  void finish();

  std::uint64_t legs() const { return legs_; }
  /// Where answers are waited for, by the host's router: consumption channels that were taken, what is held
  /// beside those that only one input asks for, and what hosts ask for first.
  const std::set<std::pair<NodeId, ResourceId>>& consumed() const { return consumed_; }
  const std::set<std::pair<NodeId, ResourceId>>& beside() const { return beside_; }
  const std::set<std::pair<NodeId, ResourceId>>& sent() const { return sent_; }

 private:
  using Place = std::pair<HostId, std::uint32_t>;    ///< where and as which kind legs meet
  using Lane = std::pair<ChannelId, std::uint32_t>;  ///< channel and virtual channel

  void take(ResourceId resource);
  void hold_and_wait(ResourceId held, ResourceId wanted);
  void leave_host(HostId source, ResourceId first);
  ResourceId resource(const Output& output) const;
  ResourceId consumption(HostId host, const Lane& input) const {
    return resources_.consumption(host, input.first, input.second);
  }
  bool own_input(ResourceId id) const { return resources_.describe(id).by_input; }
  void wait_beside(ResourceId held, ResourceId wanted);
  void meet_at_stops();
  void meet_at_routers();
  void pass_atomic_branches();

  const RoutingFunction& routing_;
  const Topology& topology_;
  RouterModel model_;
  std::uint64_t flits_;
  std::uint32_t vc_offset_;
  Detail detail_;
  bool answers_;
  Resources resources_;
  Expander expander_;
  Visitor visitor_;
  std::uint64_t legs_ = 0;
  std::map<Place, std::set<Lane>> last_, first_;      ///< channels of legs that arrive, that go on
  std::map<ResourceId, std::set<ResourceId>> after_;  ///< by turns, for atomic nodes
  std::vector<std::pair<ResourceId, ResourceId>> atomic_pairs_;
  std::set<std::pair<NodeId, ResourceId>> consumed_, sent_, beside_;
};

}  // namespace wormcast

// What the adaptive routing functions share.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "routing/routings.hpp"
#include "topology/connectivity.hpp"
#include "topology/refuse.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// A routing function whose candidates() say everything. The one way that next() gives goes by the first of
/// them, and a plan may force any port that one of them leaves by.
class AdaptiveRouting : public RoutingFunction {
 public:
  using RoutingFunction::RoutingFunction;

  bool adaptive() const final { return true; }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    std::vector<RoutingCandidate> all;
    candidates(at, state, destination, all);
    const RoutingCandidate& hop = all.front();
    return {hop.channel, hop.vc_begin, hop.to, hop.state};
  }
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override {
    // Which refuses missing links.
    const RoutingStep step = RoutingFunction::forced(source, port, state, destination);
    std::vector<RoutingCandidate> all;
    candidates(source, state, destination, all);
    for (const RoutingCandidate& hop : all)
      if (hop.channel == step.channel) return {hop.channel, hop.vc_begin, hop.to, hop.state};
    refuse("first_port",
           "port {} of router {} is none that the routing function chooses among on the way to router {}",
           port.value, source.value, destination.value);
  }

 protected:
  /// `candidates` become every hop that `each` calls its argument with, on all virtual channels.
  template <class Each>
  void on_every_vc(RoutingState state, std::vector<RoutingCandidate>& candidates, Each each) const {
    candidates.clear();
    each([&](ChannelId channel, NodeId to) {
      candidates.push_back({channel, 0, channel_vcs(channel), to, state, 0});
    });
  }
};

/// Productive hops on any connected network whose links go both ways. On meshes, tori and hypercubes they
/// come from the addresses alone; elsewhere from the hops between all pairs (routing function shortest).
/// Cost of each(): O(dimensions), else O(ports) distances.
class MinimalHops {
 public:
  explicit MinimalHops(const Topology& network) : network_(&network) {
    if (network.bit_addresses()) return;
    if (network.ring_grid() || network.line_grid()) {
      grid_ = network.grid();
      return;
    }
    shortest_ = find_routing_function("shortest")->bind(network);
    adjacency_.emplace(network);
  }

  std::uint32_t distance(NodeId from, NodeId to) const {
    return shortest_ == nullptr ? network_->distance(from, to) : shortest_->distance(from, to);
  }
  /// Calls visit(port, channel, to) for every hop from `at` that is one hop closer to `destination`, by port.
  template <class Visit>
  void each(NodeId at, NodeId destination, Visit visit) const {
    if (shortest_ != nullptr) {
      const std::uint32_t hops = distance(at, destination);
      for (const OutChannel& out : adjacency_->out(at))
        if (distance(out.to, destination) + 1 == hops) visit(out.port, out.channel, out.to);
      return;
    }
    if (grid_ == nullptr) {
      for (std::uint32_t bits = at.value ^ destination.value, bit = 0; bits >> bit != 0; ++bit)
        if ((bits >> bit & 1U) != 0) leave(at, PortId{bit}, visit);
      return;
    }
    for (std::uint32_t d = 0; d < grid_->dimensions(); ++d) {
      const std::uint32_t from = grid_->coordinate(at, d);
      const std::uint32_t to = grid_->coordinate(destination, d);
      if (from == to) continue;
      const std::uint32_t size = grid_->dims()[d];
      const std::uint32_t up = from < to ? to - from : to + size - from;
      const bool ring = network_->wraps(d);
      if (ring ? 2 * up <= size : from < to) leave(at, PortId{2 * d}, visit);
      if (ring ? 2 * up >= size : from > to) leave(at, PortId{2 * d + 1}, visit);
    }
  }

 private:
  template <class Visit>
  void leave(NodeId at, PortId port, Visit& visit) const {
    visit(port, network_->channel(at, port), *network_->neighbour(at, port));
  }

  const Topology* network_;
  const Grid* grid_ = nullptr;
  std::unique_ptr<const RoutingFunction> shortest_;  ///< knows distances on other networks
  std::optional<Adjacency> adjacency_;               ///< of other networks
};

/// Why the network is no mesh of one or two dimensions.
inline std::optional<std::string> no_plane(const Topology& topology) {
  if (topology.line_grid() && topology.grid()->dimensions() <= 2) return std::nullopt;
  return "it needs a mesh of at most two dimensions";
}

}  // namespace wormcast

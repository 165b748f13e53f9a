// What the adaptive routing functions share.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routing/routing_function.hpp"
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

/// An adaptive function that goes by the routes of another one where nothing is chosen.
class AdaptiveBeside : public AdaptiveRouting {
 public:
  AdaptiveBeside(const Topology& network, std::string_view fixed)
      : AdaptiveRouting(network), fixed_(find_routing_function(fixed)->bind(network)) {}

  const UpDownSetup* up_down() const final { return fixed_->up_down(); }
  std::uint32_t distance(NodeId from, NodeId to) const final { return fixed_->distance(from, to); }
  RoutingState first(NodeId source, NodeId destination, std::uint32_t vc_class) const final {
    return fixed_->first(source, destination, vc_class);
  }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const final {
    return fixed_->next(at, state, destination);
  }
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const final {
    return fixed_->forced(source, port, state, destination);
  }

 private:
  std::unique_ptr<const RoutingFunction> fixed_;
};

/// Of productive hops, on any connected network whose links go both ways. On meshes, tori and hypercubes they
/// come from the addresses alone; elsewhere from the hops between all pairs (routing function shortest).
class MinimalRouting : public AdaptiveRouting {
 public:
  explicit MinimalRouting(const Topology& network) : AdaptiveRouting(network) {
    if (network.bit_addresses()) return;
    if (network.ring_grid() || network.line_grid()) {
      grid_ = network.grid();
      return;
    }
    shortest_ = find_routing_function("shortest")->bind(network);
    adjacency_.emplace(network);
  }

  std::uint32_t distance(NodeId from, NodeId to) const final {
    return shortest_ == nullptr ? topology().distance(from, to) : shortest_->distance(from, to);
  }

 protected:
  /// Calls visit(port, channel, to) for every hop from `at` that is one hop closer to `destination`, by port.
  /// Cost: O(dimensions), else O(ports) distances.
  template <class Visit>
  void each_minimal(NodeId at, NodeId destination, Visit visit) const {
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
      const bool ring = topology().wraps(d);
      if (ring ? 2 * up <= size : from < to) leave(at, PortId{2 * d}, visit);
      if (ring ? 2 * up >= size : from > to) leave(at, PortId{2 * d + 1}, visit);
    }
  }

 private:
  template <class Visit>
  void leave(NodeId at, PortId port, Visit& visit) const {
    visit(port, topology().channel(at, port), *topology().neighbour(at, port));
  }

  const Grid* grid_ = nullptr;
  std::unique_ptr<const RoutingFunction> shortest_;  ///< knows distances on other networks
  std::optional<Adjacency> adjacency_;               ///< of other networks
};

/// Why the network is no mesh of one or two dimensions.
inline std::optional<std::string> no_plane(const Topology& topology) {
  return needs(topology.line_grid() && topology.grid()->dimensions() <= 2,
               "a mesh of at most two dimensions");
}

}  // namespace wormcast

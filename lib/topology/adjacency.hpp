// The channels out of every router, collected once for searches that come to each router many times.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// A channel as the router that it leaves sees it.
struct OutChannel {
  NodeId to;
  PortId port;
  ChannelId channel;
};

/// Memory: one OutChannel a channel. Ports that no link has cost nothing, however high their numbers.
class Adjacency {
 public:
  /// `back`: against the channels, each as its receiver sees it; `port` is its sender's all the same.
  explicit Adjacency(const Topology& topology, bool back = false);

  std::uint32_t routers() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  /// By port.
  std::span<const OutChannel> out(NodeId router) const {
    return {channels_.data() + first_[router.value], channels_.data() + first_[router.value + 1]};
  }
  /// Breadth-first search: the hops from `from` to every router (unreachable where no path leads) and the
  /// routers reached, the nearest first. O(routers + channels).
  void search(NodeId from, std::vector<std::uint32_t>& hops, std::vector<NodeId>& reached) const;

 private:
  std::vector<OutChannel> channels_;
  std::vector<std::uint32_t> first_;  ///< of each router in channels_
};

}  // namespace wormcast

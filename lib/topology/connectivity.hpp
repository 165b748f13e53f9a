// Which routers are connected.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

// The channels out of every router, collected once for searches that come to each router many times.

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

/// Sets of routers that grow together link by link (union-find with path halving).
class RouterSets {
 public:
  explicit RouterSets(std::uint32_t routers) : over_(routers) { std::iota(over_.begin(), over_.end(), 0U); }
  /// The same for routers of one piece.
  std::uint32_t find(std::uint32_t router) {
    while (over_[router] != router) router = over_[router] = over_[over_[router]];
    return router;
  }
  /// Joins the pieces of two routers; false if they were one already.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    over_[a] = b;
    return a != b;
  }

 private:
  std::vector<std::uint32_t> over_;
};

/// Why no routes join all pairs: a network in several parts. Nothing where it is in one.
std::optional<std::string> disconnected(const Topology& topology);
/// Why some channels have none back. Nothing where all have.
std::optional<std::string> channels_without_return(const Topology& topology);
/// Why no paths join all pairs of routers of a network that is no intact grid. Nothing where they do.
std::optional<std::string> no_paths(const Topology& topology);
/// Why no paths of links join all pairs both ways: channels that run one way, or the above.
std::optional<std::string> no_paths_both_ways(const Topology& topology);

// The hosts of every router, collected once for what asks for them router by router.

class HostsByRouter {
 public:
  explicit HostsByRouter(const Topology& topology)
      : first_(std::size_t{topology.routers()} + 1), hosts_(topology.host_count()) {
    const std::vector<HostId> all = topology.host_ids();
    for (const HostId host : all) ++first_[topology.router_of(host).value + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::uint32_t> free(first_.begin(), first_.end() - 1);
    for (const HostId host : all) hosts_[free[topology.router_of(host).value]++] = host;
  }

  std::uint32_t routers() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  /// By id.
  std::span<const HostId> at(NodeId router) const {
    return {hosts_.data() + first_[router.value], hosts_.data() + first_[router.value + 1]};
  }
  bool everywhere() const { return std::adjacent_find(first_.begin(), first_.end()) == first_.end(); }
  /// Whether some router has two or more.
  bool shared() const {
    return std::adjacent_find(first_.begin(), first_.end(),
                              [](std::uint32_t a, std::uint32_t b) { return b - a > 1; }) != first_.end();
  }

 private:
  std::vector<std::uint32_t> first_;  ///< of each router in hosts_
  std::vector<HostId> hosts_;
};

}  // namespace wormcast

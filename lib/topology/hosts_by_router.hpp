// The hosts of every router, collected once for what asks for them router by router.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

class HostsByRouter {
 public:
  explicit HostsByRouter(const Topology& topology)
      : first_(std::size_t{topology.routers()} + 1), hosts_(topology.hosts()) {
    for (std::uint32_t h = 0; h < topology.hosts(); ++h) ++first_[topology.router_of(HostId{h}).value + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::uint32_t> free(first_.begin(), first_.end() - 1);
    for (std::uint32_t h = 0; h < topology.hosts(); ++h)
      hosts_[free[topology.router_of(HostId{h}).value]++] = HostId{h};
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

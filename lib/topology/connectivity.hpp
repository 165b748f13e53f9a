// Which routers hang together.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "topology/topology.hpp"

namespace wormcast {

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
/// Why no paths join all pairs of routers of a network that is no grid. Nothing where they do.
std::optional<std::string> no_paths(const Topology& topology);
/// Why no paths of links join all pairs both ways: channels that run one way, or the above.
std::optional<std::string> no_paths_both_ways(const Topology& topology);

}  // namespace wormcast

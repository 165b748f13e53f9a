// Checks of routes that come by the thousand, all of one network.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "multicast/header.hpp"
#include "multicast/routes.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// check_routes() for many routes of one network, which must outlive it: what nearly all of them are, worms
/// that deliver wherever they are consumed, is checked in a few instructions a hop, and nothing is allocated.
class RouteCheck {
 public:
  explicit RouteCheck(const Topology& topology) : topology_(&topology), header_sizes_(topology) {}

  const Topology& topology() const { return *topology_; }
  /// Throws InputError where check_routes(), or of planned routes check_plan() or HeaderSizes::check(), does.
  void check(const Routes& routes);

 private:
  /// The ends of a channel that has been looked up.
  struct Ends {
    std::uint32_t channel = ~std::uint32_t{0};
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint64_t worm = 0;  ///< the last that came by
  };
  /// Where hops of the tree in hand can go on.
  struct Place {
    std::uint32_t node;
    bool left;  ///< by a hop
  };

  static constexpr std::size_t ends_kept = 4096;

  bool are_plainly_right(const Routes& routes);
  bool starts_plainly(const WormRoute& worm, HostId source) const;
  bool is_plain_path(const WormRoute& worm);
  bool is_plain_tree(const WormRoute& worm);
  bool delivers_at(const RouteHop& hop, std::uint32_t node) const;
  const Ends* next_channel(const RouteHop& hop);

  const Topology* topology_;
  HeaderSizes header_sizes_;
  std::vector<Ends> ends_;             ///< of those looked up last, each where its number has it stand
  std::uint64_t worm_ = 0;             ///< how many have been looked at
  std::vector<HostId> deliveries_;     ///< of the routes in hand, worm by worm
  std::vector<std::size_t> first_of_;  ///< the first delivery of each worm
  std::vector<Place> places_;          ///< the source, then the end of each hop
};

}  // namespace wormcast

// Structural checks of plans and routes that come from outside: what every consumer may rely on.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "multicast/header.hpp"
#include "multicast/plan.hpp"
#include "multicast/request.hpp"
#include "multicast/routes.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Throws InputError unless destinations are sorted, distinct, not empty, and free of the source
/// (a self-send excepted), and no multicast depends on itself.
void check_request(const Request& request);

/// Throws InputError (field "worms[i].stops[j]" …) unless every worm has stops whose parents come
/// before them, an existing first port, a source that holds the message by then, and all worms
/// together deliver to each destination exactly once and to nobody else.
void check_plan(const Plan& plan, const Topology& topology);

/// The same for routes: every worm's hops are chains of existing channels that end in consumption
/// channels, no worm uses a (channel, VC) twice, and each destination is delivered to exactly once. Worms
/// that are routed on the way are chains of stops, of an adaptive routing function, and all alike.
void check_routes(const Routes& routes, const Topology& topology);

/// Throws InputError for routes whose worms are routed on the way; `else_do` ends the sentence with who can
/// take them, or what can be done.
void require_hops(const Routes& routes, const char* else_do);

/// The same for many routes of one network, which must outlive it: what nearly all of them are, paths from
/// the multicast's source, is checked in a few instructions a hop, and nothing is allocated.
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

  static constexpr std::size_t ends_kept = 4096;

  bool are_plainly_right(const Routes& routes);
  bool is_plain_path(const WormRoute& worm);
  const Ends* next_channel(const RouteHop& hop);

  const Topology* topology_;
  HeaderSizes header_sizes_;
  std::vector<Ends> ends_;  ///< of those looked up last, each where its number has it stand
  std::uint64_t worm_ = 0;  ///< how many have been looked at
  std::vector<HostId> deliveries_;
};

/// Where virtual channels share a link that passes one flit at a time: throws InputError for a lock-step worm
/// that would copy itself into two of them, which would have to pass together.
void check_links_once(const Topology& topology, const Routes& routes);

}  // namespace wormcast

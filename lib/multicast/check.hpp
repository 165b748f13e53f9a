// Structural checks of plans and routes that come from outside: what every consumer may rely on.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "multicast/header.hpp"
#include "multicast/plan.hpp"
#include "multicast/routes.hpp"
#include "router/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Throws InputError unless destinations are sorted, distinct, not empty, and free of the source
/// (a self-send excepted), and no multicast depends on itself. Of a reduction, `named_sources` in messages:
/// the root may send a part, each has a start, and start_cycle is the least.
void check_request(const Request& request, bool named_sources = false);

/// Checks plans and routes of one network, which must outlive it. Its buffers serve one after the other.
class RouteCheck {
 public:
  explicit RouteCheck(const Topology& topology)
      : topology_(&topology), virtual_channels_(topology.virtual_channel_bound()), header_sizes_(topology) {}

  const Topology& topology() const { return *topology_; }

  /// Throws InputError (field "worms[i].stops[j]" …) unless every worm has stops whose parents come
  /// before them, an existing first port, a source that holds the message by then, and all worms
  /// together deliver to each destination exactly once and to no other host.
  void check_plan(const Plan& plan);
  /// The same for routes: every worm's hops are chains of existing channels that end in consumption
  /// channels, no worm uses a (channel, VC) twice, and each destination is delivered to exactly once. Worms
  /// that are routed on the way are chains of stops, of an adaptive routing function, and all alike.
  void check_routes(const Routes& routes);
  /// check_plan(), and HeaderSizes::check().
  void check(const Plan& plan);
  /// check_routes(), and of planned routes the same.
  void check(const Routes& routes);

 private:
  /// The ends of a channel that has been looked up.
  struct Ends {
    std::uint32_t channel = ~std::uint32_t{0};
    std::array<std::uint32_t, 2> nodes{};  ///< from, to
    std::uint64_t worm = 0;                ///< the last that passed
  };
  /// The source of the present worm, or the end of one of its hops; one of its stops.
  struct Place {
    std::uint32_t node = 0;
    bool left = false;  ///< something follows, or nothing needs to
  };

  void begin(const Request& request);
  void begin_worm(HostId source, std::int32_t after);
  void receive(HostId host, bool delivery) {
    received_.push_back(host);
    if (delivery) delivered_.push_back(host);
  }
  void check_coverage();
  void check_stops(const Worm& worm, std::size_t index);
  void check_hops(const WormRoute& worm, std::size_t index);
  [[noreturn]] void refuse_hop(std::size_t worm, std::size_t h, const RouteHop& hop, std::uint32_t at) const;
  void check_on_the_way(const Routes& routes);
  bool look_up(std::uint32_t channel, Ends& ends) const;
  std::uint32_t vcs_of(std::uint32_t channel) const {
    return topology_->own(LinkValue::virtual_channels, ChannelId{channel}, virtual_channels_);
  }

  const Topology* topology_;
  std::uint32_t virtual_channels_;
  HeaderSizes header_sizes_;
  const Request* request_ = nullptr;
  std::vector<HostId> received_;       ///< worm by worm
  std::vector<std::size_t> first_of_;  ///< the first of each worm
  std::vector<HostId> delivered_;      ///< those of received_ that are not relays
  std::vector<Place> places_;          ///< those of the present worm first
  std::vector<Ends> ends_;             ///< those looked up last, each in the place of its number
  std::uint64_t worm_ = 0;             ///< worms with hops so far
};

inline void check_plan(const Plan& plan, const Topology& topology) { RouteCheck(topology).check_plan(plan); }
inline void check_routes(const Routes& routes, const Topology& topology) {
  RouteCheck(topology).check_routes(routes);
}

/// Throws InputError for routes whose worms are routed on the way; `else_do` ends the sentence with what can
/// take them, or what can be done.
void require_hops(const Routes& routes, const char* else_do);

/// Throws InputError for a reduction, which `what` does not take.
void require_multicast(const Request& request, const char* what);

/// Where virtual channels share a link that passes one flit at a time: throws InputError for a lock-step worm
/// that would copy itself into two of them, which would have to pass together.
void check_links_once(const Topology& topology, const RouterModel& model, const Routes& routes);

}  // namespace wormcast

// Nearly all routes need one walk over their hops. A channel that has been looked up keeps its ends, and the
// number of the worm that came by last: so no worm takes one twice, without a set. What deliveries the walk
// has seen is compared with the destinations at the end. Whatever it does not find in order, check_routes()
// looks at from the start: it says what is wrong, or that nothing is. Cost: O(1) a hop; for a worm after
// another, the deliveries of that one.
// SPDX-License-Identifier: MIT
#include "multicast/checks/route_check.hpp"

#include <algorithm>

#include "multicast/check.hpp"
#include "multicast/same_hosts.hpp"

namespace wormcast {
namespace {

constexpr std::uint32_t no_node = ~std::uint32_t{0};  // nothing follows a consumption channel

}  // namespace

void RouteCheck::check(const Routes& routes) {
  if (!are_plainly_right(routes)) check_routes(routes, *topology_);
  const Plan& plan = routes.plan;
  if (plan.worms.empty() || plan.worms.front().stops.empty()) return;
  check_plan(plan, *topology_);
  header_sizes_.check(plan);
}

bool RouteCheck::are_plainly_right(const Routes& routes) {
  const Request& request = routes.plan.request;
  if (ends_.empty()) ends_.resize(ends_kept);  // only who checks routes needs them
  deliveries_.clear();
  first_of_.clear();
  for (const WormRoute& worm : routes.worms) {
    if (!starts_plainly(worm, request.source)) return false;
    first_of_.push_back(deliveries_.size());
    if (!(worm.replication == Replication::unstated ? is_plain_path(worm) : is_plain_tree(worm)))
      return false;
  }
  return same_hosts(deliveries_, request.destinations);
}

/// The worm starts at the multicast's source, or where the worm that it is after has delivered.
inline bool RouteCheck::starts_plainly(const WormRoute& worm, HostId source) const {
  if (worm.after < 0) return worm.source == source;
  const auto after = static_cast<std::size_t>(worm.after);
  if (after >= first_of_.size()) return false;
  const std::size_t end = after + 1 < first_of_.size() ? first_of_[after + 1] : deliveries_.size();
  for (std::size_t i = first_of_[after]; i < end; ++i)
    if (deliveries_[i] == worm.source) return true;
  return false;
}

/// The ends of a channel; nullptr where there is none, or the worm in hand may have come by before.
inline const RouteCheck::Ends* RouteCheck::next_channel(const RouteHop& hop) {
  Ends& ends = ends_[hop.target % ends_kept];
  if (ends.worm == worm_) return nullptr;
  ends.worm = worm_;
  if (ends.channel == hop.target) [[likely]]
    return &ends;
  const auto found = topology_->ends(ChannelId{hop.target});
  if (!found) return nullptr;
  ends.channel = hop.target;
  ends.from = found->from.value;
  ends.to = found->to.value;
  return &ends;
}

/// A hop that is no channel is a delivery at a host of the node.
inline bool RouteCheck::delivers_at(const RouteHop& hop, std::uint32_t node) const {
  return hop.kind == RouteHop::Kind::deliver && hop.vc == 0 && hop.target < topology_->hosts() &&
         topology_->router_of(HostId{hop.target}).value == node;
}

/// A chain of channels from the source that uses none of them twice, with consumption channels beside it and
/// one at its end.
bool RouteCheck::is_plain_path(const WormRoute& worm) {
  ++worm_;
  const std::uint32_t virtual_channels = topology_->virtual_channel_bound();
  std::uint32_t node = topology_->router_of(worm.source).value;
  std::int32_t last_channel = -1;
  bool consumed = false;  // by the hop before
  for (std::size_t h = 0; h < worm.hops.size(); ++h) {
    const RouteHop& hop = worm.hops[h];
    if (hop.parent != last_channel) return false;
    consumed = !hop.is_channel();
    if (consumed) {
      if (!delivers_at(hop, node)) return false;
      deliveries_.push_back(HostId{hop.target});
    } else {
      const Ends* const channel = next_channel(hop);
      if (channel == nullptr || channel->from != node || hop.vc >= virtual_channels) return false;
      node = channel->to;
      last_channel = static_cast<std::int32_t>(h);
    }
  }
  return consumed;
}

/// Channels from the source, each behind one before it, that use none of them twice and all lead to
/// consumption channels.
bool RouteCheck::is_plain_tree(const WormRoute& worm) {
  ++worm_;
  const std::uint32_t virtual_channels = topology_->virtual_channel_bound();
  places_.resize(worm.hops.size() + 1);
  places_[0] = {topology_->router_of(worm.source).value, true};
  std::size_t dead_ends = 0;  // channels that nothing follows yet
  for (std::size_t h = 0; h < worm.hops.size(); ++h) {
    const RouteHop& hop = worm.hops[h];
    if (hop.parent < -1 || hop.parent >= static_cast<std::int32_t>(h)) return false;
    Place& place = places_[static_cast<std::size_t>(hop.parent + 1)];
    if (hop.is_channel()) {
      const Ends* const channel = next_channel(hop);
      if (channel == nullptr || channel->from != place.node || hop.vc >= virtual_channels) return false;
      places_[h + 1] = {channel->to, false};
      ++dead_ends;
    } else {
      if (!delivers_at(hop, place.node)) return false;
      deliveries_.push_back(HostId{hop.target});
      places_[h + 1] = {no_node, true};
    }
    dead_ends -= place.left ? 0 : 1;
    place.left = true;
  }
  return !worm.hops.empty() && dead_ends == 0;
}

}  // namespace wormcast

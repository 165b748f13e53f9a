// Shapes of routes and of worms.
// SPDX-License-Identifier: MIT
#include "multicast/routes.hpp"

#include <algorithm>
#include <utility>

#include "multicast/plan.hpp"

namespace wormcast {
namespace {

/// True if no hop, nor the source, is followed by two consumption hops.
bool consumed_once_everywhere(const std::vector<RouteHop>& hops) {
  std::vector<std::int32_t> parents;
  for (const RouteHop& hop : hops)
    if (!hop.is_channel()) parents.push_back(hop.parent);
  return twice_in(parents) == nullptr;
}

/// True if each channel follows the one before, and each consumption hop stands alone right behind its
/// channel: so most paths stand. Without a branch on what is a channel, since that cannot be predicted.
bool stands_as_path(const std::vector<RouteHop>& hops) {
  std::int32_t last_channel = -1;
  for (std::int32_t at = 0; const RouteHop& hop : hops) {
    const bool channel = hop.is_channel();
    if ((hop.parent != last_channel) | (!channel & (last_channel + 1 != at))) return false;
    last_channel = channel ? at : last_channel;
    ++at;
  }
  return true;
}

}  // namespace

bool WormRoute::is_path() const {
  if (replication != Replication::unstated) return false;
  if (stands_as_path(hops)) return true;
  std::int32_t last_channel = -1;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (!hops[i].is_channel()) continue;
    if (hops[i].parent != last_channel) return false;
    last_channel = static_cast<std::int32_t>(i);
  }
  return consumed_once_everywhere(hops);
}

bool WormRoute::comes_to(HostId host) const {
  return std::any_of(hops.begin(), hops.end(), [&](const RouteHop& hop) { return hop.comes_to(host); });
}

bool WormRoute::delivers_to(HostId host) const {
  return std::any_of(hops.begin(), hops.end(), [&](const RouteHop& hop) { return hop.delivers_to(host); });
}

void WormRoute::settle_replication() {
  if (replication == Replication::unstated && !is_path()) replication = Replication::asynchronous;
}

bool is_chain(const Worm& worm) {
  for (std::size_t i = 0; i < worm.stops.size(); ++i)
    if (worm.stops[i].parent != static_cast<std::int32_t>(i) - 1) return false;
  return true;
}

void make_chain(Worm& worm, HostId source, std::span<const HostId> stops) {
  std::vector<Stop> buffer = std::move(worm.stops);
  worm = Worm{};
  worm.source = source;
  worm.stops = std::move(buffer);
  worm.stops.resize(stops.size());
  for (std::size_t i = 0; i < stops.size(); ++i)
    worm.stops[i] = {stops[i].value, static_cast<std::int32_t>(i) - 1, StopAction::deliver};
}

Worm chain_worm(HostId source, std::span<const HostId> stops) {
  Worm worm;
  make_chain(worm, source, stops);
  return worm;
}

Plan plan_of_one(const Worm& worm) {
  Plan plan;
  plan.request.source = worm.source;
  for (const Stop& stop : worm.stops)
    if (stop.action == StopAction::deliver) plan.request.destinations.push_back(HostId{stop.node});
  std::sort(plan.request.destinations.begin(), plan.request.destinations.end());
  plan.worms.push_back(worm);
  plan.worms.front().after = -1;
  return plan;
}

}  // namespace wormcast

// Shapes of worms.
// SPDX-License-Identifier: MIT
#include "multicast/routes.hpp"

#include <algorithm>
#include <utility>

#include "multicast/plan.hpp"

namespace wormcast {
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

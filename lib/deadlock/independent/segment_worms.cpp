// The worms of a segment that routers route. Cost: linear in the stops.
// SPDX-License-Identifier: MIT
#include "deadlock/independent/segment_worms.hpp"

#include <algorithm>

#include "topology/error.hpp"

namespace wormcast {

namespace {

constexpr std::size_t most_worms = 60'000;  ///< each is a sort of traffic, which have 16-bit numbers

}  // namespace

void SegmentWorms::add(const Routes& routes) {
  ++multicasts_;
  planner_.add(routes.plan);
  auto& routing = routings_[routes.plan.routing];
  if (routing == nullptr) routing = bind_routing(routes.plan.routing, topology_);
  const Request& request = routes.plan.request;
  for (std::uint32_t w = 0; w < routes.plan.worms.size(); ++w) {
    const Worm& worm = routes.plan.worms[w];
    for (const Stop& stop : worm.stops)
      if (stop.action == StopAction::branch)
        throw InputError("worms[" + std::to_string(w) + "].stops",
                         "of worms that routers route, stops at routers are not judged");
    if (items_.size() == most_worms)
      throw InputError("worms", "more than " + std::to_string(most_worms) +
                                    " worms that routers route are not judged together");
    const std::uint64_t flits = checked_flits(routes.worms[w], request, every_, model_);
    items_.push_back(
        {{request.id, w}, worm, routing.get(), flits, worm.after >= 0 || !request.depends_on.empty()});
  }
}

std::vector<RelationTraffic> SegmentWorms::sorts() const {
  std::vector<RelationTraffic> result;
  for (const Item& item : items_) {
    RelationTraffic& sort = result.emplace_back();
    sort.routing = item.routing;
    sort.each_from_its_first_leg = true;
    HostId from = item.worm.source;
    for (std::uint32_t s = 0; s < item.worm.stops.size(); ++s) {
      Leg leg;
      if (s > 0) leg.goes_on = s;
      if (s + 1 < item.worm.stops.size()) leg.arrives = s + 1;
      leg.from = from;
      leg.to = HostId{item.worm.stops[s].node};
      if (s == 0) leg.first_port = item.worm.first_port;
      leg.vc_class = item.worm.vc_class;
      sort.legs.push_back(leg);
      from = leg.to;
    }
  }
  return result;
}

AllowedWorm SegmentWorms::allowed(const WormRef& name) const {
  for (const Item& item : items_) {
    if (!(item.name == name)) continue;
    AllowedWorm result;
    result.worm = item.worm;
    result.routing = item.routing;
    return result;
  }
  throw InputError("witness", "there is no worm " + std::to_string(name.worm) + " of multicast " +
                                  std::to_string(name.multicast));
}

}  // namespace wormcast

// Worms of planners by dimension order on grids where links have failed.
//
// A leg whose dimension-order route is broken ends a worm, and what it leads to begins another one, at the
// source: so a worm goes around faults on its first leg at most, and its further legs are routes of the
// intact grid. Of planners of paths these are the legs that they say, of which broken ones only start worms.
// (A path that has been cut begins with the leg from the source to a stop of the planner's path, which goes
// on from there as that path does.) A tree can be cut anywhere, so of trees all turns are taken, behind
// unicasts to anywhere. cite: this project.
// SPDX-License-Identifier: MIT
#include "multicast/around_faults.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "routing/routing_function.hpp"

namespace wormcast {
namespace {

/// Whether the worm takes a channel twice, or turns back, which legs_of_any_worms() does not say.
bool crosses_itself(const RoutingFunction& routing, const Worm& worm) {
  const Topology& network = routing.topology();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> used;
  struct Place {
    NodeId before, at;
    RoutingState state;
  };
  std::vector<Place> places;
  for (const Stop& stop : worm.stops) {
    const NodeId to = router_of(network, stop), source = network.router_of(worm.source);
    Place place = stop.parent < 0 ? Place{source, source, routing.first(source, to, worm.vc_class)}
                                  : places[static_cast<std::size_t>(stop.parent)];
    while (place.at != to) {
      const RoutingStep step = routing.next(place.at, place.state, to);
      if (step.to == place.before) return true;
      used.emplace_back(step.vc, step.channel.value);
      place = {place.at, step.to, step.state};
    }
    places.push_back(place);
  }
  return twice_in(used) != nullptr;
}

bool is_consumed(const Stop& stop) { return stop.action != StopAction::branch; }

/// The worm without branch stops that nothing follows.
void drop_bare_ends(Worm& worm) {
  std::vector<bool> kept(worm.stops.size());
  for (std::size_t i = worm.stops.size(); i-- > 0;) {
    kept[i] = kept[i] || is_consumed(worm.stops[i]);
    if (kept[i] && worm.stops[i].parent >= 0) kept[static_cast<std::size_t>(worm.stops[i].parent)] = true;
  }
  std::vector<std::int32_t> place(worm.stops.size(), -1);
  std::vector<Stop> stops;
  for (std::size_t i = 0; i < worm.stops.size(); ++i) {
    if (!kept[i]) continue;
    place[i] = static_cast<std::int32_t>(stops.size());
    stops.push_back(worm.stops[i]);
    if (stops.back().parent >= 0) stops.back().parent = place[static_cast<std::size_t>(stops.back().parent)];
  }
  worm.stops = std::move(stops);
}

/// The parts that one worm falls into, the first of them what the source reaches directly.
std::vector<Worm> parts_of_worm(const RoutingFunction& routing, const Worm& worm) {
  const Topology& network = routing.topology();
  std::vector<std::vector<Stop>> parts(1);
  std::vector<std::pair<std::size_t, std::int32_t>> places;  // of each stop: its part, and its number there
  for (const Stop& stop : worm.stops) {
    const bool root = stop.parent < 0;
    const NodeId from = root ? network.router_of(worm.source)
                             : router_of(network, worm.stops[static_cast<std::size_t>(stop.parent)]);
    auto [part, parent] =
        root ? std::pair(std::size_t{0}, std::int32_t{-1}) : places[static_cast<std::size_t>(stop.parent)];
    if (!routing.direct(from, router_of(network, stop))) {
      part = parts.size();
      parent = -1;
      parts.emplace_back();
    }
    places.emplace_back(part, static_cast<std::int32_t>(parts[part].size()));
    parts[part].push_back({stop.node, parent, stop.action});
  }
  std::vector<Worm> worms;
  for (std::vector<Stop>& stops : parts) {
    Worm part = worm;
    part.stops = std::move(stops);
    drop_bare_ends(part);
    if (part.stops.empty()) continue;
    if (!crosses_itself(routing, part)) {
      worms.push_back(std::move(part));
      continue;
    }
    for (const Stop& stop : part.stops) {
      if (!is_consumed(stop)) continue;
      worms.push_back(part);
      worms.back().stops = {{stop.node, -1, stop.action}};
    }
  }
  return worms;
}

/// Legs of paths: broken ones only start worms.
class CutLegs final : public LegSink {
 public:
  CutLegs(const RoutingFunction& routing, LegSink& sink) : routing_(routing), sink_(sink) {}

  Detail detail() const override { return Detail::every_leg; }
  void leg(const Leg& leg) override {
    const Topology& network = routing_.topology();
    Leg cut = leg;
    if (!routing_.direct(network.router_of(leg.from), network.router_of(leg.to))) cut.goes_on.reset();
    sink_.leg(cut);
  }
  void part_of(const Worm& worm) override { sink_.part_of(worm); }
  void start(HostId source, const Output& first) override { sink_.start(source, first); }
  void turn(const Output& before, const Output& next) override { sink_.turn(before, next); }
  void split(const Output& one, const Output& other, Copies replication) override {
    sink_.split(one, other, replication);
  }

 private:
  const RoutingFunction& routing_;
  LegSink& sink_;
};

}  // namespace

void legs_of_any_worms(const PlanningContext& context, LegSink& sink) {
  unicast_legs(context, sink);
  legs_of_any_trees(context, sink, true);
}

bool reached_directly(const RoutingFunction& routing, const Worm& worm) {
  const Topology& network = routing.topology();
  return std::all_of(worm.stops.begin(), worm.stops.end(), [&](const Stop& stop) {
    const NodeId from = stop.parent < 0
                            ? network.router_of(worm.source)
                            : router_of(network, worm.stops[static_cast<std::size_t>(stop.parent)]);
    return routing.direct(from, router_of(network, stop));
  });
}

void cut_at_faults(const RoutingFunction& routing, std::vector<Worm>& worms) {
  std::vector<Worm> cut;
  std::vector<std::size_t> first_of;  // of the parts of each worm
  for (const Worm& worm : worms) {
    first_of.push_back(cut.size());
    std::vector<Worm> parts =
        worm.stops.size() == 1 || (reached_directly(routing, worm) && !crosses_itself(routing, worm))
            ? std::vector{worm}
            : parts_of_worm(routing, worm);
    for (Worm& part : parts) {
      if (worm.after >= 0) {  // the part that brings the message to its source
        const auto before = static_cast<std::size_t>(worm.after);
        const auto brings = [&](const Worm& other) {
          return std::any_of(other.stops.begin(), other.stops.end(), [&](const Stop& stop) {
            return is_consumed(stop) && stop.node == worm.source.value;
          });
        };
        const auto found =
            std::find_if(cut.begin() + static_cast<std::ptrdiff_t>(first_of[before]), cut.end(), brings);
        part.after = static_cast<std::int32_t>(found - cut.begin());
      }
    }
    std::move(parts.begin(), parts.end(), std::back_inserter(cut));
  }
  worms = std::move(cut);
}

void legs_of_planner(const PlanningContext& context, LegSink& sink) {
  const Planner& planner = *context.planner;
  if (!context.routing.goes_around()) return planner.legs(context, sink);
  // Of paths where channels run one way, whose virtual channels depend on all of the way, too.
  if (!planner.worms.single_stops && (!planner.worms.chains || context.topology.one_way_grid()))
    return legs_of_any_worms(context, sink);
  CutLegs legs(context.routing, sink);
  planner.legs(context, legs);
}

}  // namespace wormcast

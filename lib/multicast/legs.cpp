// Legs that planners share.
// SPDX-License-Identifier: MIT
#include "multicast/legs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "multicast/star_ports.hpp"

namespace wormcast {

namespace {

constexpr std::uint32_t upwards = 0;
constexpr std::uint32_t downwards = 1;

template <class Visit>
void each_pair(const Topology& topology, Visit visit) {
  for (std::uint32_t to = 0; to < topology.hosts(); ++to)
    for (std::uint32_t from = 0; from < topology.hosts(); ++from)
      if (from != to) visit(HostId{from}, HostId{to});
}

void label_ordered(const PlanningContext& context, LegSink& sink, bool any_port) {
  const Topology& topology = context.topology;
  const auto label = [&](HostId host) { return topology.label(topology.router_of(host)); };
  each_pair(topology, [&](HostId from, HostId to) {
    if (topology.router_of(from) == topology.router_of(to)) {  // a worm to the hosts beside the source
      sink.leg(Leg{std::nullopt, std::nullopt, from, to, std::nullopt, 0});
      return;
    }
    const std::uint32_t kind = label(from) < label(to) ? upwards : downwards;
    sink.leg(Leg{kind, kind, from, to, std::nullopt, 0});
    if (!any_port) return;
    for (const StarPort& port : star_ports(topology, from, kind == upwards)) {
      const Label next = topology.label(port.neighbour);
      if (kind == upwards ? next > label(to) : next < label(to)) continue;
      sink.leg(Leg{std::nullopt, kind, from, to, port.port, 0});
    }
  });
}

}  // namespace

/// Between hosts of one router, and between any host and one host of every other router: what lies between
/// two routers is the same for all their hosts.
void unicast_legs(const PlanningContext& context, LegSink& sink) {
  const Topology& topology = context.topology;
  std::vector<bool> stands_for_router(topology.hosts(), false);
  std::vector<bool> taken(topology.routers(), false);
  for (std::uint32_t host = 0; host < topology.hosts(); ++host) {
    const NodeId router = topology.router_of(HostId{host});
    stands_for_router[host] = !taken[router.value];
    taken[router.value] = true;
  }
  const auto needed = [&](HostId from, HostId to) {
    return stands_for_router[from.value] || stands_for_router[to.value] ||
           topology.router_of(from) == topology.router_of(to);
  };
  if (!context.routing.draws()) {
    each_pair(topology, [&](HostId from, HostId to) {
      if (needed(from, to)) sink.leg(Leg{std::nullopt, std::nullopt, from, to, std::nullopt, 0});
    });
    return;
  }
  std::vector<std::pair<std::uint32_t, HostId>> legs;  // those of one class together: they share their ways
  for (std::uint32_t to = 0; to < topology.hosts(); ++to) {
    legs.clear();
    for (std::uint32_t from = 0; from < topology.hosts(); ++from)
      if (from != to && needed(HostId{from}, HostId{to}))
        for (const std::uint32_t drawn : context.routing.choices_between(topology.router_of(HostId{from}),
                                                                         topology.router_of(HostId{to})))
          legs.emplace_back(drawn, HostId{from});
    std::sort(legs.begin(), legs.end());
    for (const auto& [drawn, from] : legs)
      sink.leg(Leg{std::nullopt, std::nullopt, from, HostId{to}, std::nullopt, drawn, true});
  }
}

void label_legs(const PlanningContext& context, LegSink& sink) { label_ordered(context, sink, false); }

void label_legs_by_any_port(const PlanningContext& context, LegSink& sink) {
  label_ordered(context, sink, true);
}

void legs_of_broadcasts(const Planner& planner, const PlanningContext& context, LegSink& sink) {
  for (std::uint32_t source = 0; source < context.topology.hosts(); ++source) {
    Request request;
    request.source = HostId{source};
    for (std::uint32_t host = 0; host < context.topology.hosts(); ++host)
      if (host != source) request.destinations.push_back(HostId{host});
    if (request.destinations.empty()) continue;
    for (const Worm& worm : planner.plan(context, request)) sink.part_of(worm);
  }
}

}  // namespace wormcast

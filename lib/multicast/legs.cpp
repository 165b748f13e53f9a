// Legs that planners share.
// SPDX-License-Identifier: MIT
#include "multicast/legs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "routing/up_down.hpp"
#include "topology/connectivity.hpp"

namespace wormcast {
namespace {

/// each_pair() of hosts whose routers are at most two hops apart.
template <class Visit>
void each_near_pair(const Topology& topology, const HostsByRouter& hosts, Visit visit) {
  const Adjacency links(topology);
  std::vector<NodeId> near;
  for (std::uint32_t router = 0; router < topology.routers(); ++router) {
    near.assign(1, NodeId{router});
    for (const OutChannel& first : links.out(NodeId{router})) {
      near.push_back(first.to);
      for (const OutChannel& next : links.out(first.to)) near.push_back(next.to);
    }
    sort_unique(near);
    for (const HostId from : hosts.at(NodeId{router}))
      for (const NodeId at : near)
        for (const HostId to : hosts.at(at))
          if (from != to) visit(from, to);
  }
}

/// Whether any two successive channels of legs are a leg of their own.
bool short_legs_suffice(const PlanningContext& context, const HostsByRouter& hosts, const LegSink& sink) {
  return sink.detail() != LegSink::Detail::every_leg && context.routing.coherent() && hosts.everywhere();
}

void label_ordered(const PlanningContext& context, LegSink& sink, bool any_port) {
  const Topology& topology = context.topology;
  const HostsByRouter hosts(topology);
  // What is short must rise where what it is a part of rises.
  const bool only_short = context.routing.label_monotone() && short_legs_suffice(context, hosts, sink);
  const auto visit = [&](HostId from, HostId to) {
    const NodeId start = topology.router_of(from);
    const NodeId end = topology.router_of(to);
    if (start == end) {  // a worm to the hosts beside the source
      sink.leg({.arrives = within_router, .from = from, .to = to});
      return;
    }
    const auto within = [&](std::uint32_t hops, NodeId node) {
      return !only_short || node == end || context.routing.distance(node, end) <= hops;
    };
    const bool up = topology.label(start) < topology.label(end);
    const std::uint32_t kind = up ? upwards : downwards;
    if (within(2, start)) sink.leg({kind, kind, from, to});
    if (!any_port) return;
    for (const StarPort& port : star_ports(topology, from, up)) {
      if (up ? port.label > topology.label(end) : port.label < topology.label(end)) continue;
      if (within(1, port.neighbour)) sink.leg({std::nullopt, kind, from, to, port.port});
    }
  };
  if (only_short)
    each_near_pair(topology, hosts, visit);
  else
    each_pair(topology, visit);
}

/// All turns that up*/down* allows.
class UpDownTurns {
 public:
  UpDownTurns(const PlanningContext& context, LegSink& sink, bool stops, bool together)
      : setup_(*context.routing.up_down()),
        sink_(sink),
        stops_(stops),
        hosts_(context.topology),
        together_(together && hosts_.shared()),
        incoming_(context.topology.routers()) {
    for (std::uint32_t r = 0; r < hosts_.routers(); ++r)
      for (const Arc& arc : setup_.arcs(NodeId{r})) incoming_[arc.to.value].push_back(&arc);
  }

  void all() const {
    for (std::uint32_t r = 0; r < hosts_.routers(); ++r) at(NodeId{r});
  }

 private:
  void at(NodeId router) const {
    starts(router);
    for (const Arc* in : incoming_[router.value]) {
      const Output channel = Output::through(in->channel, 0);
      for (const Arc& out : setup_.arcs(router))
        if (in->up || !out.up) sink_.turn(channel, Output::through(out.channel, 0));
      for (const HostId host : hosts_.at(router)) deliver(router, host, in->channel);
    }
  }

  void starts(NodeId router) const {
    for (const HostId host : hosts_.at(router)) {
      for (const Arc& out : setup_.arcs(router)) sink_.start(host, Output::through(out.channel, 0));
      for (const HostId other : hosts_.at(router)) {
        if (other == host) continue;
        sink_.start(host, Output::beside_source(other));
        if (together_ && host < other) sink_.split(Output::beside_source(host), Output::beside_source(other));
      }
    }
  }

  void deliver(NodeId router, HostId host, ChannelId in) const {
    const Output delivery = Output::into(host, in, 0);
    sink_.turn(Output::through(in, 0), delivery);
    for (const Arc& out : setup_.arcs(router)) {
      if (out.up || !stops_) continue;
      sink_.turn(delivery, Output::through(out.channel, 0));
      if (together_) sink_.split(delivery, Output::through(out.channel, 0));
    }
    for (const HostId other : hosts_.at(router))
      if (together_ && host < other) sink_.split(delivery, Output::into(other, in, 0));
  }

  const UpDownSetup& setup_;
  LegSink& sink_;
  bool stops_;
  HostsByRouter hosts_;
  bool together_;  ///< two hosts of a router anywhere: the worm is copied asynchronously everywhere
  std::vector<std::vector<const Arc*>> incoming_;  ///< links into each router, as their far ends see them
};

}  // namespace

void up_down_legs(const PlanningContext& context, LegSink& sink, bool stops, bool together) {
  UpDownTurns(context, sink, stops, together).all();
}

/// Between hosts of one router, and between any host and one host of every other router: what lies between
/// two routers is the same for all their hosts.
void unicast_legs(const PlanningContext& context, LegSink& sink) {
  const Topology& topology = context.topology;
  const RoutingFunction& routing = context.routing;
  const HostsByRouter hosts(topology);
  const auto stands_for_router = [&](HostId host) {
    return hosts.at(topology.router_of(host)).front() == host;
  };
  const auto needed = [&](HostId from, HostId to) {
    return stands_for_router(from) || stands_for_router(to) ||
           topology.router_of(from) == topology.router_of(to);
  };
  const auto leg = [&](HostId from, HostId to) { sink.leg({.from = from, .to = to}); };
  if (short_legs_suffice(context, hosts, sink)) {
    each_near_pair(topology, hosts, [&](HostId from, HostId to) {
      if (needed(from, to) && routing.distance(topology.router_of(from), topology.router_of(to)) <= 2)
        leg(from, to);
    });
    return;
  }
  if (sink.detail() == LegSink::Detail::more && routing.up_down() != nullptr && !routing.adaptive()) {
    up_down_legs(context, sink, false, false);
    return;
  }
  if (!routing.draws()) {
    each_pair(topology, [&](HostId from, HostId to) {
      if (needed(from, to)) leg(from, to);
    });
    return;
  }
  std::vector<std::pair<std::uint32_t, HostId>> legs;  // those of one class together: they share their ways
  const std::vector<HostId> all = topology.host_ids();
  for (const HostId to : all) {
    legs.clear();
    for (const HostId from : all)
      if (from != to && needed(from, to))
        for (const std::uint32_t drawn :
             routing.choices_between(topology.router_of(from), topology.router_of(to)))
          legs.emplace_back(drawn, from);
    std::sort(legs.begin(), legs.end());
    for (const auto& [drawn, from] : legs)
      sink.leg({.from = from, .to = to, .vc_class = drawn, .drawn = true});
  }
}

void label_legs(const PlanningContext& context, LegSink& sink) { label_ordered(context, sink, false); }

void label_legs_by_any_port(const PlanningContext& context, LegSink& sink) {
  label_ordered(context, sink, true);
}

void legs_of_any_trees(const PlanningContext& context, LegSink& sink, bool paths) {
  const Topology& topology = context.topology;
  const std::uint32_t vcs = context.routing.virtual_channels();
  const HostsByRouter hosts(topology);
  std::vector<Output> outputs;
  const auto add_channels = [&](NodeId router, std::optional<NodeId> but) {
    for (std::uint32_t p = 0; p < topology.ports(); ++p)
      for (std::uint32_t vc = 0; vc < vcs; ++vc)
        if (const auto next = topology.neighbour(router, PortId{p}); next && next != but)
          outputs.push_back(Output::through(topology.channel(router, PortId{p}), vc));
  };
  const auto split_all = [&] {
    for (std::size_t a = 0; a < outputs.size(); ++a)
      for (std::size_t b = a + 1; b < outputs.size(); ++b)
        sink.split(outputs[a], outputs[b], replication_of(context));
  };
  for (NodeId from{0}; from.value < topology.routers(); ++from.value) {
    outputs.clear();
    for (const HostId host : hosts.at(from)) outputs.push_back(Output::beside_source(host));
    add_channels(from, std::nullopt);
    for (const HostId source : hosts.at(from))
      for (const Output& first : outputs)
        if (first.host != source) sink.start(source, first);
    split_all();
    for (std::uint32_t p = 0; p < topology.ports(); ++p) {
      const auto at = topology.neighbour(from, PortId{p});
      const ChannelId input = at ? topology.channel(from, PortId{p}) : ChannelId{};
      for (std::uint32_t vc = 0; at && vc < vcs; ++vc) {
        outputs.clear();
        for (const HostId host : hosts.at(*at)) outputs.push_back(Output::into(host, input, vc));
        add_channels(*at, from);
        for (const Output& next : outputs) {
          sink.turn(Output::through(input, vc), next);
          for (std::size_t i = 0; paths && !next.host && outputs[i].host; ++i) sink.turn(outputs[i], next);
        }
        split_all();
      }
    }
  }
}

void legs_of_broadcasts(const PlanningContext& context, LegSink& sink) {
  for (const HostId source : context.topology.host_ids()) {
    const Request request{.source = source, .destinations = all_but(context.topology, source)};
    if (request.destinations.empty()) continue;
    for (const Worm& worm : context.planner->plan(context, request)) sink.part_of(worm);
  }
}

std::vector<HostId> all_but(const Topology& topology, HostId host) {
  std::vector<HostId> others = topology.host_ids();
  std::erase(others, host);
  return others;
}

std::vector<StarPort> star_ports(const Topology& topology, HostId source, bool up) {
  const NodeId at = topology.router_of(source);
  const Label here = topology.label(at);
  std::vector<StarPort> ports;
  ports.reserve(topology.ports());
  for (std::uint32_t p = 0; p < topology.ports(); ++p) {
    const auto neighbour = topology.neighbour(at, PortId{p});
    if (!neighbour || *neighbour == at) continue;
    const Label label = topology.label(*neighbour);
    if ((label > here) == up)
      ports.push_back({PortId{p}, topology.channel(at, PortId{p}), *neighbour, label});
  }
  std::sort(ports.begin(), ports.end(), [&](const StarPort& a, const StarPort& b) {
    if (a.label == b.label) return a.port < b.port;
    return up ? a.label < b.label : b.label < a.label;
  });
  return ports;
}

}  // namespace wormcast

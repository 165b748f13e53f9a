// MPM-SSR: multi-phase multicast whose worms replicate at a single switch.
//
// A worm goes to one switch by a legal route, or where links run one way by negative hops, and is copied
// there to all its destinations on that switch. In each phase every host that has the message sends one worm
// to a switch that is not covered yet, so with p destinations on a switch a phase multiplies the informed
// hosts by up to p + 1 where unicasts double them. Which switch is next:
//   naive    by switch id, senders in the order in which they were informed (one phase's by host id);
//   largest  most destinations first, ties by switch id: the fewest phases;
//   ranges   every sender has a range of the spanning tree's depth-first order to itself, or of the order of
//            ids where links run one way. It serves the largest switch of its range, and the rest is cut into
//            equal ranges for it and the hosts it informed, which keeps worms of different senders apart.
// Each destination is in one group, and every group is served once.
// Cost: O(k log k), ranges O(g²) for g switches at worst. cite: Sivaram, Panda, Stunkel 1997, section
// 4 (naive); the other orders: this project.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "routing/up_down.hpp"
#include "topology/connectivity.hpp"

namespace wormcast {
namespace {

constexpr std::array<PlannerParameter, 2> mpm_ssr_parameters = {{
    {"order", {"naive", "largest", "ranges"}, "which switch is served next"},
    {"replication", {"asynchronous", "lock-step"}, "how a switch copies the worm to its hosts"},
}};

/// A host that has the message, and the worm that brought it (−1: the source).
struct Sender {
  HostId host;
  std::int32_t informed_by = -1;
};

Worm worm_to(const Sender& sender, const SwitchGroup& group) {
  Worm worm = chain_worm(sender.host, group.hosts);  // all stops on one switch
  worm.after = sender.informed_by;
  return worm;
}

std::vector<Worm> serve_in_order(const std::vector<SwitchGroup>& groups, HostId source) {
  std::vector<Worm> worms;
  std::vector<Sender> senders{{source, -1}};
  while (worms.size() < groups.size()) {
    std::vector<Sender> informed;
    for (std::size_t i = 0; i < senders.size() && worms.size() < groups.size(); ++i) {
      const SwitchGroup& group = groups[worms.size()];
      for (const HostId host : group.hosts)
        informed.push_back({host, static_cast<std::int32_t>(worms.size())});
      worms.push_back(worm_to(senders[i], group));
    }
    std::sort(informed.begin(), informed.end(),
              [](const Sender& a, const Sender& b) { return a.host < b.host; });
    senders.insert(senders.end(), informed.begin(), informed.end());
  }
  return worms;
}

/// A sender and the groups it still has to see served, in depth-first order of their switches.
struct SenderRange {
  Sender sender;
  std::vector<const SwitchGroup*> range;
};

/// Cuts `rest` into ranges for the sender and those it informed, as equal as can be: the sender takes
/// the part at its own end of the order.
std::vector<SenderRange> share(const Sender& sender, const SwitchGroup& served, std::int32_t worm,
                               const std::vector<const SwitchGroup*>& rest, bool sender_first) {
  std::vector<SenderRange> ranges;
  for (const HostId host : served.hosts) ranges.push_back({{host, worm}, {}});
  ranges.insert(sender_first ? ranges.begin() : ranges.end(), SenderRange{sender, {}});
  const std::size_t parts = ranges.size();
  for (std::size_t i = 0; i < parts; ++i)
    ranges[i].range.assign(rest.begin() + static_cast<std::ptrdiff_t>(rest.size() * i / parts),
                           rest.begin() + static_cast<std::ptrdiff_t>(rest.size() * (i + 1) / parts));
  return ranges;
}

std::vector<Worm> serve_ranges(std::vector<SwitchGroup> groups, HostId source,
                               const PlanningContext& context) {
  const Topology& network = context.topology;
  const UpDownSetup* const setup = context.routing.up_down();
  const auto place = [&](NodeId node) {
    return setup == nullptr ? node.value : setup->preorder_position(node);
  };
  // Cyclic, from the source's switch.
  const std::uint32_t home = place(network.router_of(source));
  const auto position = [&](NodeId node) {
    return (place(node) + network.routers() - home) % network.routers();
  };
  std::sort(groups.begin(), groups.end(),
            [&](const SwitchGroup& a, const SwitchGroup& b) { return position(a.node) < position(b.node); });
  std::vector<SenderRange> ranges(1);
  ranges[0].sender = {source, -1};
  for (const SwitchGroup& group : groups) ranges[0].range.push_back(&group);
  std::vector<Worm> worms;
  while (!ranges.empty()) {
    std::vector<SenderRange> next;
    for (const SenderRange& one : ranges) {
      if (one.range.empty()) continue;
      const auto largest = std::max_element(
          one.range.begin(), one.range.end(),
          [](const SwitchGroup* a, const SwitchGroup* b) { return a->hosts.size() < b->hosts.size(); });
      const SwitchGroup& served = **largest;
      std::vector<const SwitchGroup*> rest(one.range.begin(), largest);
      rest.insert(rest.end(), largest + 1, one.range.end());
      const bool first = position(network.router_of(one.sender.host)) <= position(served.node);
      const auto shared = share(one.sender, served, static_cast<std::int32_t>(worms.size()), rest, first);
      next.insert(next.end(), shared.begin(), shared.end());
      worms.push_back(worm_to(one.sender, served));
    }
    ranges = std::move(next);
  }
  return worms;
}

Copies copied_at_switches(const PlanningContext& context) {
  return context.option("replication") == "lock-step" ? Copies::lock_step : Copies{};
}

std::vector<Worm> plan_mpm_ssr(const PlanningContext& context, const Request& request) {
  const Topology& network = context.topology;
  std::vector<SwitchGroup> groups = group_by_switch(network, request);
  std::vector<Worm> worms;
  if (context.option("order") == "ranges") {
    worms = serve_ranges(std::move(groups), request.source, context);
  } else {
    if (context.option("order") == "largest")
      std::stable_sort(groups.begin(), groups.end(), [](const SwitchGroup& a, const SwitchGroup& b) {
        return a.hosts.size() > b.hosts.size();
      });
    worms = serve_in_order(groups, request.source);
  }
  for (Worm& worm : worms) worm.replication = copied_at_switches(context);
  return worms;
}

/// A legal route from any host to any switch, where any of its hosts are asked for together.
void legs_of_mpm_ssr(const PlanningContext& context, LegSink& sink) {
  unicast_legs(context, sink);
  const Topology& network = context.topology;
  const Copies replication = copied_at_switches(context);
  const HostsByRouter hosts(network);
  for (std::uint32_t r = 0; r < hosts.routers(); ++r)
    for (const HostId a : hosts.at(NodeId{r}))
      for (const HostId b : hosts.at(NodeId{r}))
        if (a < b) sink.split(Output::beside_source(a), Output::beside_source(b), replication);
}

}  // namespace

extern const Planner planner_mpm_ssr = {
    .name = "mpm-ssr",
    .summary = "phases of worms that each serve all destinations on one switch",
    .topologies = "any connected",
    .cost = "O(k log k)",
    .cite = "Sivaram, Panda, Stunkel 1997",
    .needs = "copy to several ports of the last switch; software at relays",
    .parameters = mpm_ssr_parameters,
    .routings = {"up-down", "one-way", "negative-hop"},
    .unsupported =
        [](const Topology& t) { return t.one_way_grid() && t.intact() ? std::nullopt : no_paths(t); },
    .plan = plan_mpm_ssr,
    .legs = legs_of_mpm_ssr,
    .header = HeaderEncoding::switch_ports,
};

}  // namespace wormcast

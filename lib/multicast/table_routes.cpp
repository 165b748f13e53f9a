// Routes from forwarding tables, hop by hop.
//
// A unicast follows the tables of the switches it comes to; one that comes to a switch a second time, or
// to one without an entry, does not arrive: it is left out, and counted. A multicast that comes to a switch
// by a link of its group leaves by all others, so the worm from a member is the group's tree seen from there.
// Where service levels choose virtual channels, hops have them; what is dropped for its level is left out.
// Cost: linear in the hops that are written. cite: InfiniBand architecture, volume 1, 18.2.4 (forwarding).
// SPDX-License-Identifier: MIT
#include "multicast/table_routes.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "topology/refuse.hpp"

namespace wormcast {
namespace {

/// The hosts of a group, ascending.
std::vector<HostId> members(const ForwardingTables::Group& group) {
  std::vector<HostId> hosts;
  for (const auto& [router, links] : group)
    for (const TableHop hop : links)
      if (hop < 0) hosts.emplace_back(static_cast<std::uint32_t>(~hop));
  std::sort(hosts.begin(), hosts.end());
  return hosts;
}

class TableRoutes {
 public:
  TableRoutes(const ForwardingTables& tables, std::uint64_t length_flits)
      : tables_(tables), topology_(tables.topology()), length_flits_(length_flits) {}

  std::optional<Routes> unicast(HostId source, HostId destination) {
    Routes routes = begin(source, {{"pattern", "tables"}});
    routes.plan.request.destinations.push_back(destination);
    if (!route(destination, routes.worms.front())) return std::nullopt;
    return routes;
  }

  /// By a group of just these hosts, or else by a worm to each destination.
  std::optional<Routes> requested(const Request& request) {
    std::vector<HostId> all = request.destinations;
    all.insert(std::lower_bound(all.begin(), all.end(), request.source), request.source);
    Routes routes;
    for (const auto& [name, group] : tables_.groups())
      if (all.size() > 2 && members(group) == all) routes = multicast(name, group, request.source);
    if (routes.plan.request.destinations != request.destinations) {
      routes.worms.assign(request.destinations.size(), {});
      for (std::size_t w = 0; w < routes.worms.size(); ++w) {
        routes.worms[w].source = request.source;
        if (!route(request.destinations[w], routes.worms[w])) return std::nullopt;
      }
    }
    routes.plan.request = request;
    return routes;
  }

  /// Whether the worm arrives.
  bool route(HostId destination, WormRoute& worm) {
    const HostId source = worm.source;
    std::vector<RouteHop>& hops = worm.hops;
    const std::optional<std::uint8_t> level = tables_.level(source, destination);
    NodeId at = topology_.router_of(source);
    TableHop in = ~static_cast<TableHop>(source.value);
    for (std::uint32_t steps = 0; steps < topology_.routers(); ++steps) {
      const TableHop hop = tables_.next(at, destination);
      if (hop == ForwardingTables::no_hop) return false;
      if (tables_.has_lanes() && !level)
        refuse("service_levels",
               "SL2VL tables choose virtual channels by the service level, and that from host {} to {} is "
               "not stated: import path SLs too",
               source.value, destination.value);
      const std::uint8_t vc = lane(in, hop, level);
      if (vc == no_lane) return false;
      hops.push_back(route_hop(hop, static_cast<std::int32_t>(hops.size()) - 1, vc));
      if (hop < 0) return true;
      at = topology_.ends(ChannelId{static_cast<std::uint32_t>(hop)})->to;
      in = back(hop);
    }
    return false;
  }

  /// The group's tree from `source`, a member of it.
  Routes multicast(const std::string& name, const ForwardingTables::Group& group, HostId source) {
    Routes routes = begin(source, {{"pattern", "tables"}, {"group", name}});
    WormRoute& worm = routes.worms.front();
    struct Entry {
      NodeId router;
      TableHop by;  ///< its link at the router
      std::int32_t parent;
    };
    const std::optional<std::uint8_t> level = tables_.level(name);
    if (tables_.has_lanes() && !level)
      refuse("multicast",
             "SL2VL tables choose virtual channels by the service level, and that of group {} is not stated: "
             "import group records too (saquery -g)",
             name);
    const NodeId first = topology_.router_of(source);
    std::vector<Entry> open{{first, ~static_cast<TableHop>(source.value), -1}};
    std::set<NodeId> reached{first};
    for (std::size_t i = 0; i < open.size(); ++i) {
      const Entry at = open[i];
      const auto links = group.find(at.router);
      if (links == group.end()) continue;
      for (const TableHop hop : links->second) {
        const std::uint8_t vc = hop == at.by ? no_lane : lane(at.by, hop, level);
        if (vc == no_lane) continue;
        if (hop < 0) {
          routes.plan.request.destinations.push_back(HostId{static_cast<std::uint32_t>(~hop)});
        } else if (!continues(group, hop)) {
          continue;  // nothing is consumed beyond it
        } else {
          const NodeId to = topology_.ends(ChannelId{static_cast<std::uint32_t>(hop)})->to;
          if (!reached.insert(to).second)
            refuse("multicast", "the links of group {} form a circle through router {}", name, to.value);
          open.push_back({to, back(hop), static_cast<std::int32_t>(worm.hops.size())});
        }
        worm.hops.push_back(route_hop(hop, at.parent, vc));
      }
    }
    drop_dead_ends(worm.hops);
    std::sort(routes.plan.request.destinations.begin(), routes.plan.request.destinations.end());
    worm.settle_replication();
    return routes;
  }

 private:
  Routes begin(HostId source, NamedValues workload) {
    Routes routes;
    routes.plan.request.source = source;
    routes.plan.request.length_flits = length_flits_;
    routes.plan.request.workload = std::move(workload);
    routes.worms.emplace_back().source = source;
    return routes;
  }

  std::uint8_t lane(TableHop in, TableHop out, std::optional<std::uint8_t> level) const {
    return tables_.has_lanes() ? tables_.lane(in, out, *level) : std::uint8_t{0};
  }

  static RouteHop route_hop(TableHop hop, std::int32_t parent, std::uint8_t vc) {
    if (hop < 0) return {static_cast<std::uint32_t>(~hop), parent, 0, RouteHop::Kind::deliver};
    return {static_cast<std::uint32_t>(hop), parent, vc};
  }

  /// The same link as the far end sees it.
  TableHop back(TableHop hop) const {
    return static_cast<TableHop>(topology_.opposite(ChannelId{static_cast<std::uint32_t>(hop)}).value);
  }

  /// Whether the switch at the far end sends on what comes by the channel.
  bool continues(const ForwardingTables::Group& group, TableHop hop) const {
    const auto far = group.find(topology_.ends(ChannelId{static_cast<std::uint32_t>(hop)})->to);
    return far != group.end() && std::any_of(far->second.begin(), far->second.end(),
                                             [&](TableHop other) { return other != back(hop); });
  }

  /// Takes out channels behind which no host is, from the ends inwards.
  static void drop_dead_ends(std::vector<RouteHop>& hops) {
    std::vector<bool> used(hops.size());
    for (std::size_t h = hops.size(); h-- > 0;) {
      used[h] = used[h] || !hops[h].is_channel();
      if (used[h] && hops[h].parent >= 0) used[static_cast<std::size_t>(hops[h].parent)] = true;
    }
    std::vector<std::int32_t> moved(hops.size());
    std::int32_t kept = 0;
    for (std::size_t h = 0; h < hops.size(); ++h) {
      if (!used[h]) continue;
      RouteHop hop = hops[h];
      if (hop.parent >= 0) hop.parent = moved[static_cast<std::size_t>(hop.parent)];
      moved[h] = kept;
      hops[static_cast<std::size_t>(kept++)] = hop;
    }
    hops.resize(static_cast<std::size_t>(kept));
  }

  const ForwardingTables& tables_;
  const Topology& topology_;
  std::uint64_t length_flits_;
};

}  // namespace

std::optional<Routes> table_route(const ForwardingTables& tables, const Request& request) {
  return TableRoutes(tables, request.length_flits).requested(request);
}

UnroutedPairs each_table_route(const ForwardingTables& tables, std::uint64_t length_flits,
                               const std::function<void(const Routes&)>& visit) {
  TableRoutes routes(tables, length_flits);
  const std::uint32_t hosts = tables.topology().hosts();
  UnroutedPairs unrouted;
  std::uint64_t id = 0;
  const auto number = [&](Routes found) {
    found.plan.request.id = id++;
    visit(found);
  };
  for (std::uint32_t s = 0; tables.has_unicast() && s < hosts; ++s)
    for (std::uint32_t d = 0; d < hosts; ++d) {
      if (s == d) continue;
      if (auto found = routes.unicast(HostId{s}, HostId{d}))
        number(std::move(*found));
      else
        unrouted.add(HostId{s}, HostId{d});
    }
  for (const auto& [name, group] : tables.groups())
    for (const HostId source : members(group)) {
      Routes found = routes.multicast(name, group, source);
      if (!found.plan.request.destinations.empty()) number(std::move(found));
    }
  return unrouted;
}

}  // namespace wormcast

// Checks of forwarding tables, and their storage router by router.
// SPDX-License-Identifier: MIT
#include "routing/forwarding_tables.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "topology/error.hpp"

namespace wormcast {
namespace {

std::string indexed(const char* list, std::size_t index, const char* key) {
  return std::string(list) + "[" + std::to_string(index) + "]." + key;
}

void check_hop(TableHop hop, NodeId router, const Topology& topology, const std::string& place) {
  if (hop < 0) {
    const HostId host{static_cast<std::uint32_t>(~hop)};
    if (topology.router_of(host) != router)
      throw InputError(
          place, "host " + std::to_string(host.value) + " is not on router " + std::to_string(router.value));
    return;
  }
  const auto ends = topology.ends(ChannelId{static_cast<std::uint32_t>(hop)});
  if (!ends || ends->from != router)
    throw InputError(
        place, "channel " + std::to_string(hop) + " does not leave router " + std::to_string(router.value));
}

}  // namespace

void check_router_table(const RouterTable& table, const Topology& topology) {
  std::vector<HostId> all;
  for (std::size_t i = 0; i < table.unicast.size(); ++i) {
    const RouterTable::Unicast& entry = table.unicast[i];
    check_hop(entry.hop, table.router, topology, indexed("unicast", i, "hop"));
    const std::string place = indexed("unicast", i, "destinations");
    if (entry.destinations.empty()) throw InputError(place, "no destinations");
    if (!std::is_sorted(entry.destinations.begin(), entry.destinations.end()))
      throw InputError(place, "not in ascending order");
    if (entry.hop < 0 &&
        (entry.destinations.size() > 1 || ~entry.hop != static_cast<TableHop>(entry.destinations[0].value)))
      throw InputError(place, "host " + std::to_string(~entry.hop) + " consumes only what is for itself");
    all.insert(all.end(), entry.destinations.begin(), entry.destinations.end());
  }
  std::sort(all.begin(), all.end());
  const auto twice = std::adjacent_find(all.begin(), all.end());
  if (twice != all.end())
    throw InputError("unicast", "destination " + std::to_string(twice->value) + " stands twice");
  std::unordered_set<std::string_view> names;
  for (std::size_t i = 0; i < table.multicast.size(); ++i) {
    const RouterTable::Group& group = table.multicast[i];
    const std::string place = indexed("multicast", i, "hops");
    for (std::size_t h = 0; h < group.hops.size(); ++h) {
      check_hop(group.hops[h], table.router, topology, place);
      if (h > 0 && group.hops[h - 1] >= group.hops[h]) throw InputError(place, "not in ascending order");
    }
    if (group.hops.empty()) throw InputError(place, "no hops");
    if (!names.insert(group.name).second)
      throw InputError(indexed("multicast", i, "group"), "group '" + group.name + "' stands twice");
  }
}

void ForwardingTables::add(const RouterTable& table) {
  check_router_table(table, *topology_);
  unicast_.resize(topology_->routers());
  known_.resize(topology_->routers());
  if (known_[table.router.value])
    throw InputError("router", "router " + std::to_string(table.router.value) + " has a table already");
  known_[table.router.value] = true;
  if (!table.unicast.empty()) {
    has_unicast_ = true;
    std::vector<TableHop>& row = unicast_[table.router.value];
    row.assign(topology_->hosts(), no_hop);
    for (const RouterTable::Unicast& entry : table.unicast)
      for (const HostId destination : entry.destinations) row[destination.value] = entry.hop;
  }
  for (const RouterTable::Group& group : table.multicast) groups_[group.name][table.router] = group.hops;
}

}  // namespace wormcast

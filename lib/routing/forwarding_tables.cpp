// Checks of forwarding tables, their storage router by router, and pairs of hosts that they do not route.
// SPDX-License-Identifier: MIT
#include "routing/forwarding_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

void check_hop(TableHop hop, NodeId router, const Topology& topology, const std::string& place) {
  if (hop < 0) {
    const HostId host{static_cast<std::uint32_t>(~hop)};
    if (topology.router_of(host) != router)
      refuse(place, "host {} is not on router {}", host.value, router.value);
    return;
  }
  const auto ends = topology.ends(ChannelId{static_cast<std::uint32_t>(hop)});
  if (!ends || ends->from != router) refuse(place, "channel {} does not leave router {}", hop, router.value);
}

template <class Id>
void check_ascending(const std::vector<Id>& list, const std::string& place) {
  if (list.empty()) throw InputError(place, "empty");
  for (std::size_t i = 1; i < list.size(); ++i)
    if (!(list[i - 1] < list[i])) throw InputError(place, "not in ascending order");
}

void check_sl2vl(const RouterTable& table, const Topology& topology) {
  const std::uint32_t limit = topology.spec().virtual_channels;
  const std::uint32_t usual = limit != 0 ? limit : topology.virtual_channel_bound();
  std::vector<std::pair<TableHop, TableHop>> pairs;
  for (std::size_t i = 0; i < table.sl2vl.size(); ++i) {
    const RouterTable::Sl2vl& entry = table.sl2vl[i];
    for (const auto& [links, key] : {std::pair{&entry.in, ".in"}, {&entry.out, ".out"}}) {
      const std::string place = indexed("sl2vl", i, key);
      check_ascending(*links, place);
      for (const TableHop hop : *links) check_hop(hop, table.router, topology, place);
    }
    std::uint32_t bound = usual;  // what each link that it sends to has
    for (const TableHop hop : entry.out)
      if (hop >= 0)
        bound = std::min(bound, topology.own(LinkValue::virtual_channels,
                                             ChannelId{static_cast<std::uint32_t>(hop)}, usual));
    for (const std::uint8_t vc : entry.vcs)
      if (vc != no_lane && vc >= bound)
        refuse(indexed("sl2vl", i, ".vcs"), "virtual channel {} where the topology has {} (15: dropped)", vc,
               bound);
    for (const TableHop in : entry.in)
      for (const TableHop out : entry.out) pairs.emplace_back(in, out);
  }
  if (const auto* twice = twice_in(pairs))
    refuse("sl2vl", "in {} with out {} appears twice", twice->first, twice->second);
}

void check_path_levels(const RouterTable& table, const Topology& topology) {
  std::map<HostId, std::vector<bool>> stated;
  std::optional<std::pair<HostId, HostId>> twice;
  for (std::size_t i = 0; i < table.service_levels.size(); ++i) {
    const RouterTable::PathLevel& entry = table.service_levels[i];
    const std::string place = indexed("service_levels", i, ".sources");
    check_ascending(entry.sources, place);
    check_ascending(entry.destinations, indexed("service_levels", i, ".destinations"));
    for (const HostId source : entry.sources) {
      if (topology.router_of(source) != table.router)
        refuse(place, "host {} is not on router {}", source.value, table.router.value);
      std::vector<bool>& known = stated[source];
      known.resize(topology.hosts());
      for (const HostId destination : entry.destinations) {
        const std::pair pair{source, destination};
        if (known[destination.value]) twice = std::min(pair, twice.value_or(pair));
        known[destination.value] = true;
      }
    }
  }
  if (twice)
    refuse("service_levels", "source {} with destination {} appears twice", twice->first.value,
           twice->second.value);
}

using Numbers = std::unordered_map<std::uint32_t, std::uint32_t>;

/// New numbers by old ones.
Numbers numbers_of(const std::vector<std::uint32_t>& left) {
  Numbers numbers;
  for (std::size_t i = 0; i < left.size(); ++i) numbers.emplace(left[i], static_cast<std::uint32_t>(i));
  return numbers;
}

/// Gives the items, in their order, new numbers, and returns how many have none and go.
template <class Item, class Move>
std::uint64_t renumber(std::vector<Item>& items, Move move) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (move(items[i])) std::swap(items[kept++], items[i]);
  const std::size_t gone = items.size() - kept;
  items.resize(kept);
  return gone;
}

// A route that does not arrive either comes to a router without an entry, or to one that it has left already:
// tables know nothing but the destination, so from there on it goes round for ever; or it is dropped, where
// its service level has no virtual channel. Cost: one route, in hops. cite: InfiniBand architecture, volume
// 1, 18.2.4 (forwarding).

constexpr std::size_t most_named = 8;  ///< routers of a loop that are written out

std::string loop_text(const Topology& topology, const std::vector<NodeId>& way, std::size_t begin) {
  std::string text = "in a forwarding loop at ";
  for (std::size_t i = begin; i < way.size() && i < begin + most_named; ++i)
    text += (i == begin ? "" : ", ") + router_name(topology, way[i]);
  return text + (way.size() > begin + most_named ? ", …" : "");
}

/// Where the route from `source` ends instead.
std::string why(const ForwardingTables& tables, HostId source, HostId destination) {
  const Topology& topology = tables.topology();
  std::vector<NodeId> way;
  std::vector<bool> passed(topology.routers());
  const std::optional<std::uint8_t> level = tables.level(source, destination);
  TableHop in = ~static_cast<TableHop>(source.value);
  for (NodeId at = topology.router_of(source);;) {
    if (passed[at.value])
      return loop_text(topology, way,
                       static_cast<std::size_t>(std::find(way.begin(), way.end(), at) - way.begin()));
    passed[at.value] = true;
    way.push_back(at);
    const TableHop hop = tables.next(at, destination);
    if (hop == ForwardingTables::no_hop) return "no entry at " + router_name(topology, at);
    if (tables.has_lanes() && (hop < 0 || (level && tables.lane(in, hop, *level) == no_lane)))
      return (level ? fmt::format("service level {} has no virtual channel at ", *level)
                    : "no service level has virtual channels all the way to ") +
             router_name(topology, at);
    in = static_cast<TableHop>(topology.opposite(ChannelId{static_cast<std::uint32_t>(hop)}).value);
    at = topology.ends(ChannelId{static_cast<std::uint32_t>(hop)})->to;
  }
}

}  // namespace

void check_router_table(const RouterTable& table, const Topology& topology) {
  if (topology.ways() != Ways::both)
    refuse("kind", "tables of {}, whose links do not all run both ways", topology.name());
  std::vector<std::uint8_t> routed(topology.hosts());  // quicker than bits
  std::optional<HostId> twice;
  for (std::size_t i = 0; i < table.unicast.size(); ++i) {
    const RouterTable::Unicast& entry = table.unicast[i];
    check_hop(entry.hop, table.router, topology, indexed("unicast", i, ".hop"));
    const std::string place = indexed("unicast", i, ".destinations");
    if (entry.destinations.empty()) throw InputError(place, "no destinations");
    if (!std::is_sorted(entry.destinations.begin(), entry.destinations.end()))
      throw InputError(place, "not in ascending order");
    if (entry.hop < 0 &&
        (entry.destinations.size() > 1 || ~entry.hop != static_cast<TableHop>(entry.destinations[0].value)))
      refuse(place, "host {} consumes only what is for itself", ~entry.hop);
    for (const HostId destination : entry.destinations) {
      if (routed[destination.value]) twice = std::min(destination, twice.value_or(destination));
      routed[destination.value] = true;
    }
  }
  if (twice) refuse("unicast", "destination {} appears twice", twice->value);
  std::unordered_set<std::string_view> names;
  for (std::size_t i = 0; i < table.multicast.size(); ++i) {
    const RouterTable::Group& group = table.multicast[i];
    const std::string place = indexed("multicast", i, ".hops");
    for (std::size_t h = 0; h < group.hops.size(); ++h) {
      check_hop(group.hops[h], table.router, topology, place);
      if (h > 0 && group.hops[h - 1] >= group.hops[h]) throw InputError(place, "not in ascending order");
    }
    if (group.hops.empty()) throw InputError(place, "no hops");
    if (!names.insert(group.name).second)
      refuse(indexed("multicast", i, ".group"), "group '{}' appears twice", group.name);
  }
  check_sl2vl(table, topology);
  check_path_levels(table, topology);
}

std::uint64_t keep_tables(std::vector<RouterTable>& tables, const Survivors& left) {
  const Numbers routers = numbers_of(left.routers), hosts = numbers_of(left.hosts);
  const Numbers links = numbers_of(left.links);
  const auto host = [&](HostId& id) {
    const auto found = hosts.find(id.value);
    if (found != hosts.end()) id.value = found->second;
    return found != hosts.end();
  };
  const auto hop = [&](TableHop& to) {
    if (HostId id{static_cast<std::uint32_t>(~to)}; to < 0) {
      const bool stays = host(id);
      to = ~static_cast<TableHop>(id.value);
      return stays;
    }
    const auto found = links.find(static_cast<std::uint32_t>(to) / 2);
    if (found != links.end())
      to = static_cast<TableHop>(2 * found->second + static_cast<std::uint32_t>(to) % 2);
    return found != links.end();
  };
  std::uint64_t gone = 0;
  renumber(tables, [&](RouterTable& table) {
    const auto found = routers.find(table.router.value);
    if (found == routers.end()) return false;
    table.router.value = found->second;
    renumber(table.unicast, [&](RouterTable::Unicast& entry) {
      gone += renumber(entry.destinations, host);
      if (hop(entry.hop)) return !entry.destinations.empty();
      gone += entry.destinations.size();
      return false;
    });
    renumber(table.multicast, [&](RouterTable::Group& group) {
      gone += renumber(group.hops, hop);
      return !group.hops.empty();
    });
    renumber(table.sl2vl, [&](RouterTable::Sl2vl& lanes) {
      renumber(lanes.in, hop);
      renumber(lanes.out, hop);
      return !lanes.in.empty() && !lanes.out.empty();
    });
    renumber(table.service_levels, [&](RouterTable::PathLevel& level) {
      renumber(level.sources, host);
      renumber(level.destinations, host);
      return !level.sources.empty() && !level.destinations.empty();
    });
    return true;
  });
  return gone;
}

TableLinks::TableLinks(const Topology& topology)
    : first_(topology.routers() + 1), of_channel_(topology.channel_bound()), of_host_(topology.hosts()) {
  const auto each_link = [&](const auto& visit) {
    for (std::uint32_t c = 0; c < topology.channel_bound(); ++c)
      if (const auto ends = topology.ends(ChannelId{c}))
        visit(ends->from, static_cast<TableHop>(c), ends->to);
    for (std::uint32_t h = 0; h < topology.hosts(); ++h)
      visit(topology.router_of(HostId{h}), ~static_cast<TableHop>(h), topology.router_of(HostId{h}));
  };
  each_link([&](NodeId from, TableHop, NodeId) { ++first_[from.value + 1]; });
  most_ports_ = *std::max_element(first_.begin(), first_.end());
  if (most_ports_ >= no_port)
    refuse("router", "a router with {} links and hosts; forwarding tables are for fewer than {}", most_ports_,
           no_port);
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::uint32_t> free = first_;
  hops_.resize(first_.back());
  to_.resize(first_.back());
  back_.resize(first_.back());
  each_link([&](NodeId from, TableHop hop, NodeId to) {
    const std::uint32_t link = free[from.value]++;
    (hop < 0 ? of_host_[static_cast<std::size_t>(~hop)] : of_channel_[static_cast<std::size_t>(hop)]) = link;
    hops_[link] = hop;
    to_[link] = to;
  });
  for (std::uint32_t i = 0; i < count(); ++i) {
    const TableHop hop = hops_[i];
    const ChannelId channel{static_cast<std::uint32_t>(hop)};
    back_[i] = hop < 0 ? i : of_channel_[topology.opposite(channel).value];
  }
}

void ForwardingTables::add(const RouterTable& table) {
  check_router_table(table, *topology_);
  known_.resize(topology_->routers());
  if (known_[table.router.value]) refuse("router", "router {} has a table already", table.router.value);
  known_[table.router.value] = true;
  if (!links_) links_.emplace(*topology_);
  if (!table.unicast.empty()) {
    unicast_.resize(topology_->routers());
    std::vector<Port>& ports = unicast_[table.router.value];
    ports.assign(topology_->hosts(), TableLinks::no_port);
    for (const RouterTable::Unicast& entry : table.unicast)
      for (const HostId destination : entry.destinations) ports[destination.value] = links_->port(entry.hop);
  }
  for (const RouterTable::Group& group : table.multicast) {
    const auto [level, first] = group_levels_.emplace(group.name, group.service_level);
    if (!first && level->second != group.service_level)
      refuse("multicast", "group '{}' has another service level at another router", group.name);
    has_levels_ = has_levels_ || group.service_level.has_value();
    groups_[group.name][table.router] = group.hops;
  }
  add_lanes(table);
  add_levels(table);
}

std::uint32_t ForwardingTables::row_of(const LevelVcs& vcs) {
  const auto [row, added] = row_of_.emplace(vcs, static_cast<std::uint32_t>(rows_.size() + 1));
  if (!added) return row->second;
  Row& values = rows_.emplace_back();
  std::copy(vcs.begin(), vcs.end(), values.begin());
  const bool same = std::adjacent_find(vcs.begin(), vcs.end(), std::not_equal_to<>()) == vcs.end();
  const bool any_drops = std::find(vcs.begin(), vcs.end(), no_lane) != vcs.end();
  values[every_level] = same ? vcs.front() : any_drops ? no_lane : varied_lane;
  for (const std::uint8_t vc : vcs)
    if (vc != no_lane) virtual_channels_ = std::max(virtual_channels_, std::uint32_t{vc} + 1);
  return row->second;
}

void ForwardingTables::add_lanes(const RouterTable& table) {
  if (table.sl2vl.empty()) return;
  turns_by_.resize(links_->count());
  std::vector<std::uint32_t> turns(links_->ports(table.router));
  std::vector<std::vector<std::pair<const RouterTable::Sl2vl*, std::uint32_t>>> comes_by(turns.size());
  for (const RouterTable::Sl2vl& entry : table.sl2vl)
    for (const TableHop in : entry.in) comes_by[links_->port(in)].emplace_back(&entry, row_of(entry.vcs));
  for (Port in = 0; in < turns.size(); ++in) {
    if (comes_by[in].empty()) continue;
    std::fill(turns.begin(), turns.end(), 0);
    for (const auto& [entry, row] : comes_by[in])
      for (const TableHop out : entry->out) turns[links_->port(out)] = row;
    const auto [known, added] = turns_of_.emplace(turns, static_cast<std::uint32_t>(turns_.size() + 1));
    if (added) turns_.insert(turns_.end(), turns.begin(), turns.end());
    turns_by_[links_->link(table.router, in)] = known->second;
  }
}

void ForwardingTables::add_levels(const RouterTable& table) {
  if (table.service_levels.empty()) return;
  has_levels_ = true;
  levels_.resize(topology_->hosts());
  for (const RouterTable::PathLevel& entry : table.service_levels)
    for (const HostId source : entry.sources) {
      std::vector<std::uint8_t>& levels = levels_[source.value];
      levels.resize(topology_->hosts(), service_levels);
      for (const HostId destination : entry.destinations) levels[destination.value] = entry.level;
    }
}

std::optional<std::uint8_t> ForwardingTables::level(HostId source, HostId destination) const {
  if (levels_.empty() || levels_[source.value].empty()) return std::nullopt;
  const std::uint8_t level = levels_[source.value][destination.value];
  return level < service_levels ? std::optional(level) : std::nullopt;
}

std::optional<std::uint8_t> ForwardingTables::level(const std::string& group) const {
  const auto found = group_levels_.find(group);
  return found == group_levels_.end() ? std::nullopt : found->second;
}

void UnroutedPairs::add(HostId source, HostId destination) {
  if (count_ == 0 ||
      std::tie(source.value, destination.value) < std::tie(source_.value, destination_.value)) {
    source_ = source;
    destination_ = destination;
  }
  ++count_;
}

void UnroutedPairs::add(const UnroutedPairs& others) {
  if (others.count_ == 0) return;
  add(others.source_, others.destination_);
  count_ += others.count_ - 1;
}

std::string UnroutedPairs::in_words(const ForwardingTables& tables) const {
  if (count_ == 0) return "";
  const Topology& topology = tables.topology();
  const std::uint64_t hosts = topology.hosts();
  return fmt::format("{} of {} pairs of hosts are not routed (first: {} to {}, {})", count_,
                     hosts * (hosts - 1), called(topology, source_), called(topology, destination_),
                     why(tables, source_, destination_));
}

}  // namespace wormcast

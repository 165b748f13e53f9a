// Forwarding tables of a network as its routers hold them: a hop for each destination, the hops of
// each multicast group, and, where service levels choose among virtual channels, which level takes which.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topology/faults.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

// InfiniBand's service levels: a packet keeps its level for life, and every switch chooses the virtual
// channel (its virtual lane) on the next link by the level and the two ports that the packet comes and leaves
// by. cite: InfiniBand architecture, volume 1, 7.6 (virtual lanes), 7.6.6 (SL to VL mapping).

/// Levels are 0 to 15.
inline constexpr std::uint32_t service_levels = 16;
/// In place of a level: what holds whichever of them a packet has.
inline constexpr std::uint32_t every_level = service_levels;
/// In place of a virtual channel: a packet of that level is dropped (lane 15 carries management alone).
inline constexpr std::uint8_t no_lane = 15;
/// What levels do not agree on, and none of them drops.
inline constexpr std::uint8_t varied_lane = 16;
/// The virtual channel of each level.
using LevelVcs = std::array<std::uint8_t, service_levels>;

/// A channel (≥ 0), or the consumption channel of a host (~host).
using TableHop = std::int32_t;

/// What one router does with a message.
struct RouterTable {
  struct Unicast {
    TableHop hop = 0;
    std::vector<HostId> destinations;  ///< sorted
  };
  struct Group {
    std::string name;
    std::vector<TableHop> hops;  ///< sorted; a message that comes by one of these links leaves by all others
    std::optional<std::uint8_t> service_level = std::nullopt;  ///< of its messages, the same at every router
  };
  /// Messages that come by one link of `in` and leave by one of `out`.
  struct Sl2vl {
    std::vector<TableHop> in, out;  ///< sorted
    LevelVcs vcs{};
  };
  /// Messages from one of `sources`, hosts of this router, to one of `destinations`.
  struct PathLevel {
    std::uint8_t level = 0;
    std::vector<HostId> sources, destinations;  ///< sorted
  };

  NodeId router;
  std::vector<Unicast> unicast;           ///< destinations in none of them are not routed
  std::vector<Group> multicast;           ///< by name, each once
  std::vector<Sl2vl> sl2vl;               ///< a pair of links at most once
  std::vector<PathLevel> service_levels;  ///< a pair of hosts at most once
  std::string extras;                     ///< the record's x_ members
};

/// Throws InputError ("unicast[0].hop") where a hop does not leave the router, a destination stands twice or
/// is consumed at another host, or a virtual channel is above the topology's limit.
void check_router_table(const RouterTable& table, const Topology& topology);

/// What tables of a graph of so many links are on what is left of it: entries, hosts and links of groups go
/// with what they lead to or by, the rest has new numbers. Returns how many went from routers that are left.
std::uint64_t keep_tables(std::vector<RouterTable>& tables, const Survivors& left);

/// The tables of all routers of one network, which must outlive it. Memory: one number for each host
/// that some table leads to and each router, of SL2VL tables one for each link of a router, for each way that
/// links turn, and of service levels a byte for each pair of hosts.
class ForwardingTables {
 public:
  explicit ForwardingTables(const Topology& topology) : topology_(&topology) {}

  /// Checks a router's table and keeps it; throws InputError, for a second table of a router too.
  void add(const RouterTable& table);

  bool empty() const { return known_.empty(); }
  const Topology& topology() const { return *topology_; }
  /// True where some router says where a message to a host goes.
  bool has_unicast() const { return !unicast_.empty(); }
  /// The hop from `router` to `destination`; `no_hop` where there is none.
  TableHop next(NodeId router, HostId destination) const {
    return unicast_.empty() || unicast_[destination.value].empty()
               ? no_hop
               : unicast_[destination.value][router.value];
  }
  /// The hops of all routers to `destination`; empty where none has one.
  std::span<const TableHop> hops_to(HostId destination) const {
    return unicast_.empty() ? std::span<const TableHop>() : unicast_[destination.value];
  }
  /// Each group with the hops of each router in it.
  using Group = std::map<NodeId, std::vector<TableHop>>;
  const std::map<std::string, Group>& groups() const { return groups_; }

  /// True where some router says which virtual channels its messages take.
  bool has_lanes() const { return !rows_.empty(); }
  /// True where the service level of some pair of hosts or group is stated.
  bool has_levels() const { return has_levels_; }
  /// Virtual channels that SL2VL tables name are below this.
  std::uint32_t virtual_channels() const { return virtual_channels_; }
  /// The virtual channel on `out` of a message that came to its router by the link of `in`, a level below 16;
  /// `no_lane` where it is dropped, or tables do not say. Of `every_level`: the one that all levels share;
  /// `varied_lane` where they differ, `no_lane` where some drop it.
  std::uint8_t lane(TableHop in, TableHop out, std::uint32_t level) const;
  /// The service level of messages; nothing where it is not stated.
  std::optional<std::uint8_t> level(HostId source, HostId destination) const;
  std::optional<std::uint8_t> level(const std::string& group) const;

  static constexpr TableHop no_hop = INT32_MIN;

 private:
  /// A link that SL2VL tables name.
  struct LinkTurns {
    std::uint32_t turns = unnamed;  ///< in turns_: of what comes by it, the row for each link of its router
    std::uint32_t place = 0;        ///< its own place there
  };
  static constexpr std::uint32_t unnamed = UINT32_MAX;
  using Row = std::array<std::uint8_t, service_levels + 1>;  ///< the last is of every_level

  void add_lanes(const RouterTable& table);
  void add_levels(const RouterTable& table);

  const Topology* topology_;
  /// By destination, as they are asked for, then router; empty where no router has a hop.
  std::vector<std::vector<TableHop>> unicast_;
  std::vector<bool> known_;
  std::map<std::string, Group> groups_;
  std::map<std::string, std::optional<std::uint8_t>> group_levels_;
  bool has_levels_ = false;
  LinkTurns& link(TableHop hop) {
    return hop < 0 ? host_links_[static_cast<std::size_t>(~hop)] : links_[static_cast<std::size_t>(hop)];
  }
  const LinkTurns& link(TableHop hop) const { return const_cast<ForwardingTables*>(this)->link(hop); }
  std::uint32_t row_of(const LevelVcs& vcs);

  std::vector<LinkTurns> links_, host_links_;                     ///< by channel, by host
  std::vector<std::uint32_t> turns_;                              ///< 1 + index into rows_, 0 = not said
  std::map<std::vector<std::uint32_t>, std::uint32_t> turns_of_;  ///< most links of a network turn alike
  std::vector<Row> rows_;
  std::map<LevelVcs, std::uint32_t> row_of_;
  std::uint32_t virtual_channels_ = 0;
  std::vector<std::vector<std::uint8_t>> levels_;  ///< by destination, source; empty where none is stated
};

/// Pairs of hosts whose route does not arrive, met in any order, in words.
class UnroutedPairs {
 public:
  /// `count` pairs, of which this is the first by (source, destination).
  void add(HostId source, HostId destination, std::uint64_t count = 1);

  std::uint64_t count() const { return count_; }
  /// "2 of 6 pairs of hosts are not routed (first: 0 to 2, in a forwarding loop at a, b)"; empty where every
  /// pair is. `tables` are those in which the pairs were met.
  std::string in_words(const ForwardingTables& tables) const;

 private:
  std::uint64_t count_ = 0;
  HostId source_;
  HostId destination_;
};

}  // namespace wormcast

// Forwarding tables of a network as its routers hold them: a hop for each destination, the hops of
// each multicast group, and, where service levels choose among virtual channels, which level takes which.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
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

/// Columns of a table that are looked at together.
inline constexpr std::uint32_t block_width = 64;
using ColumnSet = std::uint64_t;  ///< of these a bit each

/// A table that is kept by rows, by blocks of columns.
template <class T>
class Columns {
 public:
  /// Of `height` rows; `absent` stands for what rows that are empty hold. The rows must outlive it.
  Columns(const std::vector<std::vector<T>>& rows, std::size_t height, T absent)
      : rows_(rows), height_(height), absent_(absent) {}

  /// The column, whose values stand `block_width` apart: between them are those of the rest of the block.
  std::span<const T> at(std::size_t column) {
    const std::size_t block = column / block_width;
    if (block / at_once != stretch_) take(block / at_once);
    const std::size_t size = height_ * block_width;
    return std::span(values_).subspan(block % at_once * size, size).subspan(column % block_width);
  }

 private:
  /// Rows are far from each other, so several blocks of one are read together.
  static constexpr std::size_t at_once = 8, ahead = 16;

  void take(std::size_t stretch) {
    stretch_ = stretch;
    values_.assign(height_ * block_width * at_once, absent_);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      std::size_t column = stretch * at_once * block_width;
      if (r + ahead < rows_.size() && !rows_[r + ahead].empty())
        __builtin_prefetch(rows_[r + ahead].data() + column);
      for (std::size_t b = 0; b < at_once && column < rows_[r].size(); ++b, column += block_width)
        std::copy_n(rows_[r].begin() + static_cast<std::ptrdiff_t>(column),
                    std::min<std::size_t>(rows_[r].size() - column, block_width),
                    values_.begin() + static_cast<std::ptrdiff_t>((b * height_ + r) * block_width));
    }
  }

  const std::vector<std::vector<T>>& rows_;
  std::size_t height_;
  T absent_;
  std::size_t stretch_ = SIZE_MAX;
  std::vector<T> values_;
};

/// The links of all routers, to others and to hosts, numbered router by router, as forwarding tables go
/// through them: what comes by one and what leaves by it.
class TableLinks {
 public:
  /// A link's place among those of its router.
  using Port = std::uint16_t;
  static constexpr Port no_port = UINT16_MAX;

  /// Throws InputError for routers of more links.
  explicit TableLinks(const Topology& topology);

  std::uint32_t count() const { return static_cast<std::uint32_t>(hops_.size()); }
  /// The most that a router has.
  std::uint32_t most_ports() const { return most_ports_; }
  std::uint32_t ports(NodeId router) const { return first_[router.value + 1] - first_[router.value]; }
  std::uint32_t link(NodeId router, Port port) const { return first_[router.value] + port; }
  std::uint32_t link(TableHop hop) const {
    return hop < 0 ? of_host_[static_cast<std::size_t>(~hop)] : of_channel_[static_cast<std::size_t>(hop)];
  }
  Port port(TableHop hop) const {
    const std::uint32_t of = link(hop);
    return static_cast<Port>(of - first_[to_[back_[of]].value]);
  }
  TableHop hop(std::uint32_t link) const { return hops_[link]; }
  /// The router at the far end, and what the link is there; a host's link leads to its own router.
  NodeId leads_to(std::uint32_t link) const { return to_[link]; }
  std::uint32_t back(std::uint32_t link) const { return back_[link]; }

 private:
  std::vector<std::uint32_t> first_;  ///< by router
  std::vector<std::uint32_t> of_channel_, of_host_;
  std::vector<TableHop> hops_;
  std::vector<NodeId> to_;
  std::vector<std::uint32_t> back_;
  std::uint32_t most_ports_ = 0;
};

/// The tables of all routers of one network, which must outlive it. Memory: two bytes for each host and each
/// router that has a table, of SL2VL tables a number for each link of a router, for each way that links turn,
/// and of service levels a byte for each pair of hosts.
class ForwardingTables {
 public:
  using Port = TableLinks::Port;

  explicit ForwardingTables(const Topology& topology) : topology_(&topology) {}

  /// Checks a router's table and keeps it; throws InputError, for a second table of a router too.
  void add(const RouterTable& table);

  bool empty() const { return known_.empty(); }
  const Topology& topology() const { return *topology_; }
  /// True where some router says where a message to a host goes.
  bool has_unicast() const { return !unicast_.empty(); }
  /// The hop from `router` to `destination`; `no_hop` where there is none.
  TableHop next(NodeId router, HostId destination) const {
    const Port by = port(router, destination);
    return by == TableLinks::no_port ? no_hop : links_->hop(links_->link(router, by));
  }
  /// The same by port.
  Port port(NodeId router, HostId destination) const {
    return unicast_.empty() || unicast_[router.value].empty() ? TableLinks::no_port
                                                              : unicast_[router.value][destination.value];
  }
  /// Of all routers the port to a destination; for hosts by source the level, 16 where it is not stated.
  Columns<Port> ports() const { return {unicast_, topology_->routers(), TableLinks::no_port}; }
  Columns<std::uint8_t> levels() const { return {levels_, topology_->hosts(), service_levels}; }
  /// Where there are tables.
  const TableLinks& links() const { return *links_; }
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
  std::uint8_t lane(TableHop in, TableHop out, std::uint32_t level) const {
    return has_lanes() ? lane(links_->link(in), links_->port(out), level) : no_lane;
  }
  /// The same by the link that it came by and the port that it leaves by; there are lanes.
  std::uint8_t lane(std::uint32_t in, Port out, std::uint32_t level) const {
    const std::uint32_t turns = turns_by_[in], row = turns == 0 ? 0 : turns_[turns - 1 + out];
    return row == 0 ? no_lane : rows_[row - 1][level];
  }
  /// The service level of messages; nothing where it is not stated.
  std::optional<std::uint8_t> level(HostId source, HostId destination) const;
  std::optional<std::uint8_t> level(const std::string& group) const;

  static constexpr TableHop no_hop = INT32_MIN;

 private:
  using Row = std::array<std::uint8_t, service_levels + 1>;  ///< the last is of every_level

  void add_lanes(const RouterTable& table);
  void add_levels(const RouterTable& table);

  const Topology* topology_;
  std::optional<TableLinks> links_;
  std::vector<std::vector<Port>> unicast_;  ///< by router, then destination; empty where it has no table
  std::vector<bool> known_;
  std::map<std::string, Group> groups_;
  std::map<std::string, std::optional<std::uint8_t>> group_levels_;
  bool has_levels_ = false;
  std::uint32_t row_of(const LevelVcs& vcs);

  /// By the link that a message came by: 1 + where in turns_ the row for each port begins; 0: not said.
  std::vector<std::uint32_t> turns_by_;
  std::vector<std::uint32_t> turns_;                              ///< 1 + index into rows_, 0 = not said
  std::map<std::vector<std::uint32_t>, std::uint32_t> turns_of_;  ///< most links of a network turn alike
  std::vector<Row> rows_;
  std::map<LevelVcs, std::uint32_t> row_of_;
  std::uint32_t virtual_channels_ = 0;
  std::vector<std::vector<std::uint8_t>> levels_;  ///< by source, destination; empty where none is stated
};

/// Pairs of hosts whose route does not arrive, met in any order, in words.
class UnroutedPairs {
 public:
  void add(HostId source, HostId destination);
  void add(const UnroutedPairs& others);

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

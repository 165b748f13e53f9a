// Forwarding tables of a network as its routers hold them: a hop for each destination, the hops of
// each multicast group.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

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
  };

  NodeId router;
  std::vector<Unicast> unicast;  ///< destinations in none of them are not routed
  std::vector<Group> multicast;  ///< by name, each once
  std::string extras;            ///< the record's x_ members
};

/// Throws InputError ("unicast[0].hop") where a hop does not leave the router, or a destination stands
/// twice or is consumed as somebody else.
void check_router_table(const RouterTable& table, const Topology& topology);

/// The tables of all routers of one network, which must outlive it. Memory: one number for each router
/// that has a table and each host.
class ForwardingTables {
 public:
  explicit ForwardingTables(const Topology& topology) : topology_(&topology) {}

  /// Checks a router's table and keeps it; throws InputError, for a second table of a router too.
  void add(const RouterTable& table);

  bool empty() const { return unicast_.empty(); }
  const Topology& topology() const { return *topology_; }
  /// True where some router says where a message to a host goes.
  bool has_unicast() const { return has_unicast_; }
  /// The hop from `router` to `destination`; `no_hop` where there is none.
  TableHop next(NodeId router, HostId destination) const {
    return unicast_.empty() || unicast_[router.value].empty() ? no_hop
                                                              : unicast_[router.value][destination.value];
  }
  /// Each group with the hops of each router in it.
  using Group = std::map<NodeId, std::vector<TableHop>>;
  const std::map<std::string, Group>& groups() const { return groups_; }

  static constexpr TableHop no_hop = INT32_MIN;

 private:
  const Topology* topology_;
  std::vector<std::vector<TableHop>> unicast_;  ///< by router, then destination; empty where no table came
  std::vector<bool> known_;
  std::map<std::string, Group> groups_;
  bool has_unicast_ = false;
};

}  // namespace wormcast

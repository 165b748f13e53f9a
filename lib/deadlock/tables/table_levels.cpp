// Service levels that take the loops out of tables.
//
// What goes to one destination, and what goes to one group, is put on the first level on which its
// dependencies close no cycle with those that are there already; each level has a virtual channel of its own
// on every link. Where that takes more than two, what the hosts of each switch send to a destination is put
// on one, in networks with few pairs of switch and host, if fewer levels do then. So dependencies stay within
// a level, and none has a cycle. Nothing is claimed: the changed tables are judged like any others. First fit
// need not find the fewest levels. Cost: a few steps for each hop of a table, and for each dependency that is
// out of order at most those between its ends. cite: Skeie, Lysne, Theiss 2002 (LASH: pairs); Domke, Hoefler,
// Nagel 2011 (DFSSSP).
// SPDX-License-Identifier: MIT
#include "deadlock/tables/table_check.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "topology/connectivity.hpp"

namespace wormcast {
namespace {

using Turns = std::vector<GrowingOrder::Edge>;  ///< from a channel to the next

/// Adds the turns on the way from a router to `destination`, up to a router that is walked already.
void add_turns(const ForwardingTables& tables, const TableHops& hops, NodeId at, HostId destination,
               std::vector<bool>& walked, Turns& turns) {
  for (TableHop hop = tables.next(at, destination); hop >= 0 && !walked[at.value];) {
    walked[at.value] = true;
    at = hops.leads_to(hop);
    const TableHop next = tables.next(at, destination);
    if (next >= 0) turns.emplace_back(hop, next);
    hop = next;
  }
}

/// Of a group, from each link to every other of the router that it leads to.
Turns turns_of(const ForwardingTables::Group& group, const TableHops& hops) {
  Turns turns;
  for (const auto& [router, links] : group)
    for (const TableHop in : links)
      if (const auto at = in < 0 ? group.end() : group.find(hops.leads_to(in)); at != group.end())
        for (const TableHop out : at->second)
          if (out >= 0 && out != (in ^ 1)) turns.emplace_back(in, out);
  return turns;
}

/// The links of a router as tables write them.
std::vector<TableHop> links_of(const TableLinks& all, NodeId router) {
  std::vector<TableHop> links;
  for (TableLinks::Port port = 0; port < all.ports(router); ++port)
    links.push_back(all.hop(all.link(router, port)));
  std::sort(links.begin(), links.end());
  return links;
}

/// The level of each group and route.
class Levels {
 public:
  explicit Levels(const ForwardingTables& tables)
      : tables_(tables), topology_(tables.topology()), hops_(topology_, RouterModel{}) {
    const std::uint32_t limit = topology_.spec().virtual_channels;
    most_ = limit == 0 ? no_lane : std::min<std::size_t>(limit, no_lane);
  }

  /// All routes to a host on one level, or else those of each router's hosts; false where that takes too
  /// many.
  bool fit(const HostsByRouter& hosts_of, bool by_router) {
    orders_.clear();
    of_routes_.assign(topology_.hosts(), std::vector<std::uint8_t>(topology_.routers()));
    for (const auto& [name, group] : tables_.groups())
      if ((of_groups_[name] = first_fit(turns_of(group, hops_))) == most_) return false;
    Turns turns;
    std::vector<bool> walked;
    for (std::uint32_t host = 0; host < topology_.hosts(); ++host) {
      turns.clear();
      walked.assign(topology_.routers(), false);
      for (std::uint32_t r = 0; r < topology_.routers(); ++r) {
        if (hosts_of.at(NodeId{r}).empty()) continue;
        if (by_router) {
          turns.clear();
          walked.assign(topology_.routers(), false);
        }
        add_turns(tables_, hops_, NodeId{r}, HostId{host}, walked, turns);
        if (by_router && (of_routes_[host][r] = first_fit(turns)) == most_) return false;
      }
      if (by_router) continue;
      const std::uint8_t level = first_fit(turns);
      if (level == most_) return false;
      std::fill(of_routes_[host].begin(), of_routes_[host].end(), level);
    }
    return true;
  }

  std::size_t count() const { return orders_.size(); }
  std::uint8_t of(const std::string& group) const { return of_groups_.at(group); }
  std::uint8_t of(NodeId router, HostId destination) const {
    return of_routes_[destination.value][router.value];
  }

 private:
  /// `most_` where none fits.
  std::uint8_t first_fit(const Turns& turns) {
    std::size_t level = 0;
    for (; level < most_; ++level) {
      if (level == orders_.size()) orders_.emplace_back(topology_.channel_bound());
      if (orders_[level].add(turns)) break;
    }
    return static_cast<std::uint8_t>(level);
  }

  const ForwardingTables& tables_;
  const Topology& topology_;
  TableHops hops_;
  std::size_t most_ = 0;
  std::vector<GrowingOrder> orders_;
  std::map<std::string, std::uint8_t> of_groups_;
  std::vector<std::vector<std::uint8_t>> of_routes_;  ///< by destination, then router of the source
};

}  // namespace

std::vector<RouterTable> tables_by_level(const ForwardingTables& tables, std::vector<RouterTable> changed) {
  const Topology& topology = tables.topology();
  const HostsByRouter hosts_of(topology);
  Levels whole(tables), split(tables);
  constexpr std::uint64_t most_routes = 65'536;  // each is tried on many levels
  const bool few = std::uint64_t{topology.routers()} * topology.hosts() <= most_routes;
  const bool fits = whole.fit(hosts_of, false);
  const bool fewer = few && (!fits || whole.count() > 2) && split.fit(hosts_of, true) &&
                     (!fits || split.count() < whole.count());
  if (!fits && !fewer) return {};
  const Levels& levels = fewer ? split : whole;
  // Virtual channel l for level l, none for levels of which nothing is known.
  LevelVcs vcs;
  vcs.fill(no_lane);
  std::iota(vcs.begin(), vcs.begin() + static_cast<std::ptrdiff_t>(levels.count()), std::uint8_t{0});
  std::vector<bool> has_table(topology.routers());
  for (const RouterTable& table : changed) has_table[table.router.value] = true;
  for (std::uint32_t r = 0; r < topology.routers(); ++r)
    if (!has_table[r]) changed.emplace_back().router = NodeId{r};  // its hosts send, too
  for (RouterTable& table : changed) {
    for (RouterTable::Group& group : table.multicast) group.service_level = levels.of(group.name);
    const std::vector<TableHop> links = links_of(tables.links(), table.router);
    table.sl2vl = {{links, links, vcs}};
    table.service_levels.clear();
    const auto own = hosts_of.at(table.router);
    for (std::uint8_t level = 0; level < levels.count() && !own.empty(); ++level) {
      RouterTable::PathLevel paths{level, {own.begin(), own.end()}, {}};
      for (std::uint32_t host = 0; host < topology.hosts(); ++host)
        if (levels.of(table.router, HostId{host}) == level) paths.destinations.push_back(HostId{host});
      if (!paths.destinations.empty()) table.service_levels.push_back(std::move(paths));
    }
  }
  return changed;
}

std::vector<Suggestion> suggest_levels(const ForwardingTables& tables, const RouterModel& model,
                                       const std::vector<RouterTable>& stated, const AnswerCheck& check) {
  ForwardingTables changed(tables.topology());
  for (const RouterTable& table : tables_by_level(tables, stated)) changed.add(table);
  if (changed.empty()) return {};
  const Answer answer = check_tables(changed, model, check).answer();
  if (!excludes_deadlock(answer)) return {};
  return {{std::string(levels_change), 0, 0, changed.virtual_channels(), "", answer}};
}

}  // namespace wormcast

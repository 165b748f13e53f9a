// Walks along tables by destination and service level.
//
// From a link on, the way of a message depends on its destination and level alone, not on the virtual channel
// that it holds there: a switch looks at the link, the level and the destination. So each (channel, virtual
// channel) is walked once for a destination and a level, however many hosts send through it. A message of no
// stated level may have any: with all sixteen tried the graph has every dependency that there can be, and
// with what all of them share only such as there are in any case. Where no virtual channels are chosen, each
// switch is walked once for a destination. Cost: O(hosts² + hosts · levels · channels) steps, sixteen times
// that where levels are not stated; O(switches · hosts) without lanes. cite: Dally, Seitz 1987; InfiniBand
// architecture, volume 1, 7.6.6; Domke, Hoefler, Nagel 2011 (DFSSSP).
// SPDX-License-Identifier: MIT
#include "deadlock/tables/table_check.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <variant>

#include "topology/connectivity.hpp"

namespace wormcast {
namespace {

/// Turns from a link and virtual channel to the next that are known, a bit each: most steps along tables are
/// met again and again, and these bits stay in a cache, which a hash table of all dependencies does not.
class KnownTurns {
 public:
  explicit KnownTurns(const ForwardingTables& tables)
      : vcs_(std::max(1U, tables.virtual_channels())),
        links_(tables.links().count()),
        ports_(tables.links().most_ports()) {
    const std::uint64_t bits = std::uint64_t{links_} * ports_ * vcs_ * vcs_;
    // Never more than twice the tables themselves.
    const std::uint64_t most = std::uint64_t{32} * tables.topology().hosts() * tables.topology().routers();
    if (bits <= most) known_.resize(bits);
  }

  /// Whether the turn from a link to a port of the router that it leads to is known, or else `learns` to be
  /// now; where turns are not kept that is asked each time.
  template <class Learns>
  bool knows(std::uint32_t came, std::uint32_t held, TableLinks::Port port, std::uint32_t wanted,
             const Learns& learns) {
    const std::size_t turn = (std::size_t{held * vcs_ + wanted} * links_ + came) * ports_ + port;
    if (!known_.empty() && known_[turn]) return true;
    const bool learnt = learns();
    if (!known_.empty()) known_[turn] = learnt;
    return learnt;
  }

 private:
  std::uint32_t vcs_, links_, ports_;
  std::vector<bool> known_;
};

class LaneGraph {
 public:
  using Port = TableLinks::Port;

  LaneGraph(const ForwardingTables& tables, const TableHops& hops, OpenLevels open, DependencyGraph& graph)
      : tables_(tables),
        topology_(tables.topology()),
        hops_(hops),
        links_(tables.links()),
        lanes_(tables.has_lanes()),
        open_(lanes_ ? open : OpenLevels::every),
        graph_(graph),
        vcs_(std::max(1U, tables.virtual_channels())),
        known_(tables),
        hosts_of_(topology_),
        first_hop_(links_.count()),
        walked_(std::size_t{topology_.routers()} * (vcs_ + 1)) {}

  TableSurvey run() {
    Columns<Port> ports = tables_.ports();
    Columns<std::uint8_t> levels = tables_.levels();
    if (tables_.has_unicast())
      for (std::uint32_t d = 0; d < topology_.hosts(); ++d) {
        ports_ = ports.at(d);
        add_routes_to(HostId{d}, levels);
      }
    std::uint32_t index = 0;
    for (const auto& [name, group] : tables_.groups()) add_group(name, group, index++);
    return std::move(survey_);
  }

 private:
  /// Levels to try where none is stated.
  std::pair<std::uint32_t, std::uint32_t> open_levels() const {
    return open_ == OpenLevels::every ? std::pair{every_level, every_level + 1}
                                      : std::pair{std::uint32_t{0}, service_levels};
  }

  /// Where virtual channels are not chosen a router passes on what comes from all of its hosts alike.
  void add_alike_routes_to(HostId destination) {
    epoch_ += 2;
    for (std::uint32_t r = 0; r < topology_.routers(); ++r) {
      const auto hosts = hosts_of_.at(NodeId{r});
      const bool its_own = topology_.router_of(destination).value == r;
      const std::uint64_t sources = hosts.size() - (its_own ? 1 : 0);
      if (sources == 0) continue;
      const HostId first = hosts.front() == destination ? hosts[1] : hosts.front();
      if (walk(first, destination, every_level))
        survey_.routed += sources;
      else
        survey_.unrouted.add(first, destination, sources);
      if (ports_[r] != TableLinks::no_port)
        leave_hosts(hosts, links_.link(NodeId{r}, ports_[r]), destination, its_own);
    }
  }
  /// From a host's link to the first channel, once for each channel: with all hosts of the switch, unless one
  /// of them is the destination, which tables may send away, too.
  void leave_hosts(std::span<const HostId> hosts, std::uint32_t link, HostId destination, bool its_own) {
    const TableHop hop = links_.hop(link);
    if (hop >= 0) {
      if (first_hop_[link]) return;
      first_hop_[link] = !its_own;
    }
    for (const HostId source : hosts)
      if (source != destination)
        graph_.add(hops_.from_host(source), hops_.out(hop), LegCause{source, destination});
  }

  void add_routes_to(HostId destination, Columns<std::uint8_t>& level_of) {
    if (!lanes_) return add_alike_routes_to(destination);
    std::array<std::vector<HostId>, service_levels + 1> sources;  // by level, the last those without
    const std::span<const std::uint8_t> levels = level_of.at(destination.value);
    for (std::uint32_t h = 0; h < topology_.hosts(); ++h)
      if (HostId{h} != destination) sources[levels[h]].push_back(HostId{h});
    std::vector<bool> arrived(topology_.hosts());
    const auto walk_all = [&](const std::vector<HostId>& from, std::uint32_t level) {
      if (from.empty()) return;
      epoch_ += 2;
      for (const HostId source : from)
        if (walk(source, destination, level)) arrived[source.value] = true;
    };
    for (std::uint32_t level = 0; level < service_levels; ++level) walk_all(sources[level], level);
    const std::vector<HostId>& open = sources[service_levels];
    const auto [least, end] = open_levels();
    for (std::uint32_t level = least; level < end && !open.empty(); ++level) walk_all(open, level);
    for (std::uint32_t level = 0; level <= service_levels; ++level)
      for (const HostId source : sources[level]) {
        survey_.open_pairs += level == service_levels ? 1 : 0;
        if (arrived[source.value])
          ++survey_.routed;
        else
          survey_.unrouted.add(source, destination);
      }
  }

  static std::optional<std::uint8_t> stated(std::uint32_t level) {
    return level == every_level ? std::nullopt : std::optional(static_cast<std::uint8_t>(level));
  }

  /// Adds the route from `source`; true if it arrives.
  bool walk(HostId source, HostId destination, std::uint32_t level) {
    path_.clear();
    bool arrives = false;
    const std::uint32_t begin = links_.link(~static_cast<TableHop>(source.value));
    const std::uint32_t end = links_.link(~static_cast<TableHop>(destination.value));
    std::uint32_t came = begin;
    std::uint32_t held = 0;
    for (;;) {
      const NodeId at = links_.leads_to(came);
      const Port port = ports_[at.value];
      const std::uint8_t vc = port == TableLinks::no_port ? no_lane
                              : lanes_                    ? tables_.lane(links_.back(came), port, level)
                                                          : 0;
      if (vc == no_lane) break;
      const std::uint32_t next = links_.link(at, port);
      const bool one_place =
          (came == begin ? lanes_ : held != varied_lane) && (next == end || vc != varied_lane);
      if (one_place)
        known_.knows(came, held, port, next == end ? 0 : vc, [&] {
          graph_.add(came == begin ? hops_.from_host(source) : hops_.out(links_.hop(came), held),
                     hops_.out(links_.hop(next), vc),
                     LegCause{source, destination, std::nullopt, stated(level)});
          return true;
        });
      if (next == end) {
        arrives = true;
        break;
      }
      const std::size_t place = std::size_t{at.value} * (vcs_ + 1) + std::min<std::uint32_t>(vc, vcs_);
      std::uint32_t& here = walked_[place];
      if ((here | 1U) == (epoch_ | 1U)) {  // known from here on, or a loop
        arrives = here != epoch_;
        break;
      }
      here = epoch_;
      path_.push_back(place);
      came = next;
      held = vc;
    }
    for (const std::size_t place : path_) walked_[place] = epoch_ | (arrives ? 1U : 0U);
    return arrives;
  }

  void add_group(const std::string& name, const ForwardingTables::Group& group, std::uint32_t index) {
    const std::optional<std::uint8_t> level = lanes_ ? tables_.level(name) : std::nullopt;
    const auto [least, end] =
        level ? std::pair<std::uint32_t, std::uint32_t>(*level, *level + 1) : open_levels();
    bool copies = false;
    for (std::uint32_t any = least; any < end; ++any)
      copies |= add_tree(tables_, hops_, group, GroupCause{index, stated(any)}, any, graph_);
    survey_.any_copies |= copies;
    survey_.open_groups += copies && !level ? 1 : 0;
  }

  const ForwardingTables& tables_;
  const Topology& topology_;
  const TableHops& hops_;
  const TableLinks& links_;
  bool lanes_;  ///< service levels choose virtual channels
  OpenLevels open_;
  DependencyGraph& graph_;
  std::uint32_t vcs_;
  KnownTurns known_;
  HostsByRouter hosts_of_;
  std::vector<bool> first_hop_;  ///< by link: routes of all hosts of its switch begin with it
  /// By switch, then virtual channel that it is left on: the last walk that left it so, and in the last bit
  /// whether that arrives.
  std::vector<std::uint32_t> walked_;
  std::span<const Port> ports_;  ///< of each switch to the destination at hand
  std::uint32_t epoch_ = 0;
  std::vector<std::size_t> path_;
  TableSurvey survey_;
};

/// A message on its way through a tree: where it comes to, by which link and virtual channel.
using Arrival = std::tuple<NodeId, TableHop, std::uint32_t>;

}  // namespace

bool add_tree(const ForwardingTables& tables, const TableHops& hops, const ForwardingTables::Group& group,
              const GroupCause& cause, std::uint32_t level, DependencyGraph& graph) {
  std::vector<Arrival> arrivals;
  for (const auto& [router, links] : group)
    for (const TableHop hop : links)
      if (hop < 0) arrivals.emplace_back(router, hop, 0);
  std::set<Arrival> known(arrivals.begin(), arrivals.end());
  bool copies = false;
  while (!arrivals.empty()) {
    const auto [router, in, held_vc] = arrivals.back();
    arrivals.pop_back();
    const auto links = group.find(router);
    if (links == group.end()) continue;
    for (const TableHop out : links->second) {
      const std::uint32_t vc = out == in ? no_lane : tables.has_lanes() ? tables.lane(in, out, level) : 0;
      if (vc == no_lane) continue;
      if ((in < 0 || held_vc != varied_lane) && (out < 0 || vc != varied_lane))
        graph.add(hops.in(in, held_vc), hops.out(out, vc), cause);
      copies = true;
      if (out < 0) continue;
      const Arrival next{hops.leads_to(out), out ^ 1, vc};
      if (known.insert(next).second) arrivals.push_back(next);
    }
  }
  return copies;
}

void add_message(const ForwardingTables& tables, const TableHops& hops, const Cause& cause,
                 std::uint32_t level, DependencyGraph& graph) {
  if (const auto* group = std::get_if<GroupCause>(&cause)) {
    add_tree(tables, hops, std::next(tables.groups().begin(), group->group)->second, *group, level, graph);
    return;
  }
  const auto& pair = std::get<LegCause>(cause);
  const Topology& topology = tables.topology();
  NodeId at = topology.router_of(pair.source);
  TableHop in = ~static_cast<TableHop>(pair.source.value);
  ResourceId held = hops.from_host(pair.source);
  // A route that comes round to a channel may be on another virtual channel of it, but not once more.
  for (std::uint32_t steps = 0; steps < 2 * topology.routers() + 2; ++steps) {
    const TableHop hop = tables.next(at, pair.destination);
    const std::uint8_t vc = hop == ForwardingTables::no_hop ? no_lane : tables.lane(in, hop, level);
    if (vc == no_lane) return;
    graph.add(held, hops.out(hop, vc), cause);
    if (hop < 0) return;
    held = hops.out(hop, vc);
    at = hops.leads_to(hop);
    in = hop ^ 1;
  }
}

TableSurvey add_table_dependencies(const ForwardingTables& tables, const TableHops& hops, OpenLevels open,
                                   DependencyGraph& graph) {
  return tables.empty() ? TableSurvey{} : LaneGraph(tables, hops, open, graph).run();
}

}  // namespace wormcast

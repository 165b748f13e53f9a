// Walks along tables by destination and service level.
//
// From a link on, the way of a message depends on its destination and level alone, not on the virtual channel
// that it holds there: a switch looks at the link, the level and the destination. So each (channel, virtual
// channel) is walked once for a destination and a level, however many hosts send through it. A message of no
// stated level may have any: with all sixteen tried the graph has every dependency that there can be, and
// with what all of them share only such as there are in any case. Where no virtual channels are chosen, each
// switch is walked once for a destination. Where nobody asks for causes no message is followed: of a block of
// destinations those that leave a switch by the same port are a set, and go on together. Ranges of
// destinations, and of groups, have graphs of their own, put together in their order. Cost: O(hosts² + hosts
// · levels · channels) steps, sixteen times that where levels are not stated. cite: Dally, Seitz 1987;
// InfiniBand architecture, volume 1, 7.6.6; Domke, Hoefler, Nagel 2011 (DFSSSP).
// SPDX-License-Identifier: MIT
#include "deadlock/tables/table_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <variant>

#include "topology/in_parallel.hpp"

namespace wormcast {
namespace {

class LaneGraph {
 public:
  using Port = TableLinks::Port;

  LaneGraph(const ForwardingTables& tables, const TableHops& hops, OpenLevels open, bool causes)
      : tables_(tables),
        topology_(tables.topology()),
        hops_(hops),
        links_(tables.links()),
        lanes_(tables.has_lanes()),
        open_(lanes_ ? open : OpenLevels::every),
        causes_(causes),
        vcs_(std::max(1U, tables.virtual_channels())),
        walked_(std::size_t{topology_.routers()} * (vcs_ + 1)),
        ports_(topology_.routers()) {
    const std::uint64_t turns = std::uint64_t{links_.count()} * links_.most_ports() * vcs_ * vcs_;
    for (std::uint32_t h = 0; h < topology_.hosts(); ++h) sources_.emplace_back(h);
    if (!lanes_)
      std::stable_sort(sources_.begin(), sources_.end(),
                       [&](HostId a, HostId b) { return topology_.router_of(a) < topology_.router_of(b); });
    // In bits, never more than twice the tables themselves.
    known_.resize(std::min(turns, std::uint64_t{32} * topology_.hosts() * topology_.routers()) / bits + 1);
  }

  /// The routes to the hosts of the blocks from `first` on, up to `end`.
  void add_routes(std::size_t first, std::size_t end) {
    Columns<Port> ports = tables_.ports();
    Columns<std::uint8_t> levels = tables_.levels();
    ColumnSet walked = ~ColumnSet{0};
    const std::size_t last = std::min<std::size_t>(end * block_width, topology_.hosts());
    for (auto d = static_cast<std::uint32_t>(first * block_width); d < last; ++d) {
      const std::span<const Port> of_block = ports.at(d);
      // Causes will be asked for where there is a cycle, and most are in the first blocks of all.
      if (!causes_ && (d == early * block_width || d == later * block_width) && !acyclic()) return;
      // Where none of them is reached by all, that is likely to go on.
      if (d % block_width == 0 && !causes_) walked = look_at(d, of_block, levels.at(d));
      causes_ = causes_ || walked == ~ColumnSet{0};
      if ((walked >> d % block_width & 1U) == 0) {
        survey_.routed += topology_.hosts() - 1;
        continue;
      }
      for (std::uint32_t r = 0; r < topology_.routers(); ++r) ports_[r] = of_block[r * block_width];
      add_routes_to(HostId{d}, levels.at(d));
    }
  }

  /// Those of the groups from `first` on, up to `end`.
  void add_groups(std::size_t first, std::size_t end) {
    auto group = std::next(tables_.groups().begin(), static_cast<std::ptrdiff_t>(first));
    for (auto index = static_cast<std::uint32_t>(first); index < end; ++index, ++group) {
      const std::optional<std::uint8_t> level = lanes_ ? tables_.level(group->first) : std::nullopt;
      const auto [least, most] = levels_of(level.value_or(every_level));
      bool copies = false;
      for (std::uint32_t any = least; any < most; ++any)
        copies |= add_tree(tables_, hops_, group->second, GroupCause{index, stated(any)}, any, graph_);
      survey_.any_copies |= copies;
      survey_.open_groups += copies && !level ? 1 : 0;
    }
  }

  /// Takes over what another has found.
  void take(const LaneGraph& other) {
    graph_.add(other.graph_);
    for (std::size_t i = 0; i < known_.size(); ++i) known_[i] |= other.known_[i];
    survey_.add(other.survey_);
  }
  void add_to(DependencyGraph& graph) const {
    graph.add(graph_);
    for (std::size_t i = 0; i < known_.size(); ++i)
      for (std::uint64_t left = known_[i]; left != 0; left &= left - 1) {
        const std::size_t bit = i * bits + static_cast<std::size_t>(std::countr_zero(left));
        const auto came = static_cast<std::uint32_t>(bit / vcs_ / links_.most_ports() / vcs_);
        const auto port = static_cast<Port>(bit / vcs_ % links_.most_ports());
        add(graph, came, bit / vcs_ / links_.most_ports() % vcs_, links_.link(links_.leads_to(came), port),
            bit % vcs_, LegCause{});
      }
  }
  const TableSurvey& survey() const { return survey_; }

 private:
  /// Levels to try of messages of which that one is stated.
  std::pair<std::uint32_t, std::uint32_t> levels_of(std::uint32_t stated) const {
    if (stated == every_level && open_ == OpenLevels::any) return {0, service_levels};
    return {stated, stated + 1};
  }

  void add_routes_to(HostId destination, std::span<const std::uint8_t> levels) {
    std::array<std::vector<HostId>, service_levels + 1> sources;  // by level, the last those without
    for (const HostId source : sources_)
      if (source != destination)
        sources[lanes_ ? levels[source.value * block_width] : every_level].push_back(source);
    std::vector<bool> arrived(topology_.hosts());
    for (std::uint32_t stated = 0; stated <= every_level; ++stated) {
      const auto [least, end] = levels_of(stated);
      for (std::uint32_t level = least; level < end && !sources[stated].empty(); ++level) {
        epoch_ += 2;
        for (const HostId source : sources[stated])
          if (walk(source, destination, level)) arrived[source.value] = true;
      }
    }
    survey_.open_pairs += sources[every_level].size();
    for (const HostId source : sources_)
      if (arrived[source.value])
        ++survey_.routed;
      else if (source != destination)
        survey_.unrouted.add(source, destination);
  }

  static std::optional<std::uint8_t> stated(std::uint32_t level) {
    return level == every_level ? std::nullopt : std::optional(static_cast<std::uint8_t>(level));
  }

  /// The virtual channel on which a message leaves that came by a link and holds one there, `no_lane` where
  /// it does not; adds what it waits for.
  std::uint32_t turn(std::uint32_t came, std::uint32_t held, Port port, std::uint32_t level,
                     const LegCause& cause) {
    const NodeId at = links_.leads_to(came);
    const std::uint32_t vc = port == TableLinks::no_port ? no_lane
                             : lanes_                    ? tables_.lane(links_.back(came), port, level)
                                                         : 0;
    const bool ends = vc == varied_lane && links_.hop(links_.link(at, port)) < 0;
    const std::uint32_t wanted = ends ? 0 : vc;
    if (wanted >= vcs_ || held >= vcs_) return vc;  // several virtual channels are no one place
    const std::size_t bit = ((std::size_t{came} * vcs_ + held) * links_.most_ports() + port) * vcs_ + wanted;
    const bool kept = bit / bits < known_.size();
    const std::uint64_t one = std::uint64_t{1} << bit % bits;
    if (kept && (known_[bit / bits] & one) != 0) return vc;
    if (kept) known_[bit / bits] |= one;
    if (causes_ || !kept) add(graph_, came, held, links_.link(at, port), wanted, cause);
    return vc;
  }
  [[gnu::noinline]] void add(DependencyGraph& graph, std::uint32_t came, std::size_t held, std::uint32_t next,
                             std::size_t wanted, const LegCause& cause) const {
    const TableHop hop = links_.hop(came);
    graph.add(hop < 0 ? hops_.in(hop) : hops_.out(hop, static_cast<std::uint32_t>(held)),
              hops_.out(links_.hop(next), static_cast<std::uint32_t>(wanted)), cause);
  }
  bool acyclic() const {
    DependencyGraph so_far;
    add_to(so_far);
    return DependencyOrder(so_far).acyclic();
  }

  /// Adds the route from `source`; true if it arrives.
  bool walk(HostId source, HostId destination, std::uint32_t level) {
    path_.clear();
    bool arrives = false;
    const std::uint32_t end = links_.link(~static_cast<TableHop>(destination.value));
    const LegCause cause{source, destination, std::nullopt, stated(level)};
    const std::uint32_t begin = links_.link(~static_cast<TableHop>(source.value));
    const auto port_at = [&](NodeId at) { return ports_[at.value]; };
    std::uint32_t came = begin;
    for (std::uint32_t held = 0;;) {
      const NodeId at = links_.leads_to(came);
      const Port port = port_at(at);
      if (came != begin || lanes_)
        held = turn(came, held, port, level, cause);
      else if (port == TableLinks::no_port)
        held = no_lane;
      if (held == no_lane) break;
      came = links_.link(at, port);
      const std::size_t place = std::size_t{at.value} * (vcs_ + 1) + std::min(held, vcs_);
      std::uint32_t& here = walked_[place];
      arrives = came == end || here == (epoch_ | 1U);
      if (arrives || here == epoch_) break;  // known from here on, or a loop
      here = epoch_;
      path_.push_back(place);
    }
    // Without lanes what the host waits for is listed last.
    if (!lanes_) turn(begin, 0, port_at(links_.leads_to(begin)), level, cause);
    for (const std::size_t place : path_) walked_[place] = epoch_ | (arrives ? 1U : 0U);
    return arrives;
  }

  /// Adds what all messages to the hosts of the block from `first` on wait for, switch by switch: those for
  /// which some do not arrive, if the dependencies have no cycle. What goes the same way goes it at once.
  ColumnSet look_at(std::uint32_t first, std::span<const Port> ports, std::span<const std::uint8_t> levels) {
    const std::uint32_t routers = topology_.routers(), ways = links_.most_ports();
    ColumnSet lost = 0;
    passed_.assign(std::size_t{routers} * vcs_ * (every_level + 1), 0);
    next_.resize(passed_.size());
    by_port_.assign(std::size_t{routers} * ways, 0);
    for (std::size_t r = 0; r < routers; ++r)
      for (std::uint32_t i = 0; i < block_width; ++i)
        if (const Port port = ports[r * block_width + i]; port != TableLinks::no_port)
          by_port_[r * ways + port] |= ColumnSet{1} << i;
    const auto go_on = [&](std::uint32_t came, std::uint32_t held, std::uint32_t level, ColumnSet coming) {
      const NodeId at = links_.leads_to(came);
      const ColumnSet* by_port = &by_port_[std::size_t{at.value} * ways];
      for (Port port = 0; coming != 0 && port < links_.ports(at); ++port) {
        const ColumnSet here = coming & by_port[port];
        if (here == 0) continue;
        const std::uint32_t vc = turn(came, held, port, level, LegCause{});
        if (vc == no_lane) continue;
        coming &= ~here;
        const std::size_t place = (std::size_t{level} * vcs_ + vc) * routers + at.value;
        const ColumnSet fresh = here & ~passed_[place];
        if (fresh != 0 && next_[place] == 0) queue_.push_back(place);
        passed_[place] |= fresh;
        next_[place] |= fresh;
      }
      lost |= coming;
    };
    for (std::uint32_t s = 0; s < topology_.hosts(); ++s) {
      std::array<ColumnSet, every_level + 1> sent{};
      if (!lanes_) sent[every_level] = ~ColumnSet{0};
      for (std::uint32_t i = 0; lanes_ && i < block_width; ++i)
        sent[levels[std::size_t{s} * block_width + i]] |= ColumnSet{1} << i;
      for (std::uint32_t stated = 0; stated <= every_level; ++stated) {
        const auto [least, end] = levels_of(stated);
        if (s >= first && s < first + block_width) sent[stated] &= ~(ColumnSet{1} << (s - first));
        for (std::uint32_t level = least; sent[stated] != 0 && level < end; ++level)
          go_on(links_.link(~static_cast<TableHop>(s)), 0, level, sent[stated]);
      }
    }
    while (!queue_.empty()) {
      const std::size_t place = queue_.back();
      queue_.pop_back();
      const NodeId at{static_cast<std::uint32_t>(place % routers)};
      const auto held = static_cast<std::uint32_t>(place / routers % vcs_);
      const auto level = static_cast<std::uint32_t>(place / routers / vcs_);
      const ColumnSet open = std::exchange(next_[place], 0);
      for (Port port = 0; port < links_.ports(at); ++port) {
        const std::uint32_t came = links_.link(at, port);
        const ColumnSet here = open & by_port_[std::size_t{at.value} * ways + port];
        if (here != 0 && links_.hop(came) >= 0) go_on(came, held, level, here);
      }
    }
    return lost;
  }

  const ForwardingTables& tables_;
  const Topology& topology_;
  const TableHops& hops_;
  const TableLinks& links_;
  bool lanes_;  ///< service levels choose virtual channels
  OpenLevels open_;
  DependencyGraph graph_;
  bool causes_;
  std::uint32_t vcs_;
  /// Turns from a link and virtual channel to the next that have been met, a bit each, as far as there are
  /// bits: most steps along tables are met again and again, and these bits stay in a cache, which a hash
  /// table of all dependencies does not. What has no cause is nowhere else.
  std::vector<std::uint64_t> known_;
  static constexpr std::size_t bits = 64, early = 1,
                               later = 8;  ///< a word's; blocks before a cycle is looked for
  std::vector<HostId> sources_;            ///< all hosts, in the order in which they are looked at
  /// By switch, then virtual channel that it is left on: the last walk that left it so, and in the last bit
  /// whether that arrives.
  std::vector<std::uint32_t> walked_;
  std::vector<Port> ports_;  ///< of each switch to the destination at hand
  std::uint32_t epoch_ = 0;
  std::vector<std::size_t> path_;
  /// By level, virtual channel and switch: what leaves the switch so, and what of it has not been followed.
  std::vector<ColumnSet> passed_, next_;
  std::vector<ColumnSet> by_port_;  ///< by switch and port: what leaves it so
  std::vector<std::size_t> queue_;  ///< where there is such
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
  bool copies = false;
  all_reached(std::move(arrivals), [&](const Arrival& arrival, const auto& visit) {
    const auto& [router, in, held_vc] = arrival;
    const auto links = group.find(router);
    if (links == group.end()) return;
    for (const TableHop out : links->second) {
      const std::uint32_t vc = out == in ? no_lane : tables.has_lanes() ? tables.lane(in, out, level) : 0;
      if (vc == no_lane) continue;
      if ((in < 0 || held_vc != varied_lane) && (out < 0 || vc != varied_lane))
        graph.add(hops.in(in, held_vc), hops.out(out, vc), cause);
      copies = true;
      if (out >= 0) visit({hops.leads_to(out), out ^ 1, vc});
    }
  });
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
                                   DependencyGraph& graph, bool causes) {
  TableSurvey survey;
  if (tables.empty()) return survey;
  std::array<std::optional<LaneGraph>, most_parts> found;
  const auto add_parts = [&](std::size_t items, auto collect) {
    in_parallel(items, [&](std::size_t part, std::size_t first, std::size_t end) {
      (found[part].emplace(tables, hops, open, causes).*collect)(first, end);
    });
    if (!found[0]) return;
    for (std::size_t part = 1; part < found.size(); ++part)
      if (found[part]) found[0]->take(*found[part]);
    found[0]->add_to(graph);
    survey.add(found[0]->survey());
    for (std::optional<LaneGraph>& part : found) part.reset();
  };
  const std::size_t hosts = tables.has_unicast() ? tables.topology().hosts() : 0;
  add_parts((hosts + block_width - 1) / block_width, &LaneGraph::add_routes);
  add_parts(tables.groups().size(), &LaneGraph::add_groups);
  return survey;
}

}  // namespace wormcast

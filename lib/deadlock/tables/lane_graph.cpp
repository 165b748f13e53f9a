// Walks by destination and service level.
//
// From a link on, the way of a message depends on its destination and level alone, not on the virtual channel
// that it holds there: a switch looks at the link, the level and the destination. So each (channel, virtual
// channel) is walked once for a destination and a level, however many hosts send through it. A message of no
// stated level may have any: with all sixteen tried the graph has every dependency that there can be, and
// with what all of them share only such as there are in any case. Cost: O(hosts² + hosts · levels · channels)
// steps, sixteen times that where levels are not stated. cite: Dally, Seitz 1987; InfiniBand architecture,
// volume 1, 7.6.6; Domke, Hoefler, Nagel 2011 (DFSSSP).
// SPDX-License-Identifier: MIT
#include "deadlock/tables/table_check.hpp"

#include <array>
#include <set>
#include <tuple>
#include <utility>

namespace wormcast {
namespace {

class LaneGraph {
 public:
  LaneGraph(const ForwardingTables& tables, const TableHops& hops, OpenLevels open, DependencyGraph& graph)
      : tables_(tables),
        topology_(tables.topology()),
        hops_(hops),
        open_(open),
        graph_(graph),
        known_(topology_, tables.virtual_channels()) {
    walked_.assign(std::size_t{topology_.channel_bound()} * tables.virtual_channels(), 0);
  }

  TableSurvey run() {
    if (tables_.has_unicast())
      for (std::uint32_t d = 0; d < topology_.hosts(); ++d) add_routes_to(HostId{d});
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

  void add_routes_to(HostId destination) {
    std::array<std::vector<HostId>, service_levels + 1> sources;  // by level, the last those without
    for (std::uint32_t h = 0; h < topology_.hosts(); ++h)
      if (HostId{h} != destination)
        sources[tables_.level(HostId{h}, destination).value_or(service_levels)].push_back(HostId{h});
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
        if (!arrived[source.value]) {
          survey_.unrouted.add(source, destination);
          continue;
        }
        ++survey_.routed;
        if (level == service_levels) note_open(source, destination);
      }
  }

  void note_open(HostId source, HostId destination) {
    ++survey_.open_pairs;
    std::optional<LegCause>& first = survey_.first_open_pair;
    const auto place = [](const LegCause& cause) { return std::tuple(cause.source, cause.destination); };
    const LegCause cause{source, destination};
    if (!first || place(cause) < place(*first)) first = cause;
  }

  static std::optional<std::uint8_t> stated(std::uint32_t level) {
    return level == every_level ? std::nullopt : std::optional(static_cast<std::uint8_t>(level));
  }

  /// Adds the route from `source`; true if it arrives.
  bool walk(HostId source, HostId destination, std::uint32_t level) {
    path_.clear();
    bool arrives = false;
    NodeId at = topology_.router_of(source);
    TableHop in = ~static_cast<TableHop>(source.value);
    TableHop came = in;
    std::uint32_t held = 0;
    for (;;) {
      const TableHop hop = tables_.next(at, destination);
      const std::uint8_t vc = hop == ForwardingTables::no_hop ? no_lane : tables_.lane(in, hop, level);
      if (vc == no_lane) break;
      if (hop < 0 || known_.is_new(came, held, hop, vc))
        graph_.add(came < 0 ? hops_.from_host(source) : hops_.out(came, held), hops_.out(hop, vc),
                   LegCause{source, destination, std::nullopt, stated(level)});
      if (hop < 0) {
        arrives = true;
        break;
      }
      const std::size_t place = static_cast<std::size_t>(hop) * tables_.virtual_channels() + vc;
      std::uint32_t& here = walked_[place];
      if ((here | 1U) == (epoch_ | 1U)) {  // known from here on, or a circle
        arrives = here != epoch_;
        break;
      }
      here = epoch_;
      path_.push_back(place);
      came = hop;
      held = vc;
      at = hops_.leads_to(hop);
      in = hop ^ 1;
    }
    for (const std::size_t place : path_) walked_[place] = epoch_ | (arrives ? 1U : 0U);
    return arrives;
  }

  void add_group(const std::string& name, const ForwardingTables::Group& group, std::uint32_t index) {
    const std::optional<std::uint8_t> level = tables_.level(name);
    const auto [least, end] =
        level ? std::pair<std::uint32_t, std::uint32_t>(*level, *level + 1) : open_levels();
    bool copies = false;
    for (std::uint32_t any = least; any < end; ++any)
      copies |= add_tree(tables_, hops_, group, GroupCause{index, stated(any)}, any, graph_);
    survey_.any_copies |= copies;
    if (copies && !level) survey_.open_groups.push_back(name);
  }

  const ForwardingTables& tables_;
  const Topology& topology_;
  const TableHops& hops_;
  OpenLevels open_;
  DependencyGraph& graph_;
  KnownTurns known_;
  /// By channel, then virtual channel: the last walk that took it, and in the last bit whether that arrives.
  std::vector<std::uint32_t> walked_;
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
      graph.add(hops.in(in, held_vc), hops.out(out, vc), cause);
      copies = true;
      if (out < 0) continue;
      const Arrival next{hops.leads_to(out), out ^ 1, vc};
      if (known.insert(next).second) arrivals.push_back(next);
    }
  }
  return copies;
}

TableSurvey add_lane_dependencies(const ForwardingTables& tables, const TableHops& hops, OpenLevels open,
                                  DependencyGraph& graph) {
  return LaneGraph(tables, hops, open, graph).run();
}

}  // namespace wormcast

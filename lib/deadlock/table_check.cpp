// Dependencies of forwarding tables, destination by destination and switch by switch.
//
// Under cut-through switching a packet that waits holds one buffer, that of the channel it came by, so the
// dependencies of a unicast are those from each channel of its route to the next, and those of a multicast
// lead at every switch of its tree from each link of the tree to every other. All routes to a
// destination form a tree (or run in a circle): each switch is walked once for a destination, however many
// hosts send through it. A cycle is a credit loop: packets can come to wait for each other in a circle.
// InfiniBand switches drop what has waited too long at the head of a queue, so the loop need not last.
// Cost: O(switches · hosts) steps, and O(hosts²) for the check of the evidence; memory: the tables and the
// dependencies, no routes.
// cite: Dally, Seitz 1987; ALGORITHMS G.2 (asynchronous trees with packet buffers); ibdmchk(1).
// SPDX-License-Identifier: MIT
#include "deadlock/table_check.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "deadlock/dependency_cycles.hpp"
#include "deadlock/table_hops.hpp"
#include "deadlock/table_verdict_check.hpp"
#include "routing/unrouted.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

class TableGraph {
 public:
  TableGraph(const ForwardingTables& tables, const TableHops& hops, DependencyGraph& graph)
      : tables_(tables), topology_(tables.topology()), hops_(hops), graph_(graph) {
    hosts_of_.resize(topology_.routers());
    for (std::uint32_t h = 0; h < topology_.hosts(); ++h)
      hosts_of_[topology_.router_of(HostId{h}).value].push_back(HostId{h});
    walked_.assign(topology_.routers(), Walked{});
    first_hop_.resize(topology_.channel_bound());
  }

  void add_all() {
    if (tables_.has_unicast())
      for (std::uint32_t d = 0; d < topology_.hosts(); ++d) add_routes_to(HostId{d});
    std::uint32_t index = 0;
    for (const auto& [name, group] : tables_.groups()) add_group(group, index++);
  }

  std::uint64_t routed() const { return routed_; }
  /// No pair is routed, and no group leads from one link to another.
  bool routes_nothing() const { return routed_ == 0 && !any_copies_; }
  const UnroutedPairs& unrouted() const { return unrouted_; }

 private:
  struct Walked {
    std::uint32_t epoch = 0;  ///< destination + 1 of the last walk through this switch
    bool arrives = false;
  };

  void add_routes_to(HostId destination) {
    for (std::uint32_t r = 0; r < topology_.routers(); ++r) {
      std::uint64_t sources = hosts_of_[r].size();
      if (topology_.router_of(destination).value == r) --sources;
      if (sources == 0) continue;
      if (walk(NodeId{r}, destination))
        routed_ += sources;
      else
        unrouted_.add(first_source(NodeId{r}, destination), destination, sources);
      leave_hosts(NodeId{r}, destination);
    }
  }

  /// From a host's link to the first channel, once for each channel: with all hosts of the switch, unless one
  /// of them is the destination, which tables may send away, too.
  void leave_hosts(NodeId router, HostId destination) {
    const TableHop hop = tables_.next(router, destination);
    if (hop == ForwardingTables::no_hop) return;
    if (hop >= 0) {
      if (first_hop_[static_cast<std::size_t>(hop)]) return;
      first_hop_[static_cast<std::size_t>(hop)] = topology_.router_of(destination) != router;
    }
    for (const HostId source : hosts_of_[router.value])
      if (source != destination)
        graph_.add(hops_.from_host(source), hops_.out(hop), LegCause{source, destination});
  }

  /// The first host of a router that sends something to `destination`.
  HostId first_source(NodeId router, HostId destination) const {
    const std::vector<HostId>& hosts = hosts_of_[router.value];
    return hosts.front() == destination && hosts.size() > 1 ? hosts[1] : hosts.front();
  }

  /// Adds the route on from `router`; true if it arrives.
  bool walk(NodeId router, HostId destination) {
    const std::uint32_t epoch = destination.value + 1;
    const LegCause cause{first_source(router, destination), destination};
    path_.clear();
    bool arrives = false;
    for (NodeId at = router;;) {
      Walked& here = walked_[at.value];
      if (here.epoch == epoch) {  // known from here on, or a circle
        arrives = here.arrives;
        break;
      }
      here = {epoch, false};
      path_.push_back(at);
      const TableHop hop = tables_.next(at, destination);
      if (hop == ForwardingTables::no_hop) break;
      if (hop < 0) {
        arrives = true;
        break;
      }
      at = hops_.leads_to(hop);
      const TableHop next = tables_.next(at, destination);
      if (next != ForwardingTables::no_hop) graph_.add(hops_.out(hop), hops_.out(next), cause);
    }
    for (const NodeId at : path_) walked_[at.value].arrives = arrives;
    return arrives;
  }

  /// What comes to a switch by a link of it leaves by all others of the group, from the members on: links
  /// that no message can come by bring no dependency.
  void add_group(const ForwardingTables::Group& group, std::uint32_t index) {
    std::vector<std::pair<NodeId, TableHop>> arrivals;
    for (const auto& [router, links] : group)
      for (const TableHop hop : links)
        if (hop < 0) arrivals.emplace_back(router, hop);
    std::set<std::pair<NodeId, TableHop>> known(arrivals.begin(), arrivals.end());
    while (!arrivals.empty()) {
      const auto [router, in] = arrivals.back();
      arrivals.pop_back();
      const auto links = group.find(router);
      if (links == group.end()) continue;
      for (const TableHop out : links->second) {
        if (out == in) continue;
        graph_.add(hops_.in(in), hops_.out(out), GroupCause{index});
        any_copies_ = true;
        if (out < 0) continue;
        const std::pair<NodeId, TableHop> next{hops_.leads_to(out), out ^ 1};
        if (known.insert(next).second) arrivals.push_back(next);
      }
    }
  }

  const ForwardingTables& tables_;
  const Topology& topology_;
  const TableHops& hops_;
  DependencyGraph& graph_;
  std::vector<std::vector<HostId>> hosts_of_;
  std::vector<Walked> walked_;
  std::vector<bool> first_hop_;  ///< by channel: routes of all hosts of its switch begin with it
  std::vector<NodeId> path_;
  std::uint64_t routed_ = 0;
  bool any_copies_ = false;
  UnroutedPairs unrouted_;
};

}  // namespace

void require_table_network(const Topology& topology) {
  if (!topology.hosts_have_links())
    throw InputError("router", "forwarding tables are checked on networks of family graph, not on " +
                                   topology.name() +
                                   "; check the routes that route-expand makes of them (route-expand FILE | "
                                   "check-deadlock)");
}

Verdict check_tables(const ForwardingTables& tables, const RouterModel& model) {
  const Topology& topology = tables.topology();
  require_table_network(topology);
  const TableHops hops(topology, model);
  DependencyGraph graph;
  TableGraph collector(tables, hops, graph);
  collector.add_all();
  Verdict result;
  result.scope = tables_scope;
  result.model = model;
  result.model.cut_through = true;
  result.multicasts = tables.groups().size();
  result.worms = collector.routed();
  result.unrouted = collector.unrouted().count();
  result.unrouted_in_words = collector.unrouted().in_words(tables);
  result.resources = static_cast<std::uint64_t>(std::count(graph.taken().begin(), graph.taken().end(), true));
  result.dependencies = graph.size();
  for (const auto& [name, group] : tables.groups()) result.groups.push_back(name);
  const DependencyOrder order(graph);
  if (order.acyclic() && collector.routes_nothing()) {
    result.answer = Answer::unknown;
    result.limit = "nothing to check: no pair of hosts is routed on " + topology.name();
  } else if (order.acyclic()) {
    result.answer = Answer::safe;
    result.numbering = order.numbering();
  } else {
    result.cycle = order.shortest_cycle();
    result.answer = Answer::loop;
    if (topology.spec().virtual_channels > 1) {
      result.answer = Answer::unknown;
      result.limit = "which virtual channel a route takes is not known: path-SL and SL2VL tables are needed";
    }
  }
  const CheckedVerdict checked = check_table_verdict(tables, result);
  const bool open = checked.outcome == CheckedVerdict::Outcome::undecided && result.cycle.empty();
  if (checked.outcome != CheckedVerdict::Outcome::holds && !open)
    throw std::logic_error("evidence refused: " + checked.reason);
  result.graph = graph.dependencies();
  return result;
}

}  // namespace wormcast

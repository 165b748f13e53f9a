// OPM: one worm to all destinations, a header of one bit for each host, decoded at every switch.
//
// At a switch that does not have all destinations of the header at or below it the worm goes up, by
// the link with the fewest hops up to a switch that has (ties to the lowest neighbour; the root has
// everything). There it turns: the switch delivers to its own hosts and sends a copy down every link
// whose string meets the header, with the header cut to that string.
//
// Most hosts are reached through several links downwards of a switch, and a copy through each would deliver
// twice. So the string of a link has the hosts whose shortest way down begins with it, the lowest (far end,
// port) of several, as up*/down* routes them: strings of a switch are disjoint, and with its own hosts they
// are its reach. If two switches below u are reached through the same switch a, they are reached through the
// same link of u: a shortest way to either begins with a shortest way to a, so both have the same choices.
// Copies that part never meet again. No string is stored: a switch asks for the way to each destination.
//
// --drop-on-the-way: switches on the way up already serve what is at or below them, which
// shortens the tree. All paths of the tree are legal up*/down* routes, so no dependency between
// channels is new (base routing conformed path). Copies are asynchronous with buffers for the whole
// worm in the paper. A worm says so also where it does not branch: as a path worm, one that drops a copy
// on the way up would take that host's consumption channel first and keep it while it waits to go on,
// which deadlocks whatever the buffers.
// Cost: O(hops to all switches with destinations · ports), the set-up of up*/down* aside, and all switches
// for each hop up. cite: Sivaram, Panda, Stunkel 1997, section 5; the disjoint strings: this project.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "routing/up_down.hpp"
#include "topology/connectivity.hpp"

namespace wormcast {
namespace {

constexpr std::array<PlannerParameter, 2> opm_parameters = {{
    {"drop-on-the-way", {"no", "yes"}, "switches on the way up deliver, too"},
    {"replication", {"asynchronous", "lock-step"}, "how a switch copies the worm to its outputs"},
}};

/// What every switch can look up after the set-up of up*/down*.
struct Switches final : PlannerData {
  explicit Switches(const UpDownSetup& the_setup) : setup(the_setup), hosts(the_setup.topology()) {}

  /// The links downwards that are used, in the order of (far end, port): to each switch the lowest.
  std::vector<const Arc*> links(NodeId node) const {
    std::vector<const Arc*> links;
    for (const Arc& arc : setup.arcs(node))
      if (!arc.up && (links.empty() || links.back()->to != arc.to)) links.push_back(&arc);
    return links;
  }

  bool below(NodeId node, NodeId ancestor) const {
    return setup.down_distance(ancestor, node) != unreachable;
  }

  /// In hardware: a string of a bit for each host for every used link downwards, and one for the reach.
  std::string summary() const override {
    std::uint64_t most = 0, strings = 0;
    for (const NodeId node : setup.by_level()) {
      const std::uint64_t own = 1 + links(node).size();
      most = std::max(most, own);
      strings += own;
    }
    const std::uint64_t bits = setup.topology().hosts();
    return "reachability strings of " + std::to_string(bits) + " bits: " + std::to_string(strings) +
           " strings on " + std::to_string(setup.by_level().size()) + " switches, " +
           std::to_string(most * bits) + " bits on the fullest switch, " + std::to_string(strings * bits) +
           " bits in all";
  }

  const UpDownSetup& setup;
  HostsByRouter hosts;
};

/// The destinations of a header, switch by switch.
using Header = std::vector<const SwitchGroup*>;

/// The link up from `from` with the fewest hops to a switch that has all of `header` at or below it.
/// Those above a switch come before it in by_level(), so one pass finds the hops of all of them.
const Arc* way_up(const Switches& switches, NodeId from, const Header& header) {
  const UpDownSetup& setup = switches.setup;
  // The switches above `from`.
  std::vector<bool> above(setup.topology().routers(), false);
  std::vector<NodeId> queue{from};
  queue.reserve(setup.topology().routers());
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Arc& arc : setup.arcs(queue[head]))
      if (arc.up && !above[arc.to.value]) {
        above[arc.to.value] = true;
        queue.push_back(arc.to);
      }
  std::size_t missed = 0;  // a target that one switch does not have below it is mostly not below the next
  const auto covers = [&](NodeId node) {
    for (std::size_t i = 0; i < header.size(); ++i) {
      const std::size_t target = (missed + i) % header.size();
      if (switches.below(header[target]->node, node)) continue;
      missed = target;
      return false;
    }
    return true;
  };
  std::vector<std::uint32_t> hops(setup.topology().routers(), unreachable);
  const Arc* best = nullptr;
  const auto nearest = [&](NodeId node) {
    std::uint32_t least = unreachable;
    for (const Arc& arc : setup.arcs(node))
      if (arc.up && hops[arc.to.value] < least) {
        least = hops[arc.to.value];
        best = &arc;
      }
    return least;
  };
  for (const NodeId node : setup.by_level()) {
    if (node == from) break;
    if (!above[node.value]) continue;
    hops[node.value] = covers(node) ? 0 : nearest(node) + 1;
  }
  best = nullptr;
  nearest(from);
  return best;
}

/// A copy of the worm on its way to a switch.
struct Copy {
  NodeId to;
  std::size_t first;    ///< of its header, which ends those of the copies that are still on their way
  std::int32_t parent;  ///< last stop before it
};

/// Serves `targets` from `at`, where the worm is (after `parent`), and from there only downwards.
void serve_down(const UpDownSetup& setup, NodeId at, Header targets, std::int32_t parent,
                std::vector<Stop>& stops) {
  std::vector<Copy> open;
  open.reserve(targets.size());
  stops.reserve(stops.size() + 2 * targets.size());  // each target has a host, most a branch before it
  // Of the switches that the one at hand has below it.
  std::vector<std::pair<const Arc*, const SwitchGroup*>> ways;
  ways.reserve(targets.size());
  const auto decode = [&](NodeId node, std::size_t first, std::int32_t stop) {
    ways.clear();
    for (std::size_t i = first; i < targets.size(); ++i) {
      const SwitchGroup* target = targets[i];
      if (target->node != node) {
        ways.emplace_back(setup.next(node, true, target->node), target);
        continue;
      }
      for (const HostId host : target->hosts) stops.push_back({host.value, stop, StopAction::deliver});
    }
    targets.resize(first);
    std::sort(ways.begin(), ways.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second->node < b.second->node;
    });
    for (std::size_t i = 0; i < ways.size(); ++i) {  // the lowest link last: it is served first
      if (i == 0 || ways[i].first != ways[i - 1].first)
        open.push_back({ways[i].first->to, targets.size(), stop});
      targets.push_back(ways[i].second);
    }
  };
  decode(at, 0, parent);
  while (!open.empty()) {
    const Copy copy = open.back();
    open.pop_back();
    const auto stop = static_cast<std::int32_t>(stops.size());
    stops.push_back({copy.to.value, copy.parent, StopAction::branch});
    decode(copy.to, copy.first, stop);
  }
}

std::vector<Worm> plan_opm(const PlanningContext& context, const Request& request) {
  const auto& switches = static_cast<const Switches&>(*context.prepared);
  const bool drop = context.option("drop-on-the-way") == "yes";
  Worm worm{.source = request.source, .replication = replication_of(context)};
  const std::vector<SwitchGroup> groups = group_by_switch(context.topology, request);
  Header header;
  header.reserve(groups.size());
  for (const SwitchGroup& group : groups) header.push_back(&group);
  NodeId at = context.topology.router_of(request.source);
  std::int32_t stop = -1;
  for (;;) {
    const auto rest = std::partition(header.begin(), header.end(), [&](const SwitchGroup* target) {
      return switches.below(target->node, at);
    });
    const bool covered = rest == header.end();
    if (covered || drop) {
      serve_down(switches.setup, at, Header(header.begin(), rest), stop, worm.stops);
      header.erase(header.begin(), rest);
    }
    if (covered) break;
    const Arc* arc = way_up(switches, at, header);
    at = arc->to;
    worm.stops.push_back({at.value, stop, StopAction::branch});
    stop = static_cast<std::int32_t>(worm.stops.size()) - 1;
  }
  return {std::move(worm)};
}

/// The turns of all trees, router by router: up by any link up, then down by the links that have a
/// string. A copy that came down holds a part of its link's string, so it goes on only where the next
/// string meets it. Which link up a header takes depends on all of it; any is assumed.
class TreeTurns {
 public:
  TreeTurns(const PlanningContext& context, LegSink& sink)
      : network_(context.topology),
        switches_(static_cast<const Switches&>(*context.prepared)),
        drop_(context.option("drop-on-the-way") == "yes"),
        replication_(replication_of(context)),
        sink_(sink) {}

  void all() {
    for (std::uint32_t r = 0; r < network_.routers(); ++r) {
      const NodeId node{r};
      for (const HostId source : switches_.hosts.at(node)) {
        for (const Output& first : outputs(node, std::nullopt, true)) {
          if (first.host != source) sink_.start(source, first);
        }
      }
      split(outputs(node, std::nullopt, drop_));  // of a worm that starts here
    }
    for (std::uint32_t r = 0; r < network_.routers(); ++r) {
      for (const Arc& arc : switches_.setup.arcs(NodeId{r}))
        if (arc.up) arrive(arc, outputs(arc.to, arc.channel, true));
      go_down(NodeId{r});
    }
  }

 private:
  /// What a header can ask `node` for: its hosts, its links down, and its links up where it may.
  std::vector<Output> outputs(NodeId node, std::optional<ChannelId> input, bool up) const {
    std::vector<Output> all;
    if (input || network_.hosts_have_links())  // else the source has its router to itself
      for (const HostId host : switches_.hosts.at(node)) all.push_back(consumption(host, input));
    for (const Arc* link : switches_.links(node)) all.push_back(Output::through(link->channel, 0));
    for (const Arc& arc : switches_.setup.arcs(node))
      if (up && arc.up) all.push_back(Output::through(arc.channel, 0));
    return all;
  }

  /// By each link down, and on to what is given to that. A switch two links below is given to the lowest link
  /// that leads to it; if it has no hosts, its string says whether hosts below it are.
  void go_down(NodeId node) {
    const std::vector<const Arc*> links = switches_.links(node);
    std::set<NodeId> given;
    for (const Arc* link : links) given.insert(link->to);
    std::optional<std::set<NodeId>> leading;
    const auto leads_to_hosts = [&](NodeId below) {
      if (!switches_.hosts.at(below).empty()) return true;
      if (!leading) leading = leading_to_hosts(node);
      return leading->count(below) != 0;
    };
    for (const Arc* link : links) {
      std::vector<Output> all;
      for (const HostId host : switches_.hosts.at(link->to)) all.push_back(consumption(host, link->channel));
      for (const Arc* next : switches_.links(link->to))
        if (given.insert(next->to).second && leads_to_hosts(next->to))
          all.push_back(Output::through(next->channel, 0));
      arrive(*link, all);
    }
  }

  /// The switches that have hosts, or lead to one that has, in the breadth-first tree downwards from `node`,
  /// which finds each switch by the link that it is given to.
  std::set<NodeId> leading_to_hosts(NodeId node) const {
    std::set<NodeId> leading;
    std::vector<std::pair<NodeId, std::size_t>> found{{node, 0}};  // with the place of the one before
    std::set<NodeId> seen{node};
    for (std::size_t head = 0; head < found.size(); ++head)
      for (const Arc* link : switches_.links(found[head].first))
        if (seen.insert(link->to).second) found.emplace_back(link->to, head);
    for (auto at = found.rbegin(); at != found.rend(); ++at)
      if (!switches_.hosts.at(at->first).empty() || leading.count(at->first) != 0) {
        leading.insert(at->first);
        leading.insert(found[at->second].first);
      }
    return leading;
  }

  static Output consumption(HostId host, std::optional<ChannelId> input) {
    return input ? Output::into(host, *input, 0) : Output::beside_source(host);
  }

  void arrive(const Arc& arc, const std::vector<Output>& next) {
    for (const Output& output : next) sink_.turn(Output::through(arc.channel, 0), output);
    if (network_.hosts_have_links()) return;  // consumption channels do not depend on the input there
    std::vector<Output> asked_together;
    for (const Output& output : next)
      if (drop_ || output.host || !is_up(arc.to, output.channel)) asked_together.push_back(output);
    split(asked_together);
  }

  bool is_up(NodeId node, ChannelId channel) const {
    for (const Arc& arc : switches_.setup.arcs(node))
      if (arc.channel == channel) return arc.up;
    return false;
  }

  void split(const std::vector<Output>& together) {
    for (std::size_t a = 0; a < together.size(); ++a)
      for (std::size_t b = a + 1; b < together.size(); ++b)
        if (!is_two_ways_up(together[a], together[b])) sink_.split(together[a], together[b], replication_);
  }

  /// A header goes up by one link only.
  bool is_two_ways_up(const Output& a, const Output& b) const {
    if (a.host || b.host) return false;
    const NodeId node = network_.ends(a.channel)->from;
    return is_up(node, a.channel) && is_up(node, b.channel);
  }

  const Topology& network_;
  const Switches& switches_;
  bool drop_;
  Copies replication_;
  LegSink& sink_;
};

void legs_of_opm(const PlanningContext& context, LegSink& sink) { TreeTurns(context, sink).all(); }

std::shared_ptr<const PlannerData> prepare_switches(const PlanningContext& context) {
  return std::make_shared<Switches>(*context.routing.up_down());
}

}  // namespace

extern const Planner planner_opm = {
    .name = "opm",
    .summary = "one tree worm with a bit-string header that every switch decodes and cuts",
    .topologies = "any connected",
    .cost = "O(switches * hosts)",
    .cite = "Sivaram, Panda, Stunkel 1997",
    .needs =
        "copy to several ports; a bit for each host, decoded and cut at every switch; buffers for the whole "
        "worm",
    .parameters = opm_parameters,
    .routings = {"up-down"},
    .worms = {.from_source = true, .different_ports = true},
    .unsupported = no_paths_both_ways,
    .plan = plan_opm,
    .legs = legs_of_opm,
    .prepare = prepare_switches,
    .header = HeaderEncoding::bit_string,
};

}  // namespace wormcast

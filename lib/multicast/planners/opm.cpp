// OPM: one worm to all destinations, a header of one bit for each host, decoded at every switch.
//
// At a switch that does not have all destinations of the header at or below it the worm goes up, by
// the link with the fewest hops up to a switch that has (ties to the lowest neighbour; the root has
// everything). There it turns: the switch delivers to its own hosts and sends a copy down every link
// whose string meets the header, with the header cut to that string. The strings of a switch are
// disjoint (multicast/building_blocks/reachability.hpp), so the headers of the copies are disjoint and every
// destination gets exactly one copy; without the cut headers most sets would be delivered twice.
// --drop-on-the-way: switches on the way up already serve what is at or below them, which
// shortens the tree. All paths of the tree are legal up*/down* routes, so no dependency between
// channels is new (base routing conformed path). Copies are asynchronous with buffers for the whole
// worm in the paper. A worm says so also where it does not branch: as a path worm, one that drops a copy
// on the way up would take that host's consumption channel first and keep it while it waits to go on,
// which deadlocks whatever the buffers.
// Cost: O(switches on the tree · ports · N / 64). cite: Sivaram, Panda, Stunkel 1997, section 5.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "multicast/building_blocks/reachability.hpp"
#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"

namespace wormcast::planner_opm {
namespace {

constexpr std::array<PlannerParameter, 2> parameters = {{
    {"drop-on-the-way", {"no", "yes"}, "switches on the way up deliver, too"},
    {"replication", {"asynchronous", "lock-step"}, "how a switch copies the worm to its outputs"},
}};

/// The link up from `from` with the fewest hops to a switch that has all of `header` at or below it.
/// Those above a switch come before it in by_level(), so one pass finds the hops of all of them.
const Arc* way_up(const ReachabilityStrings& strings, NodeId from, const HostString& header) {
  constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();
  const UpDownSetup& setup = strings.setup();
  // The switches above `from`.
  std::vector<bool> above(setup.topology().routers(), false);
  std::vector<NodeId> queue{from};
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Arc& arc : setup.arcs(queue[head]))
      if (arc.up && !above[arc.to.value]) {
        above[arc.to.value] = true;
        queue.push_back(arc.to);
      }
  std::vector<std::uint32_t> hops(setup.topology().routers(), unknown);
  const Arc* best = nullptr;
  const auto nearest = [&](NodeId node) {
    std::uint32_t least = unknown;
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
    hops[node.value] = header.within(strings.reach(node)) ? 0 : nearest(node) + 1;
  }
  best = nullptr;
  nearest(from);
  return best;
}

/// A copy of the worm on its way to a switch.
struct Copy {
  NodeId to;
  HostString header;
  std::int32_t parent;  ///< last stop before it
};

/// Serves `header` from `at`, where the worm is (after `parent`), and from there only downwards.
void serve_down(const ReachabilityStrings& strings, NodeId at, const HostString& header, std::int32_t parent,
                std::vector<Stop>& stops) {
  std::vector<Copy> open;
  const auto decode = [&](NodeId node, const HostString& own, std::int32_t stop) {
    for (const HostId host : strings.hosts(node))
      if (own.test(host)) stops.push_back({host.value, stop, StopAction::deliver});
    const auto links = strings.down(node);
    for (auto link = links.rbegin(); link != links.rend(); ++link) {
      HostString part = own & link->hosts;
      if (!part.empty()) open.push_back({link->arc->to, std::move(part), stop});
    }
  };
  decode(at, header, parent);
  while (!open.empty()) {
    const Copy copy = std::move(open.back());
    open.pop_back();
    const auto stop = static_cast<std::int32_t>(stops.size());
    stops.push_back({copy.to.value, copy.parent, StopAction::branch});
    decode(copy.to, copy.header, stop);
  }
}

std::vector<Worm> plan(const PlanningContext& context, const Request& request) {
  const auto& strings = static_cast<const ReachabilityStrings&>(*context.prepared);
  const bool drop = context.option("drop-on-the-way") == "yes";
  Worm worm;
  worm.source = request.source;
  worm.replication = replication_of(context);
  HostString header(context.topology.hosts());
  for (const HostId host : request.destinations) header.set(host);
  NodeId at = context.topology.router_of(request.source);
  std::int32_t stop = -1;
  for (;;) {
    const bool covered = header.within(strings.reach(at));
    if (covered || drop) serve_down(strings, at, header & strings.reach(at), stop, worm.stops);
    if (covered) break;
    if (drop) header.remove(strings.reach(at));
    const Arc* arc = way_up(strings, at, header);
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
        strings_(static_cast<const ReachabilityStrings&>(*context.prepared)),
        drop_(context.option("drop-on-the-way") == "yes"),
        replication_(replication_of(context)),
        sink_(sink) {}

  void all() {
    for (std::uint32_t r = 0; r < network_.routers(); ++r) {
      const NodeId node{r};
      for (const HostId source : strings_.hosts(node)) {
        for (const Output& first : outputs(node, std::nullopt, true)) {
          if (first.host != source) sink_.start(source, first);
        }
      }
      split(outputs(node, std::nullopt, drop_));  // of a worm that starts here
    }
    for (std::uint32_t r = 0; r < network_.routers(); ++r) {
      for (const Arc& arc : strings_.setup().arcs(NodeId{r}))
        if (arc.up) arrive(arc, outputs(arc.to, arc.channel, true));
      go_down(NodeId{r});
    }
  }

 private:
  /// What a header can ask `node` for: its hosts, its links down, and its links up where it may.
  std::vector<Output> outputs(NodeId node, std::optional<ChannelId> input, bool up) const {
    std::vector<Output> all;
    if (input || network_.hosts_have_links())  // else the source has its router to itself
      for (const HostId host : strings_.hosts(node)) all.push_back(consumption(host, input));
    for (const Arc* link : strings_.links(node)) all.push_back(Output::through(link->channel, 0));
    for (const Arc& arc : strings_.setup().arcs(node))
      if (up && arc.up) all.push_back(Output::through(arc.channel, 0));
    return all;
  }

  /// By each link down, and on to what is given to that. A switch two links below is given to the lowest link
  /// that leads to it; if it has no hosts, its string says whether hosts below it are.
  void go_down(NodeId node) {
    const std::vector<const Arc*> links = strings_.links(node);
    std::set<NodeId> given;
    for (const Arc* link : links) given.insert(link->to);
    for (const Arc* link : links) {
      std::vector<Output> all;
      for (const HostId host : strings_.hosts(link->to)) all.push_back(consumption(host, link->channel));
      for (const Arc* next : strings_.links(link->to))
        if (given.insert(next->to).second && (!strings_.hosts(next->to).empty() || meet(*link, *next)))
          all.push_back(Output::through(next->channel, 0));
      arrive(*link, all);
    }
  }

  bool meet(const Arc& link, const Arc& next) const {
    const auto string = [&](const Arc& arc) {
      const auto strings = strings_.down(network_.ends(arc.channel)->from);
      return std::find_if(strings.begin(), strings.end(),
                          [&](const DownString& one) { return one.arc == &arc; })
          ->hosts;
    };
    return !(HostString(string(link)) & string(next)).empty();
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
    for (const Arc& arc : strings_.setup().arcs(node))
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
  const ReachabilityStrings& strings_;
  bool drop_;
  Replication replication_;
  LegSink& sink_;
};

void legs(const PlanningContext& context, LegSink& sink) { TreeTurns(context, sink).all(); }

std::shared_ptr<const PlannerData> prepare(const PlanningContext& context) {
  return std::make_shared<ReachabilityStrings>(*context.routing.up_down());
}

}  // namespace

extern const Planner entry;
const Planner entry = {
    .name = "opm",
    .summary = "one tree worm with a bit-string header that every switch decodes and cuts",
    .topologies = "any connected",
    .cost = "O(switches * hosts)",
    .cite = "Sivaram, Panda, Stunkel 1997",
    .needs =
        "copy to several ports; a bit for each host, decoded and cut at every switch; buffers for the whole "
        "worm",
    .parameters = parameters,
    .routings = {"up-down"},
    .worms = {.from_source = true, .different_ports = true},
    .unsupported = no_paths_both_ways,
    .plan = plan,
    .legs = legs,
    .prepare = prepare,
    .header = HeaderEncoding::bit_string,
};

}  // namespace wormcast::planner_opm

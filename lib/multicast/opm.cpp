// OPM: one worm to all destinations, a header of one bit for each host, decoded at every switch.
//
// At a switch that does not have all destinations of the header at or below it the worm goes up, by
// the link with the fewest hops up to a switch that has (ties to the lowest neighbour; the root has
// everything). There it turns: the switch delivers to its own hosts and sends a copy down every link
// whose string meets the header, with the header cut to that string. The strings of a switch are
// disjoint (multicast/reachability.hpp), so the headers of the copies are disjoint and every
// destination gets exactly one copy; without the cut headers most sets would be delivered twice.
// --drop-on-the-way: switches on the way up already serve what is at or below them, which
// shortens the tree. All paths of the tree are legal up*/down* routes, so no dependency between
// channels is new (base routing conformed path). Copies are asynchronous with buffers for the whole
// worm in the paper.
// Cost: O(switches on the tree · ports · N / 64). cite: Sivaram, Panda, Stunkel 1997, section 5.
// SPDX-License-Identifier: MIT
#include <array>
#include <limits>
#include <utility>

#include "multicast/planner.hpp"
#include "multicast/reachability.hpp"

namespace wormcast {
namespace {

constexpr std::array<std::string_view, 1> routings = {"up-down"};
constexpr std::array<std::string_view, 2> no_yes = {"no", "yes"};
constexpr std::array<std::string_view, 2> replications = {"asynchronous", "lock-step"};
constexpr std::array<PlannerParameter, 2> parameters = {{
    {"drop-on-the-way", no_yes, "whether switches on the way up deliver already"},
    {"replication", replications, "how a switch copies the worm to its outputs"},
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
  if (context.option("replication") == "lock-step") worm.replication = Replication::lock_step;
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

std::shared_ptr<const PlannerData> prepare(const PlanningContext& context) {
  return std::make_shared<ReachabilityStrings>(*context.routing.up_down());
}

}  // namespace

extern const Planner planner_opm;
const Planner planner_opm = {
    .name = "opm",
    .summary = "one tree worm with a bit-string header that every switch decodes and cuts",
    .topologies = "any connected",
    .cost = "O(switches * hosts)",
    .cite = "Sivaram, Panda, Stunkel 1997",
    .parameters = parameters,
    .routings = routings,
    .unsupported = disconnected,
    .plan = plan,
    .prepare = prepare,
    .header = HeaderEncoding::bit_string,
};

}  // namespace wormcast

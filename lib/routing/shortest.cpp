// Shortest routes, the lowest (neighbour, port) of all that are one hop closer.
//
// Nothing keeps the dependencies of channels acyclic: on most networks with rings this
// function can deadlock, which check-deadlock shows. It is the bound on route lengths beside up-down.
// `negative-hop` takes the same routes on as many virtual channels as they need to be free of deadlock: one
// more after each hop to a router of a lower number. On one virtual channel numbers grow along a worm, up to
// the hop to a lower one, after which it is on the next; so dependencies are acyclic, on whatever graph,
// with faults or links that run one way. `negative-hop-path`, for path worms, is that to the first stop; from
// there on they go only to higher routers, on a last virtual channel (planners/route_tree.cpp). Cost: on
// graphs of up to table_routers a table of routers² entries, filled in O(routers · links), and O(links of the
// router) a hop; else one distance a neighbour. Memory: 12 bytes a channel beside the
// table. cite: this project (minimal routing with a fixed choice);
// Gopal 1985, Boppana, Chalasani 1993 (negative hops).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <limits>
#include <string>
#include <vector>

#include "routing/routing_function.hpp"
#include "topology/connectivity.hpp"
#include "topology/faults.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

/// Most routers of a graph for which the hops of all pairs are kept (32 MiB).
constexpr std::uint32_t table_routers = 4096;

class Shortest : public RoutingFunction {
 public:
  explicit Shortest(const Topology& network) : RoutingFunction(network), adjacency_(network) {
    if ((network.given_by_links() || !network.intact()) && network.routers() <= table_routers) fill_table();
  }

  /// Throws InputError where no path leads there: a network need not join the pairs that nobody asks for.
  std::uint32_t distance(NodeId from, NodeId to) const override {
    const std::uint32_t hops = hops_of(from, to);
    if (hops == unreachable)
      refuse("destinations", "no path leads from router {} to router {}", router_name(topology(), from),
             router_name(topology(), to));
    return hops;
  }

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const std::uint32_t hops = distance(at, destination);
    const OutChannel* best = nullptr;
    for (const OutChannel& out : adjacency_.out(at))
      if ((best == nullptr || out.to < best->to) && hops_of(out.to, destination) == hops - 1) best = &out;
    assert(best != nullptr);
    return {best->channel, 0, best->to, state};
  }

 private:
  std::uint32_t hops_of(NodeId from, NodeId to) const {
    if (table_.empty()) return topology().distance(from, to);
    const std::uint16_t hops = table_[entry(from, to)];
    return hops == none ? unreachable : hops;
  }

  std::size_t entry(NodeId from, NodeId to) const {
    return std::size_t{to.value} * topology().routers() + from.value;
  }

  /// A breadth-first search against the channels from each router gives its column.
  void fill_table() {
    const std::uint32_t routers = topology().routers();
    table_.reserve(std::size_t{routers} * routers);
    std::vector<std::uint32_t> hops;
    std::vector<NodeId> reached;
    const Adjacency against(topology(), true);
    for (std::uint32_t to = 0; to < routers; ++to) {
      against.search(NodeId{to}, hops, reached);
      for (const std::uint32_t one : hops)
        table_.push_back(one == unreachable ? none : static_cast<std::uint16_t>(one));  // < table_routers
    }
  }

  static constexpr std::uint16_t none = std::numeric_limits<std::uint16_t>::max();
  Adjacency adjacency_;
  std::vector<std::uint16_t> table_;  // none: no path
};

/// The state counts the hops to lower routers.
class NegativeHop : public Shortest {
 public:
  explicit NegativeHop(const Topology& network) : Shortest(network) {
    std::vector<std::uint32_t> hops;
    std::vector<NodeId> reached;
    const Adjacency against(network, true);
    std::vector<std::uint32_t> most(network.routers());  // by router: negative hops before the last
    for (std::uint32_t to = 0; to < network.routers(); ++to) {
      against.search(NodeId{to}, hops, reached);
      for (const NodeId from : reached) {
        if (from.value == to) continue;
        const NodeId next = Shortest::next(from, {}, NodeId{to}).to;
        most[from.value] = next.value == to ? 0 : most[next.value] + (next < from ? 1 : 0);
        channels_ = std::max(channels_, most[from.value] + 1);
      }
    }
  }

  std::uint32_t virtual_channels() const override { return channels_; }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    RoutingStep step = Shortest::next(at, state, destination);
    step.vc = state.bits;
    step.state.bits += step.to < at ? 1 : 0;
    return step;
  }
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override {
    return own_port_only(source, port, state, destination);
  }

 private:
  std::uint32_t channels_ = 1;
};

/// The same to the first stop, and on only upwards, on a last virtual channel.
class NegativeHopPath final : public NegativeHop {
 public:
  using NegativeHop::NegativeHop;

  std::uint32_t virtual_channels() const override { return NegativeHop::virtual_channels() + 1; }
  bool history_free() const override { return false; }
  bool rises_after_stops() const override { return true; }
  RoutingState first(NodeId source, NodeId destination, std::uint32_t vc_class) const override {
    const RoutingState state = NegativeHop::first(source, destination, vc_class);
    return source == destination ? stopped() : state;
  }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    RoutingStep step = NegativeHop::next(at, state, destination);
    if (state.bits == stopped().bits && step.to < at)
      refuse("worms",
             "from router {} on the worm may only go to higher ones, and the way to router {} leads to a "
             "lower one",
             at.value, destination.value);
    if (step.to == destination) step.state = stopped();
    return step;
  }

 private:
  RoutingState stopped() const { return {NegativeHop::virtual_channels()}; }
};

std::optional<std::string> no_search(const Topology& topology) {
  return topology.one_way_grid() ? no_paths(topology) : std::nullopt;
}

std::optional<std::string> no_table(const Topology& topology) {
  if (topology.routers() > table_routers)
    return "it needs at most " + std::to_string(table_routers) + " routers";
  return no_search(topology);
}

}  // namespace

extern const RoutingEntry routing_negative_hop = {
    .name = "negative-hop",
    .summary =
        "shortest route, ties to the lowest neighbour, on a virtual channel more after each hop to a lower "
        "router",
    .topologies = "any connected of at most 4096 routers; elsewhere pairs that a path joins",
    .cite = "Boppana, Chalasani 1993 (negative hops)",
    .unsupported = no_table,
    .bind = bound<NegativeHop>,
};

extern const RoutingEntry routing_negative_hop_path = {
    .name = "negative-hop-path",
    .summary =
        "negative-hop for path worms: from the first stop on only to higher routers, on the last virtual "
        "channel",
    .topologies = "any connected of at most 4096 routers",
    .cite = "Boppana, Chalasani 1993; this project",
    .unsupported = no_table,
    .bind = bound<NegativeHopPath>,
    .unicasts = false,
};

extern const RoutingEntry routing_shortest = {
    .name = "shortest",
    .summary = "the same on one virtual channel; not free of deadlock",
    .topologies = "any connected; elsewhere pairs that a path joins",
    .cite = "this project",
    .unsupported = no_search,
    .bind = bound<Shortest>,
};

}  // namespace wormcast

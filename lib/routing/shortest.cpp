// Shortest routes, the lowest (neighbour, port) of all that are one hop closer.
//
// Nothing keeps channels from waiting for one another in a circle: on most networks with rings this
// function can deadlock, which check-deadlock shows. It is the bound on route lengths beside up-down.
// Cost: a table of routers² entries on graphs of up to table_routers, else one distance a neighbour.
// cite: this project (minimal routing with a fixed choice).
// SPDX-License-Identifier: MIT
#include <cassert>
#include <limits>
#include <vector>

#include "routing/routing_function.hpp"
#include "routing/up_down.hpp"

namespace wormcast {
namespace {

/// Most routers of a graph for which the hops of all pairs are kept (32 MiB).
constexpr std::uint32_t table_routers = 4096;

class Shortest final : public RoutingFunction {
 public:
  explicit Shortest(const Topology& network) : RoutingFunction(network) {
    if (network.spec().family == "graph" && network.routers() <= table_routers) fill_table();
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    return table_.empty() ? topology().distance(from, to) : table_[entry(from, to)];
  }

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const Topology& network = topology();
    const std::uint32_t hops = distance(at, destination);
    std::optional<RoutingStep> best;
    for (std::uint32_t p = 0; p < network.ports(); ++p) {
      const auto to = network.neighbour(at, PortId{p});
      if (!to || (best && !(*to < best->to)) || distance(*to, destination) + 1 != hops) continue;
      best = RoutingStep{network.channel(at, PortId{p}), 0, *to, state};
    }
    assert(best);
    return *best;
  }

 private:
  std::size_t entry(NodeId from, NodeId to) const {
    return std::size_t{to.value} * topology().routers() + from.value;
  }

  /// Links go both ways, so one breadth-first search from each router gives its column.
  void fill_table() {
    const Topology& network = topology();
    constexpr std::uint16_t none = std::numeric_limits<std::uint16_t>::max();
    table_.assign(std::size_t{network.routers()} * network.routers(), none);
    std::vector<NodeId> queue;
    for (std::uint32_t to = 0; to < network.routers(); ++to) {
      queue.assign(1, NodeId{to});
      table_[entry(NodeId{to}, NodeId{to})] = 0;
      for (std::size_t head = 0; head < queue.size(); ++head)
        for (std::uint32_t p = 0; p < network.ports(); ++p) {
          const auto from = network.neighbour(queue[head], PortId{p});
          if (!from || table_[entry(*from, NodeId{to})] != none) continue;
          table_[entry(*from, NodeId{to})] =
              static_cast<std::uint16_t>(table_[entry(queue[head], NodeId{to})] + 1);
          queue.push_back(*from);
        }
    }
  }

  std::vector<std::uint16_t> table_;
};

std::unique_ptr<const RoutingFunction> bind(const Topology& topology) {
  return std::make_unique<Shortest>(topology);
}

}  // namespace

extern const RoutingEntry routing_shortest;
const RoutingEntry routing_shortest = {
    .name = "shortest",
    .summary = "shortest route, ties to the lowest neighbour; not free of deadlock",
    .topologies = "any connected",
    .cite = "this project",
    .unsupported = disconnected,
    .bind = bind,
};

}  // namespace wormcast

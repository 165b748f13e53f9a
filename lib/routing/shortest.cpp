// Shortest routes, the lowest (neighbour, port) of all that are one hop closer.
//
// Nothing keeps channels from waiting for one another in a circle: on most networks with rings this
// function can deadlock, which check-deadlock shows. It is the bound on route lengths beside up-down.
// Cost: on graphs of up to table_routers a table of routers² entries, filled in O(routers · links), and
// O(links of the router) a hop; else one distance a neighbour.
// cite: this project (minimal routing with a fixed choice).
// SPDX-License-Identifier: MIT
#include <cassert>
#include <limits>
#include <optional>
#include <vector>

#include "routing/routing_function.hpp"
#include "topology/adjacency.hpp"
#include "topology/connectivity.hpp"

namespace wormcast::routing_shortest {
namespace {

/// Most routers of a graph for which the hops of all pairs are kept (32 MiB).
constexpr std::uint32_t table_routers = 4096;

class Shortest final : public RoutingFunction {
 public:
  explicit Shortest(const Topology& network) : RoutingFunction(network) {
    if (!network.given_by_links()) return;
    adjacency_.emplace(network);
    if (network.routers() <= table_routers) fill_table();
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    return table_.empty() ? topology().distance(from, to) : table_[entry(from, to)];
  }

  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    const std::uint32_t hops = distance(at, destination);
    std::optional<RoutingStep> best;
    const auto consider = [&](const OutChannel& out) {
      if ((best && !(out.to < best->to)) || distance(out.to, destination) + 1 != hops) return;
      best = RoutingStep{out.channel, 0, out.to, state};
    };
    if (adjacency_) {
      for (const OutChannel& out : adjacency_->out(at)) consider(out);
    } else {
      for (std::uint32_t p = 0; p < topology().ports(); ++p)
        if (const auto to = topology().neighbour(at, PortId{p}))
          consider({*to, PortId{p}, topology().channel(at, PortId{p})});
    }
    assert(best);
    return *best;
  }

 private:
  std::size_t entry(NodeId from, NodeId to) const {
    return std::size_t{to.value} * topology().routers() + from.value;
  }

  /// A breadth-first search against the channels from each router gives its column.
  void fill_table() {
    constexpr std::uint16_t none = std::numeric_limits<std::uint16_t>::max();
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

  std::optional<Adjacency> adjacency_;  ///< of graphs, whose ports can have gaps
  std::vector<std::uint16_t> table_;
};

}  // namespace

extern const RoutingEntry entry;
const RoutingEntry entry = {
    .name = "shortest",
    .summary = "shortest route, ties to the lowest neighbour; not free of deadlock",
    .topologies = "any connected",
    .cite = "this project",
    .unsupported = no_paths,
    .bind = bound<Shortest>,
};

}  // namespace wormcast::routing_shortest

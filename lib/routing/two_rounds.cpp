// Dimension order in two rounds, around links of a grid that have failed.
//
// Where the dimension-order route lives, a worm takes it. Else it goes by dimension order to another router
// first, and on from there: the one over which there are fewest hops, of several the lowest. Each round has
// virtual channels of its own, the last one those of dimension order on an intact grid. A worm goes from the
// first round to the last one and never back, and within a round channels are used in the order of the
// dimensions (rings with a dateline), so the dependencies of unicasts are acyclic; with fewer virtual
// channels both rounds share them and worms can deadlock. What remains of a route from where the last round
// begins is the dimension-order route, so planners by dimension order can serve all that its links reach
// (direct()), and serve the rest by worms of its own (multicast/around_faults.hpp).
// Cost: O(hops) a hop, O(nodes · hops) where a route begins that has to go around. cite: Ho, Stockmeyer 2004:
// A new approach to fault-tolerant wormhole routing for mesh-connected parallel computers (rounds of
// dimension order, each on its virtual channel).
// SPDX-License-Identifier: MIT
#include <memory>
#include <utility>

#include "routing/routing_function.hpp"
#include "topology/faults.hpp"
#include "topology/refuse.hpp"
#include "topology/topology.hpp"

namespace wormcast {
namespace {

/// Bits of a state that are of dimension order on the intact grid; above them the router that the first round
/// goes to, and one, or 0 in the last round.
constexpr std::uint32_t own_bits = 8;
constexpr std::uint32_t most_routers = (1U << (32 - own_bits)) - 1;

std::unique_ptr<const Topology> without_faults(const Topology& topology) {
  TopologySpec spec = topology.spec();
  spec.failed.clear();
  spec.relation.reset();
  return build_topology(std::move(spec));
}

class TwoRounds final : public RoutingFunction {
 public:
  TwoRounds(const Topology& topology, std::string_view order)
      : RoutingFunction(topology), intact_(without_faults(topology)), order_(bind_routing(order, *intact_)) {}

  std::uint32_t virtual_channels() const override {
    const std::uint32_t limit = topology().spec().virtual_channels, round = order_->virtual_channels();
    return limit == 0 || limit >= 2 * round ? 2 * round : round;
  }
  RoutingStep next(NodeId at, RoutingState state, NodeId destination) const override {
    std::uint32_t by = state.bits >> own_bits;
    RoutingState own{state.bits & ((1U << own_bits) - 1)};
    if (by == at.value + 1) {
      by = 0;
      own = {};
    } else if (by == 0 && !direct(at, destination)) {
      by = way_round(at, destination).value + 1;
      own = {};
    }
    RoutingStep step = order_->next(at, own, by == 0 ? destination : NodeId{by - 1});
    if (by != 0) step.vc += virtual_channels() - order_->virtual_channels();
    step.state.bits |= by << own_bits;
    return step;
  }
  RoutingStep forced(NodeId source, PortId port, RoutingState state, NodeId destination) const override {
    return own_port_only(source, port, state, destination);
  }
  bool goes_around() const override { return true; }
  bool direct(NodeId from, NodeId to) const override {
    RoutingState state;
    while (from != to) {
      const RoutingStep step = order_->next(from, state, to);
      if (!topology().ends(step.channel)) return false;
      from = step.to;
      state = step.state;
    }
    return true;
  }
  bool last_dimension_first() const override { return order_->last_dimension_first(); }

 private:
  NodeId way_round(NodeId from, NodeId to) const {
    NodeId best;
    std::uint32_t fewest = unreachable;
    for (std::uint32_t r = 0; r < topology().routers(); ++r) {
      const NodeId by{r};
      if (by == from || by == to) continue;
      const std::uint32_t hops = order_->distance(from, by) + order_->distance(by, to);
      if (hops >= fewest || !direct(from, by) || !direct(by, to)) continue;
      fewest = hops;
      best = by;
    }
    if (fewest == unreachable)
      refuse("routing", "no two dimension-order routes over links that live lead from router {} to router {}",
             router_name(topology(), from), router_name(topology(), to));
    return best;
  }

  std::unique_ptr<const Topology> intact_;
  std::unique_ptr<const RoutingFunction> order_;
};

std::optional<std::string> no_faulty_grid(const Topology& topology) {
  if (topology.intact()) return "all of its links live: dimension order needs no second round";
  if (topology.routers() > most_routers) return "it has more than 2^24 routers";
  return needs(topology.any_line_grid() || topology.one_way_grid(),
               "a mesh, or a torus whose channels run one way");
}

std::unique_ptr<const RoutingFunction> bind_two_rounds(const Topology& topology) {
  return std::make_unique<TwoRounds>(topology, topology.one_way_grid() ? "one-way" : "dimension-order");
}

}  // namespace

extern const RoutingEntry routing_two_rounds = {
    .name = "two-rounds",
    .summary =
        "grids with failed links: dimension order, or around them in two rounds, each on its virtual "
        "channels",
    .topologies = "mesh, torus-forward, torus-backward with failed links",
    .cite = "Ho, Stockmeyer 2004",
    .unsupported = no_faulty_grid,
    .bind = bind_two_rounds,
};

}  // namespace wormcast

// One half of a multicast as the optimal planners see it: ordered destinations, ports, costs.
// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "multicast/building_blocks/worms.hpp"
#include "multicast/legs.hpp"
#include "multicast/plan.hpp"
#include "multicast/planner.hpp"

namespace wormcast {

// What the general star algorithms know of a multicast: which destination may follow which, at what cost.

/// Destinations in an order in which a path may visit them, ports it may leave by, and the hops of
/// legs. No destination follows a later one.
class StarLegs {
 public:
  static constexpr std::uint32_t no_leg = std::numeric_limits<std::uint32_t>::max();

  virtual ~StarLegs() = default;

  virtual std::size_t size() const = 0;
  /// Paths there can be; each starts at a port of its own number.
  virtual std::size_t port_count() const = 0;
  /// Ports of one kind can be exchanged, and have neighbouring numbers.
  virtual std::size_t kind(std::size_t port) const { return port; }
  /// Hops from the source by `port` to destination j as its first; no_leg if not allowed.
  virtual std::uint32_t first(std::size_t port, std::size_t j) const = 0;
  /// Hops from destination i to destination j > i; no_leg if j may not follow i.
  virtual std::uint32_t leg(std::size_t i, std::size_t j) const = 0;
};

/// Which first legs a path of a star may have.
enum class FirstHop : std::uint8_t {
  strict,  ///< the report's class: the path whose first destination is d leaves by the port R(source, d)
  free     ///< any port whose neighbour does not pass d
};

/// One path of a star: the port it leaves by and its destinations, as indices of the half in order.
struct StarPath {
  std::size_t port = 0;  ///< index into StarHalf::ports()
  std::vector<std::uint32_t> stops;
};
/// At most one path for each port; together they visit every destination once.
using Star = std::vector<StarPath>;

/// The destinations on one side of the source, outwards in label order, and what legs cost.
class StarHalf final : public StarLegs {
 public:
  StarHalf(const PlanningContext& context, HostId source, std::vector<HostId> destinations, bool up,
           FirstHop rule);

  std::size_t size() const override { return destinations_.size(); }
  std::size_t port_count() const override { return ports_.size(); }
  /// By the free rule ports to one neighbour are alike; by the strict rule there are no two such.
  std::size_t kind(std::size_t port) const override { return ports_[port].neighbour.value; }
  HostId source() const { return source_; }
  bool up() const { return up_; }
  /// Routers of the source and of destination i.
  NodeId source_node() const { return topology_->router_of(source_); }
  NodeId node(std::size_t i) const { return topology_->router_of(destinations_[i]); }
  const std::vector<HostId>& destinations() const { return destinations_; }
  /// The report's Ω: ports by which some destination can be the first, nearest label first.
  const std::vector<StarPort>& ports() const { return ports_; }
  FirstHop rule() const { return rule_; }
  /// The same destinations under the strict rule: its ports are some of those here.
  StarHalf strict() const;
  const RoutingFunction& routing() const { return *routing_; }

  std::uint32_t first(std::size_t port, std::size_t j) const override;
  /// Every later destination may follow.
  std::uint32_t leg(std::size_t i, std::size_t j) const override;

  /// Tabulates all legs, for algorithms that ask for each several times; does nothing when the half
  /// is so large that they would not fit in 16 MiB.
  void tabulate();

 private:
  std::uint32_t compute_first(const StarPort& port, NodeId to) const;

  const Topology* topology_;
  const RoutingFunction* routing_;
  HostId source_;
  std::vector<HostId> destinations_;
  bool up_;
  FirstHop rule_;
  std::vector<StarPort> ports_;
  std::vector<std::uint32_t> legs_;  ///< row i holds the legs to all j, or empty
};

/// The halves that have destinations, which move out of `split`; that upwards first. None for a worm to the
/// source itself.
std::vector<StarHalf> star_halves(const PlanningContext& context, const Request& request, LabelHalves& split);

/// The worms of a star, first ports forced where the routing function would take another.
void append_star(const StarHalf& half, const Star& star, std::vector<Worm>& worms);

/// The option that chooses the rule; strict is the default.
inline constexpr PlannerParameter first_hop_parameter = {
    "first-hop",
    {"strict", "free"},
    "strict: paths leave by the port the routing function picks; free: by any that fits"};
FirstHop first_hop_option(const PlanningContext& context);
/// Whether --edge-disjoint asks for paths without common channels. Throws InputError where routers choose
/// them.
bool edge_disjoint_option(const PlanningContext& context);

// What a star costs.

/// Hops; compared longest path first.
struct StarCost {
  std::int64_t longest = 0;
  std::int64_t traffic = 0;
  friend auto operator<=>(const StarCost&, const StarCost&) = default;
};

/// Which of the two is minimised first.
enum class Goal : std::uint8_t { longest_first, traffic_first };

constexpr bool better(const StarCost& a, const StarCost& b, Goal goal) {
  if (goal == Goal::longest_first) return a < b;
  return a.traffic != b.traffic ? a.traffic < b.traffic : a.longest < b.longest;
}

struct CostedStar {
  Star star;
  StarCost cost;
};

/// Adds up the legs of a star.
StarCost cost_of(const StarLegs& legs, const Star& star);
/// The star with what it costs.
CostedStar costed(const StarLegs& legs, Star star);

}  // namespace wormcast

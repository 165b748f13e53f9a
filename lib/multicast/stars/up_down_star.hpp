// A multicast as stars of up*/down* path worms see it: what may follow what, and what legs cost.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "multicast/building_blocks/star_half.hpp"
#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "routing/up_down.hpp"

namespace wormcast {

/// What a worm serves at one router.
struct UpDownTarget {
  NodeId node;
  std::vector<HostId> hosts;
};

class UpDownStar final : public StarLegs {
 public:
  /// `together`: a worm serves all destinations of a router at one stop; else it serves one.
  UpDownStar(const PlanningContext& context, const Request& request, FirstHop rule, bool together);

  std::size_t size() const override { return targets_.size(); }
  std::size_t port_count() const override { return ports_.size() * worms_a_port_; }
  std::size_t kind(std::size_t port) const override { return port / worms_a_port_; }
  std::uint32_t first(std::size_t port, std::size_t j) const override {
    return first_[kind(port) * size() + j];
  }
  std::uint32_t leg(std::size_t i, std::size_t j) const override { return legs_[i * size() + j]; }

  /// Ports by which some target can be first; path p leaves by port p / worms_a_port().
  const std::vector<PortId>& ports() const { return ports_; }
  std::size_t worms_a_port() const { return worms_a_port_; }
  void allow(std::size_t worms_a_port) { worms_a_port_ = worms_a_port; }
  /// Hops to the furthest target: no star has a shorter longest path.
  std::int64_t furthest() const;

  void append_worms(const Star& star, std::vector<Worm>& worms) const;
  /// Destinations on the source's own router, which take no channel.
  void append_local(std::vector<Worm>& worms) const;

 private:
  std::uint32_t compute_first(const Arc& arc, NodeId to, FirstHop rule) const;

  const RoutingFunction* routing_;
  HostId source_;
  bool together_;
  std::vector<UpDownTarget> targets_;
  std::vector<HostId> local_;
  std::vector<PortId> ports_;
  std::size_t worms_a_port_ = 1;
  std::vector<std::uint32_t> first_;  ///< [port][target]
  std::vector<std::uint32_t> legs_;   ///< [target][later target]
};

/// Lets each port send as many worms as there must be, and returns the star of least traffic.
Star fewest_worms_a_port(UpDownStar& legs);

/// Why there is no star, in ascending order: destinations that are more than all that may precede them
/// (Hall). Empty if there is a star.
std::vector<std::uint64_t> crowd_of(const StarLegs& legs);

}  // namespace wormcast

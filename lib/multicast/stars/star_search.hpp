// Stars of least traffic and of least longest path on any labelled graph, for any number of ports; stars of
// up*/down* path worms; edge-disjoint stars, for many ports on small instances.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "multicast/building_blocks/star_half.hpp"
#include "multicast/building_blocks/worms.hpp"
#include "multicast/plan.hpp"
#include "multicast/planner.hpp"
#include "multicast/stars/snake/snake_stars.hpp"
#include "routing/up_down.hpp"

namespace wormcast {

/// A multicast as stars of up*/down* path worms see it: what may follow what, and what legs cost.
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
  std::vector<SwitchGroup> targets_;  ///< what a worm serves at one router
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

/// Prices for visiting destinations and rents of predecessors (ports first, then destinations) such that
/// price[j] − rent[b] <= cost(b, j) and rent >= 0. Every star costs at least Σ price − Σ rent.
struct AssignmentDuals {
  std::vector<std::int64_t> price;
  std::vector<std::int64_t> rent;

  std::int64_t bound() const;
};

/// Duals whose bound equals the cost of `star`, which must be of least traffic.
AssignmentDuals duals_of(const StarLegs& legs, const Star& star);

/// The same for a half on the two-dimensional snake, from the distances in its run graph; O(k).
AssignmentDuals duals_of_plane(const StarHalf& half, const PlaneHalf& plane);

/// The best star found and what is proven about it.
struct SearchResult {
  CostedStar best;
  StarCost bound;     ///< no star has a shorter longest path or, where that is open, less traffic
  bool exact = true;  ///< false if the state limit was reached
};

/// The star whose longest path is least, of least traffic among those. `state_limit` bounds the states
/// generated, and a limit of their own the bytes that they take; beyond them the best star known is returned
/// with the bound proven so far. Where that is of the free rule, the strict rule's stars, searched in the
/// same way, are among those known.
SearchResult least_longest_search(StarHalf& half, std::uint64_t state_limit);

/// The same for any legs, given a star of least traffic, its duals and a lower bound on the longest path.
SearchResult least_longest_search(const StarLegs& legs, const AssignmentDuals& duals, const Star& cheapest,
                                  std::int64_t longest_bound, std::uint64_t state_limit);

/// The star of least traffic among those with longest path <= limit; `fallback` is one of them, and
/// is returned (not exact) if a limit is reached.
SearchResult least_traffic_search(StarHalf& half, std::int64_t limit, const CostedStar& fallback,
                                  std::uint64_t state_limit);

/// A star of the strict half as one of the free half of the same destinations, which has all of its ports.
Star freed(const StarHalf& free, const StarHalf& strict, Star star);

/// A star of the same destinations whose (longest path, traffic) is not above that of `star`: none of the
/// changes looked at makes it smaller, or their number reached a limit. The same for the same input.
CostedStar exchanged(const StarLegs& legs, const Star& star);
/// The same by changes that cost no traffic: neither criterion is above that of `star`.
CostedStar shortened(const StarLegs& legs, const Star& star);

/// Collects what the halves of a multicast have and what is proven, criterion by criterion, and states the
/// bounds that they are above: the criteria that stayed open.
class StarBounds {
 public:
  void longest(const SearchResult& half) {
    best_.longest = std::max(best_.longest, half.best.cost.longest);
    proven_.longest = std::max(proven_.longest, proven(half).longest);
  }
  void traffic(const SearchResult& half) {
    best_.traffic += half.best.cost.traffic;
    proven_.traffic += proven(half).traffic;
  }
  /// Nothing where all was proven.
  void state(PlanFacts& facts) const {
    if (proven_.longest < best_.longest) facts.emplace_back("star_longest_bound_hops", proven_.longest);
    if (proven_.traffic < best_.traffic) facts.emplace_back("star_traffic_bound_channels", proven_.traffic);
  }

 private:
  static const StarCost& proven(const SearchResult& half) { return half.exact ? half.best.cost : half.bound; }

  StarCost best_;
  StarCost proven_;
};

/// A half as a star without port limits sees it: every path starts at the source itself and takes the
/// best port for its first destination.
class UnlimitedStar final : public StarLegs {
 public:
  /// `half` must outlive it, and have a port.
  explicit UnlimitedStar(const StarHalf& half);

  std::size_t size() const override { return half_->size(); }
  /// One more than there can be paths, so that in every star some port stays unused.
  std::size_t port_count() const override { return size() + 1; }
  std::uint32_t first(std::size_t, std::size_t j) const override { return first_[j]; }
  std::uint32_t leg(std::size_t i, std::size_t j) const override { return half_->leg(i, j); }

  /// The star with every path at a port of the half.
  Star with_ports(Star star) const;

 private:
  const StarHalf* half_;
  std::vector<std::uint32_t> first_;    ///< hops of the shortest first leg to each destination …
  std::vector<std::size_t> best_port_;  ///< … and the port it leaves by, the first of several
};

/// The star of least traffic; O(ports · k²) time.
Star least_traffic_flow(StarHalf& half);
/// The same without port limits, of the fewest paths; O(paths · k²) time.
Star least_traffic_flow(const UnlimitedStar& legs);
/// The same of up*/down* path worms, of which there must be a star.
Star least_traffic_flow(const UpDownStar& legs);

// Edge-disjoint stars.

/// The best star whose paths share no channel and have at most `limit` hops each; `known` is one of them,
/// and returned (not exact) where more than `state_limit` states and legs would have to be tried. `bound`:
/// what no such star is below.
SearchResult disjoint_sweep(StarHalf& half, Goal goal, std::int64_t limit, const CostedStar& known,
                            const StarCost& bound, std::uint64_t state_limit);
/// The best star of one path: there is always one, and it shares no channel with another.
CostedStar single_path(const StarHalf& half);

/// As disjoint_sweep(), of a half with at most two ports, and exact. `bound`: what no such star is below in
/// the first criterion.
CostedStar disjoint_pair(StarHalf& half, Goal goal, std::int64_t limit, const CostedStar& known,
                         std::int64_t bound);

/// True if no two paths of the star share a channel.
bool is_disjoint(const StarHalf& half, const Star& star);

/// Channels in the order they are taken.
using Channels = std::vector<std::uint32_t>;

/// The leg from the source by a port of the half to destination j.
Channels first_leg_channels(const StarHalf& half, std::size_t port, std::size_t j);
/// The leg from destination i to destination j.
Channels leg_channels(const StarHalf& half, std::size_t i, std::size_t j);

/// A set of channels that is emptied in no time.
class ChannelMarks {
 public:
  explicit ChannelMarks(const Topology& topology) : stamp_(topology.channel_bound(), 0) {}
  void clear() { ++present_; }
  void add(const Channels& channels) {
    for (const std::uint32_t channel : channels) stamp_[channel] = present_;
  }
  bool meets(const Channels& channels) const {
    for (const std::uint32_t channel : channels)
      if (stamp_[channel] == present_) return true;
    return false;
  }

 private:
  std::vector<std::uint32_t> stamp_;
  std::uint32_t present_ = 1;
};

}  // namespace wormcast

// Least traffic as a minimum-cost flow: successive shortest paths with potentials.
//
// Every destination has exactly one predecessor: a port of the source or an earlier destination, each
// of which precedes at most one. That is an assignment of predecessors to destinations (the report's
// bipartite graph without its zero-cost ends). The single path through all destinations is the
// optimum for one used port; from there each round brings one more port in by a shortest alternating
// path: the new port takes a destination from its predecessor, which takes another one, and so on,
// until a predecessor stays without. Costs of successive rounds grow, so the first round without gain
// ends. Where some legs are not allowed they cost more than any star, so those of the single path go as soon
// as there are ports enough. For the single path the alternating graph is acyclic in destination order: one
// sweep in place of Dijkstra gives the first distances and potentials, and with two ports it is all there is
// to do. Cost: O(ports · k²) time, O(k) memory beside the table of legs. cite: Bouchitté, Cohen, Fleury 1997,
// section 3 (the matching); Edmonds, Karp 1972; Tomizawa 1971.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>
#include <utility>

#include "multicast/stars/star_search.hpp"

namespace wormcast {
namespace {

using Cost = std::int64_t;
constexpr Cost no_flow = std::numeric_limits<Cost>::max() / 4;
/// Of a destination after an earlier one that may not precede it: more than any star of allowed legs.
constexpr Cost no_leg_cost = Cost{1} << 40;
constexpr std::size_t no_index = std::numeric_limits<std::size_t>::max();

/// Predecessors are numbered ports first, then destinations. Legs is known at compile time, as it is asked
/// O(k²) times a round.
template <class Legs>
class StarFlow {
 public:
  explicit StarFlow(const Legs& legs)
      : legs_(legs),
        ports_(legs.port_count()),
        before_(legs.size(), no_index),
        after_(ports_ + legs.size(), no_index),
        potential_before_(ports_ + legs.size(), no_flow),
        potential_(legs.size(), no_flow) {}

  Star solve() {
    start_with_one_path();
    bool first_round = true;
    for (std::size_t used = 1; used < ports_; ++used) {
      if (first_round)
        sweep();
      else
        dijkstra();
      first_round = false;
      if (!augment()) break;
    }
    return star();
  }

 private:
  Cost cost(std::size_t before, std::size_t j) const {
    if (before < ports_) {
      const std::uint32_t hops = legs_.first(before, j);
      return hops == StarHalf::no_leg ? no_flow : Cost{hops};
    }
    if (before - ports_ >= j) return no_flow;
    const std::uint32_t hops = legs_.leg(before - ports_, j);
    return hops == StarLegs::no_leg ? no_leg_cost : Cost{hops};
  }

  void link(std::size_t before, std::size_t j) {
    before_[j] = before;
    after_[before] = j;
  }

  void start_with_one_path() {
    std::size_t best = 0;
    for (std::size_t p = 1; p < ports_; ++p)
      if (cost(p, 0) < cost(best, 0)) best = p;
    link(best, 0);
    for (std::size_t j = 1; j < legs_.size(); ++j) link(ports_ + j - 1, j);
  }

  /// Distances from the unused ports in the alternating graph of the single path.
  void sweep() {
    const std::size_t k = legs_.size();
    potential_before_.assign(ports_ + k, no_flow);
    from_.assign(k, no_index);
    for (std::size_t p = 0; p < ports_; ++p)
      if (after_[p] == no_index) potential_before_[p] = 0;
    for (std::size_t j = 0; j < k; ++j) {
      Cost best = no_flow;
      const std::size_t known = j == 0 ? ports_ : ports_ + j - 1;
      for (std::size_t b = 0; b < known; ++b) {
        if (potential_before_[b] >= no_flow || b == before_[j]) continue;
        const Cost c = cost(b, j);
        if (c >= no_flow || potential_before_[b] + c >= best) continue;
        best = potential_before_[b] + c;
        from_[j] = b;
      }
      potential_[j] = best;
      if (best < no_flow) potential_before_[before_[j]] = best - cost(before_[j], j);
    }
  }

  /// The same for any assignment, with the last round's distances as potentials.
  void dijkstra() {
    const std::size_t k = legs_.size();
    std::vector<Cost> distance(k, no_flow);  // reduced, of destinations
    std::vector<bool> settled(k, false);
    from_.assign(k, no_index);
    const auto relax = [&](std::size_t b, Cost at) {
      for (std::size_t j = b < ports_ ? 0 : b - ports_ + 1; j < k; ++j) {
        if (settled[j] || before_[j] == b || potential_[j] >= no_flow) continue;
        const Cost c = cost(b, j);
        if (c >= no_flow) continue;
        const Cost reduced = at + c + potential_before_[b] - potential_[j];
        if (reduced >= distance[j]) continue;
        distance[j] = reduced;
        from_[j] = b;
      }
    };
    for (std::size_t p = 0; p < ports_; ++p)
      if (after_[p] == no_index) relax(p, 0);
    std::vector<Cost> new_before(potential_before_.size(), no_flow);
    for (std::size_t p = 0; p < ports_; ++p)
      if (after_[p] == no_index) new_before[p] = 0;
    for (;;) {
      std::size_t nearest = no_index;
      for (std::size_t j = 0; j < k; ++j)
        if (!settled[j] && distance[j] < no_flow && (nearest == no_index || distance[j] < distance[nearest]))
          nearest = j;
      if (nearest == no_index) break;
      settled[nearest] = true;
      const std::size_t b = before_[nearest];
      new_before[b] = potential_before_[b] + distance[nearest];
      relax(b, distance[nearest]);
    }
    for (std::size_t j = 0; j < k; ++j)
      potential_[j] = distance[j] < no_flow ? potential_[j] + distance[j] : no_flow;
    potential_before_ = std::move(new_before);
  }

  /// Brings one more port in along the shortest alternating path; false if that gains nothing.
  bool augment() {
    std::size_t end = no_index;
    for (std::size_t b = ports_; b < after_.size(); ++b) {
      if (after_[b] == no_index || potential_before_[b] >= 0) continue;
      if (end == no_index || potential_before_[b] < potential_before_[end]) end = b;
    }
    if (end == no_index) return false;
    std::size_t j = after_[end];
    after_[end] = no_index;
    for (;;) {
      const std::size_t taker = from_[j];
      const std::size_t next = after_[taker];
      link(taker, j);
      if (next == no_index) return true;
      j = next;
    }
  }

  Star star() const {
    Star result;
    for (std::size_t p = 0; p < ports_; ++p) {
      if (after_[p] == no_index) continue;
      result.push_back({p, {}});
      for (std::size_t j = after_[p]; j != no_index; j = after_[ports_ + j])
        result.back().stops.push_back(static_cast<std::uint32_t>(j));
    }
    return result;
  }

  const Legs& legs_;
  std::size_t ports_;
  std::vector<std::size_t> before_;     ///< predecessor of each destination
  std::vector<std::size_t> after_;      ///< destination that each predecessor precedes, or none
  std::vector<Cost> potential_before_;  ///< distance of each predecessor in the last round
  std::vector<Cost> potential_;         ///< distance of each destination
  std::vector<std::size_t> from_;       ///< predecessor on the shortest alternating path
};

}  // namespace

Star least_traffic_flow(StarHalf& half) {
  half.tabulate();
  return StarFlow(half).solve();
}

Star least_traffic_flow(const UnlimitedStar& legs) { return StarFlow(legs).solve(); }

Star least_traffic_flow(const UpDownStar& legs) { return StarFlow(legs).solve(); }

// The least traffic that label-ordered paths can have at all.
//
// Without port limits a star is a path cover: each destination is the first of a path, at the hops of its
// shortest first leg, or follows an earlier one, each of which precedes at most one. That is the report's
// assignment with as many copies of the source as there are destinations, all alike; minimum-cost flow
// (star_flow) brings in one more path as long as that gains. Paths of one port take turns at its channel,
// so such stars trade time for channels. Still label-monotone, so deadlock-free.
// Cost: O(paths · k²). cite: Bouchitté, Cohen, Fleury 1997, section 3 (the assignment).

UnlimitedStar::UnlimitedStar(const StarHalf& half)
    : half_(&half), first_(half.size(), no_leg), best_port_(half.size(), 0) {
  for (std::size_t p = 0; p < half.ports().size(); ++p)
    for (std::size_t j = 0; j < half.size(); ++j) {
      const std::uint32_t hops = half.first(p, j);
      if (hops >= first_[j]) continue;
      first_[j] = hops;
      best_port_[j] = p;
    }
}

Star UnlimitedStar::with_ports(Star star) const {
  for (StarPath& path : star) path.port = best_port_[path.stops.front()];
  return star;
}

// Duals by shortest distances in the residual graph of the optimal assignment.
//
// Complementary slackness asks for price[j] − rent[b] = cost(b, j) where b precedes j, and rent 0 for
// every b that precedes nothing. Distances from the unmatched predecessors (0) over arcs b → j of
// weight cost and j → its predecessor of weight −cost satisfy all of it, as an optimal assignment
// has no negative cycle; predecessors that cannot be reached start at a distance beyond all others.
// Rounds of relaxation go through the destinations in order, the direction of all arcs but the
// matched ones, so few rounds are needed.
// On the two-dimensional snake the distances G_i in the run graph are these values up to a constant:
// rent[i] = G_i − min(0, min G), price[i+1] = rent[i] + d(i, i+1), the waiting port's rent −min(0, min
// G). Destinations that only the single path can reach get rents beyond all others, falling along it.
// Cost: O(k²) a round; O(k) on the snake. cite: Ahuja, Magnanti, Orlin 1993, chapter 9.

std::int64_t AssignmentDuals::bound() const {
  return std::accumulate(price.begin(), price.end(), std::int64_t{0}) -
         std::accumulate(rent.begin(), rent.end(), std::int64_t{0});
}

AssignmentDuals duals_of(const StarLegs& legs, const Star& star) {
  const std::size_t k = legs.size();
  const std::size_t ports = legs.port_count();
  const auto cost = [&](std::size_t b, std::size_t j) -> std::int64_t {
    return b < ports ? legs.first(b, j) : legs.leg(b - ports, j);
  };
  std::vector<std::size_t> before(k);
  std::vector<bool> matched(ports + k, false);
  std::int64_t beyond = 1;
  for (const StarPath& path : star) {
    std::size_t last = path.port;
    for (const std::uint32_t stop : path.stops) {
      before[stop] = last;
      matched[last] = true;
      beyond += cost(last, stop);
      last = ports + stop;
    }
  }
  AssignmentDuals duals;
  duals.rent.assign(ports + k, 0);
  for (std::size_t b = 0; b < ports + k; ++b)
    if (matched[b]) duals.rent[b] = 2 * beyond;
  duals.price.assign(k, 4 * beyond);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t j = 0; j < k; ++j) {
      std::int64_t price = duals.price[j];
      for (std::size_t b = 0; b < ports + j; ++b) {
        const std::int64_t hops = cost(b, j);
        if (hops != StarLegs::no_leg) price = std::min(price, duals.rent[b] + hops);
      }
      if (price < duals.price[j]) {
        duals.price[j] = price;
        changed = true;
      }
      std::int64_t& rent = duals.rent[before[j]];
      const std::int64_t matched_rent = price - cost(before[j], j);
      if (matched_rent < rent) {
        rent = matched_rent;
        changed = true;
      }
    }
  }
  return duals;
}

AssignmentDuals duals_of_plane(const StarHalf& half, const PlaneHalf& plane) {
  const std::size_t k = plane.x.size();
  const std::size_t ports = half.ports().size();
  AssignmentDuals duals;
  duals.price.assign(k, 0);
  duals.rent.assign(ports + k, 0);
  std::size_t active = plane.single_port;
  std::size_t free_from = k - 1;  // destinations from here on have distances in the run graph
  std::int64_t highest = 0;
  if (!plane.starts.empty()) {
    const PlaneRuns runs = least_traffic_runs(plane, RunGains::wanted);
    const PlaneStart& base = plane.starts[runs.base];
    active = base.active_port;
    free_from = plane.first_jump - 1;
    duals.rent[base.idle_port] = -runs.gain;
    for (std::size_t i = free_from; i + 1 < k; ++i) {
      duals.rent[ports + i] = runs.gains[i - free_from] - runs.gain;
      duals.price[i + 1] = duals.rent[ports + i] + plane.leg(i, i + 1);
      highest = std::max(highest, duals.price[i + 1]);
    }
    if (plane.starts.size() > 1) {
      // Either path may take destination 0: its price is what the waiting port asks.
      const PlaneStart& other = plane.starts[1 - runs.base];
      duals.price[0] = other.first_leg - runs.gain;
      duals.rent[active] = duals.price[0] - base.first_leg;
      return duals;
    }
  }
  std::int64_t along = 0;
  for (std::size_t i = 0; i <= free_from && i < k; ++i)
    along += i == 0 ? half.first(active, 0) : plane.leg(i - 1, i);
  duals.price[0] = highest + along;
  duals.rent[active] = duals.price[0] - half.first(active, 0);
  for (std::size_t i = 0; i < free_from; ++i) {
    duals.rent[ports + i] = duals.rent[i == 0 ? active : ports + i - 1] - plane.leg(i, i + 1);
    duals.price[i + 1] = duals.rent[ports + i] + plane.leg(i, i + 1);
  }
  return duals;
}

}  // namespace wormcast

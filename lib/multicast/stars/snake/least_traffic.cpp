// Two paths that take turns: shortest path in the run graph, by two stacks of cones.
//
// Visit the destinations in label order. At each moment one path is active, at the destination just
// visited, and the other waits at u_j. A star is the list of moments at which they change roles. Let
// E_i be "the path that waited has just jumped to u_{i+1}, the other waits at u_i", G_i the least
// cost up to there minus the cost of the single path through u_1 … u_{i+1}. A run that starts in E_j
// and ends in E_i walks u_{j+1} … u_i and jumps u_j → u_{i+1}, so
//     G_i = min over j < i of G_j + d(j, i+1) − d(i, i+1),
// and the optimum is the single path's cost + min(0, min G). With d(j, i+1) = y_{i+1} − y_j + |x_j −
// x_{i+1}| and H = G − y this is H_i = min_j (H_j + |x_j − x_{i+1}|) − |x_i − x_{i+1}|: the lower
// envelope of unit cones over the columns. Two stacks hold the apexes to the left and to the right of
// the current column x_i, nearest on top, none inside another's cone; so the top is the least of its
// stack. A source by which either path may take u_1 adds a second apex: the other role assignment.
// Moving from x_i to x_{i+1} passes the apexes between; the new cone at x_i goes through the
// minimum at x_{i+1} with slope 1 and so covers all of them. Each apex is pushed and popped once.
// Cost: O(k). cite: offline two-server problem: Chrobak, Karloff, Payne, Vishwanathan 1991; the
// linear method for the mesh: this project.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <limits>

#include "multicast/stars/snake/snake_stars.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {
namespace {

/// Events are numbered by destination; the starts follow from the top.
constexpr std::uint32_t start_event(std::size_t start) {
  return std::numeric_limits<std::uint32_t>::max() - static_cast<std::uint32_t>(start);
}
constexpr bool is_start(std::uint32_t event) { return event >= start_event(1); }

/// Twelve bytes: no label-monotone path is longer than the network is large, so sums of hops fit.
struct Apex {
  std::int32_t x;
  std::int32_t h;
  std::uint32_t event;  ///< i of E_i, or a start
};

/// One sweep over the destinations.
class RunSweep {
 public:
  RunSweep(const PlaneHalf& half, std::size_t base) : half_(half), parent_(half.x.size(), start_event(base)) {
    left_.reserve(half.x.size());
    right_.reserve(half.x.size());
    const std::int32_t at = half.x[half.first_jump - 1];
    const auto begin_at = [&](std::size_t i) {
      const PlaneStart& start = half.starts[i];
      const std::int32_t extra = start.first_leg - half.starts[base].first_leg;
      push({start.idle_x, start.idle_length + extra - half.source_y, start_event(i)},
           start.idle_x <= at ? left_ : right_);
    };
    const auto distance = [&](std::size_t i) { return std::abs(half.starts[i].idle_x - at); };
    // At most two, the further first.
    const bool second_first = half.starts.size() > 1 && distance(1) > distance(0);
    if (second_first) begin_at(1);
    begin_at(0);
    if (half.starts.size() > 1 && !second_first) begin_at(1);
  }

  PlaneRuns run(RunGains gains) {
    PlaneRuns result;
    if (gains == RunGains::wanted) result.gains.reserve(half_.x.size() - half_.first_jump);
    std::uint32_t last = start_event(0);
    std::int32_t best = 0;
    for (std::size_t i = half_.first_jump - 1; i + 1 < half_.x.size(); ++i) {
      const std::int32_t gain = step(i) + half_.y[i];
      if (gains == RunGains::wanted) result.gains.push_back(gain);
      if (gain >= best) continue;
      best = gain;
      last = static_cast<std::uint32_t>(i);
    }
    result.gain = best;
    result.switches.reserve(half_.x.size());
    for (; !is_start(last); last = parent_[last]) result.switches.push_back(last);
    result.start = start_event(0) - last;
    std::reverse(result.switches.begin(), result.switches.end());
    return result;
  }

 private:
  struct Best {
    std::int32_t h = std::numeric_limits<std::int32_t>::max();
    std::uint32_t event = 0;
    void consider(const Apex& apex, std::int32_t b) {
      const std::int32_t value = apex.h + std::abs(apex.x - b);
      if (value >= h) return;
      h = value;
      event = apex.event;
    }
  };

  /// H_i, with the new apex in its stack.
  std::int32_t step(std::size_t i) {
    const std::int32_t a = half_.x[i];
    const std::int32_t b = half_.x[i + 1];
    std::vector<Apex>& ahead = b >= a ? right_ : left_;
    std::vector<Apex>& behind = b >= a ? left_ : right_;
    Best best;
    while (!ahead.empty() && (b >= a ? ahead.back().x <= b : ahead.back().x >= b)) {
      best.consider(ahead.back(), b);
      ahead.pop_back();
    }
    if (!ahead.empty()) best.consider(ahead.back(), b);
    if (!behind.empty()) best.consider(behind.back(), b);
    const std::int32_t h = best.h - std::abs(a - b);
    push({a, h, static_cast<std::uint32_t>(i)}, behind);
    parent_[i] = best.event;
    return h;
  }

  /// Apexes come nearest last; a new one that lies inside the top's cone adds nothing.
  static void push(const Apex& apex, std::vector<Apex>& stack) {
    while (!stack.empty() && stack.back().h >= apex.h + std::abs(stack.back().x - apex.x)) stack.pop_back();
    if (stack.empty() || apex.h < stack.back().h + std::abs(stack.back().x - apex.x)) stack.push_back(apex);
  }

  const PlaneHalf& half_;
  std::vector<Apex> left_;
  std::vector<Apex> right_;
  std::vector<std::uint32_t> parent_;
};

}  // namespace

PlaneRuns least_traffic_runs(const PlaneHalf& half, RunGains gains) {
  std::size_t base = 0;
  for (std::size_t i = 1; i < half.starts.size(); ++i)
    if (half.starts[i].first_leg < half.starts[base].first_leg) base = i;
  PlaneRuns runs = RunSweep(half, base).run(gains);
  runs.base = base;
  return runs;
}

Star least_traffic_plane(const PlaneHalf& half) {
  const PlaneStart single{half.single_port, 0, half.single_first_leg, 0, 0};
  if (half.starts.empty()) return alternating_star(single, {}, half.x.size());
  const PlaneRuns runs = least_traffic_runs(half, RunGains::unwanted);
  if (runs.switches.empty()) return alternating_star(single, {}, half.x.size());
  return alternating_star(half.starts[runs.start], runs.switches, half.x.size());
}

// Coordinates and possible starts of a half on the two-dimensional snake.
//
// The source has a row neighbour (the next label) and a column neighbour b. Destinations nearer than
// b must be visited by the path through the row neighbour, and in label order, so destination 0 is
// its first; the column path may start at any later destination. If every destination lies at b or
// beyond, the strict rule leaves only the column port, while the free rule allows both, either of
// which may take destination 0: two starts.
// cite: Bouchitté, Cohen, Fleury 1997, section 3.1 (the two ports).

PlaneHalf::PlaneHalf(const StarHalf& half) {
  const Topology& topology = half.routing().topology();
  const auto width = static_cast<std::int32_t>(topology.grid()->dims()[0]);
  const auto column = [&](std::uint32_t node) { return static_cast<std::int32_t>(node) % width; };
  const bool up = half.up();
  const auto row = [&](std::uint32_t node) {
    const std::int32_t r = static_cast<std::int32_t>(node) / width;
    return up ? r : -r;
  };
  x.reserve(half.size());
  y.reserve(half.size());
  for (const HostId host : half.destinations()) {
    x.push_back(column(host.value));
    y.push_back(row(host.value));
  }
  source_y = row(half.source().value);
  const auto first_leg = [&](std::size_t port) { return static_cast<std::int32_t>(half.first(port, 0)); };
  const bool by_first = half.ports().size() == 1 || half.first(0, 0) <= half.first(1, 0);
  single_port = by_first ? 0 : 1;
  single_first_leg = first_leg(single_port);
  if (half.ports().size() != 2) return;
  const NodeId row_neighbour = half.ports()[0].neighbour;
  const NodeId column_neighbour = half.ports()[1].neighbour;
  const std::int32_t source_x = column(half.source().value);
  const Label limit = topology.label(column_neighbour);
  const auto nearer =
      std::partition_point(half.destinations().begin(), half.destinations().end(), [&](HostId host) {
        const Label label = topology.label(NodeId{host.value});
        return up ? label < limit : label > limit;
      });
  const auto before = static_cast<std::size_t>(nearer - half.destinations().begin());
  if (before == half.size()) return;
  first_jump = std::max<std::size_t>(before, 1);
  if (before > 0 || half.rule() == FirstHop::free) starts.push_back({0, 1, first_leg(0), source_x, 0});
  if (before == 0 && half.rule() == FirstHop::free)
    starts.push_back({1, 0, first_leg(1), column(row_neighbour.value), 1});
}

std::int64_t PlaneHalf::chain(std::int32_t first_leg) const {
  std::int64_t hops = first_leg;
  for (std::size_t i = 1; i < x.size(); ++i) hops += leg(i - 1, i);
  return hops;
}

Star alternating_star(const PlaneStart& start, const std::vector<std::uint32_t>& switches, std::size_t size) {
  Star star{{start.active_port, {}}};
  if (!switches.empty()) star.push_back({start.idle_port, {}});
  for (StarPath& path : star) path.stops.reserve(size);
  std::size_t path = 0;
  std::uint32_t next = 0;
  for (std::size_t i = 0; i <= switches.size(); ++i) {
    const std::uint32_t end = i < switches.size() ? switches[i] + 1 : static_cast<std::uint32_t>(size);
    for (; next < end; ++next) star[path].stops.push_back(next);
    path = 1 - path;
  }
  return star;
}

bool is_plane(const StarHalf& half) { return is_plane_snake(half.routing().topology()); }

// Backward sweep of the run graph: a lower envelope of unit cones over the columns.
//
// Let B_m be the cheapest continuation after E_m relative to the single path. A path waiting at
// (x, y) when the other is at u_i continues at best with
//     F_i(x) − y,  F_i(x) = min over m >= i of y_{m+1} + |x − x_{m+1}| − d(m, m+1) + B_m,
// and B_i = min(0, F_{i+1}(x_i) − y_i). F is 1-Lipschitz in x, so a new cone that does not improve
// F at some column improves it nowhere beyond. F is kept at checkpoints only: F_i grows with i, so
// an earlier one is a lower bound too.
// Cost: O(k · columns) in the worst case, a few columns a step on average; O(k) memory.
// cite: this project.

namespace {

constexpr std::int32_t not_reached = std::numeric_limits<std::int32_t>::max() / 2;

void lower_by_cone(std::vector<std::int32_t>& envelope, std::int32_t x, std::int32_t height) {
  const auto size = static_cast<std::int32_t>(envelope.size());
  if (envelope[static_cast<std::size_t>(x)] <= height) return;
  envelope[static_cast<std::size_t>(x)] = height;
  for (const std::int32_t step : {1, -1})
    for (std::int32_t c = x + step; c >= 0 && c < size; c += step) {
      const std::int32_t value = height + (c > x ? c - x : x - c);
      if (envelope[static_cast<std::size_t>(c)] <= value) break;
      envelope[static_cast<std::size_t>(c)] = value;
    }
}

}  // namespace

CompletionBound::CompletionBound(const PlaneHalf& half) {
  const std::size_t k = half.x.size();
  std::int32_t last = *std::max_element(half.x.begin(), half.x.end());
  for (const PlaneStart& start : half.starts) last = std::max(last, start.idle_x);
  columns_ = static_cast<std::size_t>(last) + 1;
  interval_ = std::max<std::size_t>(16, columns_ / 4);
  after_event_.assign(k, 0);
  checkpoints_.assign((k / interval_ + 1) * columns_, not_reached);
  std::vector<std::int32_t> envelope(columns_, not_reached);
  for (std::size_t i = k; i-- > 0;) {
    // Here the envelope is F_{i+1}.
    if (i + 1 < k && i + 1 >= half.first_jump) {
      const std::int32_t reach = envelope[static_cast<std::size_t>(half.x[i])];
      after_event_[i] = reach >= not_reached ? 0 : std::min(0, reach - half.y[i]);
      lower_by_cone(envelope, half.x[i + 1], half.y[i + 1] - half.leg(i, i + 1) + after_event_[i]);
    }
    if (i % interval_ == 0)
      std::copy(envelope.begin(), envelope.end(),
                checkpoints_.begin() + static_cast<std::ptrdiff_t>(i / interval_ * columns_));
  }
}

}  // namespace wormcast

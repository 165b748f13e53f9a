// Optimal stars on one half of the two-dimensional snake, in the coordinates that the algorithms use.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "multicast/building_blocks/star_half.hpp"

namespace wormcast {

/// A way to start a star with two paths: which of them visits destination 0, what that costs, and
/// where the other waits. A first leg of the waiting path to a destination at (x, y) costs
/// idle_length + (y − source_y) + |x − idle_x|.
struct PlaneStart {
  std::size_t active_port;
  std::size_t idle_port;
  std::int32_t first_leg;    ///< hops to destination 0 by the active path
  std::int32_t idle_x;       ///< column the waiting path starts from
  std::int32_t idle_length;  ///< hops it has made when it starts from there
};

/// y grows with the label outwards, so that the leg i → j costs y_j − y_i + |x_i − x_j|.
struct PlaneHalf {
  std::vector<std::int32_t> x;
  std::vector<std::int32_t> y;
  std::int32_t source_y = 0;
  /// Two-path starts; empty if only one path is possible, by port 0.
  std::vector<PlaneStart> starts;
  std::int32_t single_first_leg = 0;  ///< hops to destination 0 by the best single path …
  std::size_t single_port = 0;        ///< … and its port
  /// The waiting path may visit destination j first only for j >= first_jump (>= 1).
  std::size_t first_jump = 1;

  explicit PlaneHalf(const StarHalf& half);

  std::int32_t leg(std::size_t i, std::size_t j) const {
    return y[j] - y[i] + (x[i] < x[j] ? x[j] - x[i] : x[i] - x[j]);
  }
  /// Hops of the single path through all destinations from a given first leg.
  std::int64_t chain(std::int32_t first_leg) const;
};

/// The star whose paths alternate: `start.active_port` visits destinations 0..switches[0], the other
/// path the ones up to switches[1], then the first again, and so on.
Star alternating_star(const PlaneStart& start, const std::vector<std::uint32_t>& switches, std::size_t size);

/// True if the half lies on a two-dimensional snake, whose label routes are shortest.
bool is_plane(const StarHalf& half);

/// With the events E_i of least_traffic.cpp: what the rest of a star costs at least beyond walking on
/// along the single path.
class CompletionBound {
 public:
  explicit CompletionBound(const PlaneHalf& half);

  /// Cheapest continuation after E_i, relative to the single path; never positive. Exact.
  std::int32_t after_event(std::size_t i) const { return after_event_[i]; }
  /// For a path that waits in column x while the other one is at destination i or later: any use of
  /// it adds at least this to (its length − its row), relative to the single path. A lower bound.
  std::int32_t of_waiting(std::size_t i, std::size_t x) const {
    return checkpoints_[i / interval_ * columns_ + x];
  }
  std::size_t interval() const { return interval_; }

 private:
  std::size_t columns_;
  std::size_t interval_;
  std::vector<std::int32_t> after_event_;
  std::vector<std::int32_t> checkpoints_;  ///< the bound at every interval_-th destination, by column
};

/// A star of least traffic as the moments at which its two paths change roles, with the distances in
/// the run graph that prove it (see least_traffic.cpp).
struct PlaneRuns {
  std::size_t start = 0;                ///< index into PlaneHalf::starts, if there is a switch
  std::vector<std::uint32_t> switches;  ///< i of every event E_i
  std::int64_t gain = 0;                ///< traffic beyond the single path's; never positive
  std::size_t base = 0;                 ///< the start whose single path the gains are relative to
  std::vector<std::int64_t> gains;      ///< G_i of every event E_i, i >= first_jump − 1; if wanted
};

/// Whether the gains are written down: only certificates need them.
enum class RunGains : bool { unwanted, wanted };

/// O(k) time and memory; needs a half with starts.
PlaneRuns least_traffic_runs(const PlaneHalf& half, RunGains gains);

/// The star of least traffic of a half on the two-dimensional snake; O(k) time and memory.
Star least_traffic_plane(const PlaneHalf& half);

/// The events that a pass keeps, 8 bytes each, before it drops those that lead nowhere.
constexpr std::size_t kept_events = std::size_t{1} << 22;

/// The star of a half on the snake whose longest path is least, of least traffic among those.
CostedStar balanced_plane(const PlaneHalf& half, std::size_t keep = kept_events);

/// The star of least traffic among those whose longest path has at most `limit` hops (shortest
/// longest path among those); nothing if there is none.
std::optional<CostedStar> least_traffic_within(const PlaneHalf& half, std::int64_t limit,
                                               std::size_t keep = kept_events);

}  // namespace wormcast

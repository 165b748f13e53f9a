// One half of a multicast on the two-dimensional snake, in the coordinates its algorithms use.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
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

}  // namespace wormcast

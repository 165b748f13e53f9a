// Stars of least traffic on the two-dimensional snake in linear time.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/stars/snake/plane_half.hpp"

namespace wormcast {

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

}  // namespace wormcast

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
// SPDX-License-Identifier: MIT
#include "multicast/stars/snake/snake_stars.hpp"

#include <algorithm>
#include <limits>

namespace wormcast {
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

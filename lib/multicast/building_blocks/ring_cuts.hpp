// Where to cut a ring: which offsets are served by its + arm and which by its − arm.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace wormcast {

/// The + arm serves the first `kept` offsets, the − arm the others.
struct RingCut {
  std::size_t kept = 0;
  std::uint32_t positive = 0;  ///< reach of the + arm, 0 = none
  std::uint32_t negative = 0;

  std::uint32_t channels() const { return positive + negative; }
  std::uint32_t longest() const { return std::max(positive, negative); }
  /// Distance along its arm of an offset of the ring.
  std::uint32_t distance(std::uint32_t offset, std::uint32_t size) const {
    return offset <= positive ? offset : size - offset;
  }
};

/// Cut `kept` of a ring of `size` nodes; offsets ascending, in [1, size).
inline RingCut cut_at(std::span<const std::uint32_t> offsets, std::uint32_t size, std::size_t kept) {
  return {kept, kept == 0 ? 0 : offsets[kept - 1], kept == offsets.size() ? 0 : size - offsets[kept]};
}

/// The cut that cuts the fewest channels among those whose arms reach `limit` at most, ties to the
/// shorter longest arm, then to the fewer offsets on the + arm; with kept > offsets.size() if none does.
inline RingCut cheapest_cut(std::span<const std::uint32_t> offsets, std::uint32_t size, std::uint64_t limit) {
  RingCut best{offsets.size() + 1, 0, 0};
  for (std::size_t kept = 0; kept <= offsets.size(); ++kept) {
    const RingCut cut = cut_at(offsets, size, kept);
    if (cut.longest() > limit) continue;
    const bool first = best.kept > offsets.size();
    if (first || cut.channels() < best.channels() ||
        (cut.channels() == best.channels() && cut.longest() < best.longest()))
      best = cut;
  }
  return best;
}

/// Every offset by its shorter way; an offset half way round by the arm that grows less.
inline RingCut shortest_cut(std::span<const std::uint32_t> offsets, std::uint32_t size) {
  return cheapest_cut(offsets, size, size / 2);
}

}  // namespace wormcast

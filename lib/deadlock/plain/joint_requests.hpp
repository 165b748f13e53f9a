// Resources that one worm waits for when it waits for any of them: what atomic nodes ask for together,
// and what others ask for together with that. Part of the independent checks.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "deadlock/plain/plain_worm.hpp"
#include "topology/ids.hpp"

namespace wormcast {

/// Groups of resources, by union-find.
class JointRequests {
 public:
  void add(const PlainWorm& worm) {
    if (worm.is_path()) return;
    std::vector<std::size_t> first(worm.positions(), 0);  // of each node's outputs that others wait for
    for (std::size_t p = 1; p < worm.positions(); ++p) {
      std::size_t& before = first[worm.parent(p)];
      if (before == 0) {
        if (!worm.private_consumption(p)) before = p;
      } else if (worm.asked_for_together(before, p)) {
        join(worm.resources(before).front().value, worm.resources(p).front().value);
      }
    }
  }

  /// Someone asks for both at once.
  void join(ResourceId one, ResourceId other) { join(one.value, other.value); }

  bool none() const { return next_.empty(); }
  /// The resource that stands for the group of this one.
  ResourceId group(ResourceId resource) const {
    std::uint32_t at = resource.value;
    while (at < next_.size() && next_[at] != at) at = next_[at];
    return ResourceId{at};
  }

 private:
  void join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t bound = (a > b ? a : b) + 1;
    while (next_.size() < bound) next_.push_back(static_cast<std::uint32_t>(next_.size()));
    const std::uint32_t one = group(ResourceId{a}).value, other = group(ResourceId{b}).value;
    const std::uint32_t kept = one < other ? one : other;
    next_[one] = next_[other] = kept;
    for (std::uint32_t at : {a, b})  // shorter ways for the next
      while (next_[at] != kept) at = std::exchange(next_[at], kept);
  }

  std::vector<std::uint32_t> next_;  ///< by resource: one nearer to the group's own
};

}  // namespace wormcast

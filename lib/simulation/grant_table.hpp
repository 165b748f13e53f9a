// Who holds each resource and who queues for it: one queue per resource in the order of rule 6.
// Requests and holders are lists through the hops themselves, so nothing is allocated per request.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulation/paged_array.hpp"
#include "simulation/worm_pool.hpp"

namespace wormcast {

class GrantTable {
 public:
  /// The classes of resources, in the order in which a cycle grants them (rule 5).
  enum Class : std::uint32_t { injection, consumption, network };

  explicit GrantTable(WormPool& pool) : pool_(&pool) {}

  /// Puts the hop into the queue of its resource as requested at `cycle`.
  void request(std::uint32_t slot, Cycle cycle);
  /// Moves the hop, which waits, to the holders of its resource.
  void grant(std::uint32_t slot, Cycle cycle);
  /// Takes the hop, which holds, off its resource.
  void release(std::uint32_t slot);

  /// First in the queue, or kNone.
  std::uint32_t head(ResourceId resource) const { return resources_.find(resource.value)->queue_head; }
  /// True if one more worm could hold the resource.
  bool free(ResourceId resource) const;
  /// First holder; further ones by Hop::next. kNone if there are none.
  std::uint32_t holders(ResourceId resource) const { return resources_.find(resource.value)->holders; }

  /// Resources whose queue or holders changed since the last call; swapped into `touched`.
  void take_touched(Class of, std::vector<ResourceId>& touched);
  bool any_touched(Class of) const { return !touched_[of].empty(); }
  void touch(ResourceId resource, Class of);

  static Class class_of(const Hop& hop) {
    if (hop.kind == HopKind::injection) return injection;
    return hop.is_channel() ? network : consumption;
  }

 private:
  struct State {
    std::uint32_t queue_head = kNone;
    std::uint32_t queue_tail = kNone;
    std::uint32_t holders = kNone;
    std::uint32_t used = 0;
    bool touched = false;
  };

  WormPool* pool_;
  PagedArray<State> resources_;
  std::array<std::vector<ResourceId>, 3> touched_;
};

}  // namespace wormcast

// State per resource: what holds it, and what waits for it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "simulation/queues/calendar.hpp"
#include "simulation/queues/paged_array.hpp"
#include "topology/ids.hpp"
#include "topology/resources.hpp"

namespace wormcast {

inline constexpr std::uint32_t kNone = 0xffffffff;

/// The classes of resources, in the order in which a cycle grants them (rule 5).
enum class ResourceClass : std::uint8_t { injection, consumption, network };
inline constexpr ResourceClass kGrantOrder[] = {ResourceClass::injection, ResourceClass::consumption,
                                                ResourceClass::network};

/// One resource; a cache line that stays where it is. Requests and holders are hop slots.
struct alignas(64) ResourceState {
  Cycle free_from = 0;                    ///< when one more worm can hold it; kNever while that is not known
  ResourceState* next_touched = nullptr;  ///< in GrantTable's list of its class
  std::uint32_t queue_head = kNone;
  std::uint32_t queue_tail = kNone;
  std::uint32_t holders = kNone;  ///< of a single unit: the latest, also when it is off
  std::uint32_t used = 0;         ///< of several units
  std::uint32_t units = 0;        ///< as Resources::units()
  ResourceClass of = ResourceClass::network;
  bool carried = false;   ///< a release of it is or was known: flits have entered it
  bool touched = false;   ///< it stands in GrantTable's list of its class
  bool by_clock = false;  ///< a single unit, unobserved: only what waits need look when it is free
};

/// The states of all resources that a worm has ever needed.
class ResourceTable {
 public:
  ResourceTable(const Resources& resources, bool observed) : resources_(resources), observed_(observed) {}

  const Resources& ids() const { return resources_; }
  ResourceState& operator[](ResourceId id) {
    return states_.get(id.value, [this](ResourceState& state, std::size_t index) { begin(state, index); });
  }
  /// nullptr where no worm has needed anything near.
  const ResourceState* find(ResourceId id) const { return states_.find(id.value); }

 private:
  void begin(ResourceState& state, std::size_t index) const {
    const ResourceId id{static_cast<std::uint32_t>(index)};
    const Resource::Kind kind = resources_.kind(id);
    state.units = resources_.units(id);
    state.by_clock = state.units == 1 && !observed_;
    if (kind == Resource::Kind::injection) state.of = ResourceClass::injection;
    if (kind == Resource::Kind::consumption) state.of = ResourceClass::consumption;
  }

  Resources resources_;
  bool observed_;
  PagedArray<ResourceState> states_;
};

}  // namespace wormcast

// Worms under way and their hops in flat arrays, addressed by slot numbers that are used again.
// Slot `first` of a worm stands for its injection channel; the route's hops follow in order, on
// topologies whose hosts have links with the source's link before them. The hops of a path stand in the
// order in which its header asks for them: what follows a hop is the next slot. Of a reduction slot `first`
// stands for the root's consumption channel: a hop's children come before it, and its parent follows it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "multicast/routes.hpp"
#include "router/worm_footprint.hpp"
#include "simulation/queues/calendar.hpp"
#include "simulation/queues/paged_array.hpp"
#include "topology/ids.hpp"

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

enum class HopKind : std::uint8_t { injection, host_link, channel, deliver, relay };
/// What is held is released by time: Hop::until.
enum class HopState : std::uint8_t { idle, waiting, held };

/// One resource on a worm's way; a cache line.
struct alignas(64) Hop {
  Cycle since = 0;  ///< while idle, it is requested no earlier; then when it was, then when it was granted
  Cycle until = kNever;  ///< from when on it is released, once that is known; it may lie ahead
  ResourceState* resource_state = nullptr;
  ResourceId resource;
  std::uint32_t worm = 0;             ///< slot of its worm
  std::uint32_t target = 0;           ///< ChannelId of a channel (the host of a host's link), else HostId
  std::uint32_t parent = kNone;       ///< hop slot before it; none for the injection
  std::uint32_t first_child = kNone;  ///< the hops that follow, in branch order
  std::uint32_t next_sibling = kNone;
  std::uint32_t next = kNone;  ///< neighbours among the requests or the holders of its resource
  std::uint32_t prev = kNone;
  std::uint32_t ungranted = 0;  ///< children not yet granted; not counted on a path
  std::uint32_t vc : 8 = 0;     ///< of a channel between routers; no character, which could alias anything
  HopKind kind = HopKind::injection;
  HopState state = HopState::idle;

  bool is_network() const { return kind == HopKind::channel; }  ///< between routers
  bool is_channel() const { return kind == HopKind::channel || kind == HopKind::host_link; }
  bool is_consumption() const { return kind >= HopKind::deliver; }
};

/// Two cache lines: what changes with every hop stands first.
struct alignas(64) WormState : Advance {
  Cycle until = 0;                  ///< the latest release known
  std::uint64_t flits = 0;          ///< header flits included
  std::uint32_t first = 0;          ///< slot of its injection hop
  std::uint32_t hops = 0;           ///< slots in use, injection included
  std::uint32_t held = 0;           ///< hops of which it is not known yet when they are released
  std::uint32_t waiting = 0;        ///< requests outstanding
  std::uint32_t requested = kNone;  ///< the hop requested last
  std::uint32_t behind = 0;         ///< early reuse: buffers in which another tail is still ahead of it
  std::uint32_t multicast = 0;      ///< slot of its multicast
  std::uint32_t mark = 0;           ///< epoch of the deadlock search that saw it last
  bool joins = false;               ///< a reduction, or some of its parts
  bool under_way = false;           ///< it has not released everything yet
  std::uint16_t at_source = 0;      ///< it is after no other: hops right behind its source not granted yet
  std::uint32_t index = 0;          ///< in the plan
  std::uint64_t id = 0;             ///< of its multicast
  Cycle queued = 0;                 ///< waited for injection channels: it, and the worms it came after
  Cycle startup = 0;                ///< from injection grant to the header's first request
  HostId source;
  std::uint32_t channels = 0;           ///< hops between routers
  std::uint32_t slots = 0;              ///< for hops, that are reserved
  std::uint32_t followers = kNone;      ///< first of the worms `after` this one
  std::uint32_t next_follower = kNone;  ///< the next of the worms after the same one
};

class WormPool {
 public:
  /// `observed`: an observer is told of every release.
  WormPool(const Topology& topology, const RouterModel& model, bool observed);

  /// Takes in the worm at `index` of `worms`, with everything idle; returns its slot.
  std::uint32_t add(const Request& request, const std::vector<WormRoute>& worms, std::uint32_t index,
                    std::uint32_t multicast);
  void remove(std::uint32_t worm);

  Hop& hop(std::uint32_t slot) { return hops_[slot]; }
  const Hop& hop(std::uint32_t slot) const { return hops_[slot]; }
  WormState& worm(std::uint32_t slot) { return worms_[slot]; }
  const WormState& worm(std::uint32_t slot) const { return worms_[slot]; }
  WormState& worm_of(const Hop& hop) { return worms_[hop.worm]; }
  /// Hop slots that exist, for arrays of engines beside this one.
  std::size_t hop_slots() const { return hops_.size(); }
  std::size_t worm_slots() const { return worms_.size(); }

  /// Rule 6: (request cycle, multicast id, worm index, hop index).
  bool requested_before(const Hop& a, const Hop& b) const;
  /// What the hop's link says of itself, `usual` where it says nothing; injection channels are no links.
  std::uint32_t own(LinkValue what, const Hop& hop, std::uint32_t usual) const {
    if (hop.kind == HopKind::injection) return usual;
    if (hop.is_network()) return topology_->own(what, ChannelId{hop.target}, usual);
    return topology_->own(what, HostId{hop.target}, hop.is_consumption(), usual);
  }
  /// It is requested, and granted, together with others: at the end of its parent, or all on the way.
  bool in_atomic_group(const Hop& hop) const {
    if (worms_[hop.worm].whole_way) return true;
    if (hop.kind == HopKind::injection || !worms_[hop.worm].at_once) return false;
    return hops_[hops_[hop.parent].first_child].next_sibling != kNone;
  }
  const Resources& resources() const { return resources_.ids(); }
  /// Flits have crossed the channel on that virtual channel.
  bool has_carried(ChannelId channel, std::uint32_t vc) const {
    const ResourceState* state = resources_.find(resources().network(channel, vc));
    return state != nullptr && state->carried;
  }

 private:
  std::uint32_t reserve(std::uint32_t slots);
  void set_resource(Hop& hop, ResourceId resource);
  void set_consumption(Hop& hop);
  void add_source(std::uint32_t worm, HostId source, std::uint32_t slot);
  Hop& add_hop(std::uint32_t worm, std::uint32_t slot, std::uint32_t parent, const RouteHop& route_hop);
  bool add_path(std::uint32_t worm, std::uint32_t slot, const std::vector<RouteHop>& hops);
  void add_sorted_path(std::uint32_t worm, std::uint32_t slot, const std::vector<RouteHop>& hops);
  void add_reduction(std::uint32_t worm, const WormRoute& route);
  void add_tree(std::uint32_t worm, std::uint32_t slot, const std::vector<RouteHop>& hops);

  const Topology* topology_;
  RouterModel model_;
  const Discipline& discipline_;
  bool host_links_;  ///< Topology::hosts_have_links()
  ResourceTable resources_;
  std::vector<Hop> hops_;
  SlotPool<WormState> worms_;
  // Copied over slots: built there, they would be filled by a string instruction, which takes long to start.
  Hop blank_hop_;
  WormState blank_worm_;
  std::vector<RouteHop> sorted_;  ///< scratch: a path whose route stands in another order
  std::vector<std::vector<std::uint32_t>> free_hops_;  ///< by WormState::slots
};

}  // namespace wormcast

// What a router does with a worm: how its copies move, what its header needs, what buffers hold. The flit
// engine, the exhaustive exploration and the footprints of proofs ask here.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "router/router_model.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// How the copies of a worm leave the end of a hop.
enum class Copying : std::uint8_t {
  together,  ///< a flit leaves by all outputs in one cycle
  apart,     ///< every output reads the buffer by itself
  per_flit,  ///< every output takes a flit when it can, none the next before all have taken it
  serial     ///< one output reads the whole worm, then the next
};

/// Under virtual cut-through a copy is read when it can be: it holds up no other.
inline bool copies_serially(const RouterModel& model) {
  return model.copies == Copies::serial && !model.cut_through;
}

/// True where routers copy in their own way, whatever plans say; consumption on the way is one more branch.
inline bool routers_copy(const RouterModel& model) {
  return model.copies == Copies::per_flit || copies_serially(model) ||
         model.allocation == Allocation::two_step;
}

/// `path`: the worm never branches between routers. `lock_step`: its plan says so.
inline Copying copying(const RouterModel& model, bool path, bool lock_step) {
  if (model.copies == Copies::per_flit) return Copying::per_flit;
  if (copies_serially(model)) return Copying::serial;
  return model.allocation == Allocation::two_step || path || lock_step ? Copying::together : Copying::apart;
}

/// Where copies are serial, those with the least rank are made first: east, west, north, south (on grids the
/// lowest dimension upwards first, then the others downwards first), elsewhere by port. Consumption is last.
std::uint32_t copy_rank(const Topology& topology, ChannelId channel);

/// True where a header is granted its outputs only while the buffer behind each has a slot: it holds none
/// while it waits for one.
inline bool grants_need_slots(const RouterModel& model) {
  return !model.cut_through &&
         (model.allocation == Allocation::two_step || model.ring_entry != RingEntry::any ||
          model.output_arbitration == OutputArbitration::rotating);
}

/// Slots that the buffer behind a channel must have for the header of a worm of so many flits: to enter the
/// ring that the channel is one of, or to go on.
inline std::uint64_t slots_needed(const RouterModel& model, std::uint64_t flits, bool enters) {
  if (model.ring_entry == RingEntry::any) return grants_need_slots(model) ? 1 : 0;
  return (model.ring_entry == RingEntry::packet_bubble ? flits : 1) + (enters ? flits : 0);
}

/// The channels of a ring with this one all give one of them; nothing where the channel is in no ring.
std::optional<ChannelId> ring_of(const Topology& topology, ChannelId channel);

/// Where bubbles keep rings from filling: the same of virtual channels. 0: in no such ring.
std::uint32_t bubble_ring(const Topology& topology, const RouterModel& model, const Resources& resources,
                          ResourceId resource);

/// True where headers that wait for one buffer may need different numbers of slots, so that a later one may
/// be served first.
inline bool slots_differ(const RouterModel& model) { return model.ring_entry != RingEntry::any; }

/// Why the header of a worm of so many flits could never find its slots; "" if it can.
std::string too_long_for_slots(const Topology& topology, const RouterModel& model, std::uint64_t flits);

/// Flits that can stand in a buffer beside those for which it has slots: one in the register before it, where
/// that was reached without a gap.
inline std::uint32_t register_flits(const RouterModel& model) {
  return model.allocation == Allocation::two_step ? 1 : 0;
}

/// Slots of the buffer at the end of a channel, or of the link that a host sends by; under virtual
/// cut-through any holds a worm.
inline std::uint32_t buffer_slots(const Topology& topology, const RouterModel& model, ChannelId channel) {
  return model.cut_through ? model.buffer_flits
                           : topology.own(LinkValue::buffer_flits, channel, model.buffer_flits);
}
inline std::uint32_t buffer_slots(const Topology& topology, const RouterModel& model, HostId source) {
  return model.cut_through ? model.buffer_flits
                           : topology.own(LinkValue::buffer_flits, source, false, model.buffer_flits);
}

/// Flits that can stand on the way of a worm from `source` over the channels of `hops`, outside its source.
template <class Hops>
std::uint64_t way_slots(const Topology& topology, const RouterModel& model, HostId source, const Hops& hops) {
  std::uint64_t slots = topology.hosts_have_links() ? buffer_slots(topology, model, source) : 0;
  for (const auto& hop : hops)
    if (hop.is_channel())
      slots += buffer_slots(topology, model, ChannelId{hop.target}) + register_flits(model);
  return slots;
}

/// Throws InputError where links differ in `what`: nothing is answered for that where `where`.
void refuse_unlike(const Topology& topology, LinkValue what, std::string_view where);

/// True where a worm is read from a buffer at its source, as anywhere else.
inline bool buffers_sources(const RouterModel& model) { return copies_serially(model); }

/// True where a worm that branches stands still for good, alone in the network: the first copy cannot be read
/// whole before a slot is given back, which the last one does.
inline bool outgrows_buffers(const RouterModel& model, std::uint64_t flits) {
  return copies_serially(model) && flits > model.buffer_flits;
}

/// True where what a blocked worm keeps does not follow from it alone: sets of worms have to be explored.
inline bool judged_by_exploring(const RouterModel& model) {
  return grants_need_slots(model) || copies_serially(model);
}

/// True where a worm that waits for several outputs may wait for one with others: that locked the arbiter.
inline bool locks_arbiters(const RouterModel& model) { return model.allocation == Allocation::two_step; }

/// True where no worm waits for a consumption channel beside an output that it has: all are granted at once,
/// and what is consumed is not held up. A worm with the arbiter of several outputs has that channel, too:
/// a router has one, for whatever input.
inline bool consumes_at_once(const RouterModel& model, const Topology& topology) {
  return locks_arbiters(model) && model.consumption_channels != 0 && !topology.hosts_have_links();
}

/// Where routers copy: whether a branch that is blocked may hold up the others for good. Flit by flit a
/// single flit leaves nothing behind it; so it is with two-step grants.
inline bool branches_hold_up(const RouterModel& model, std::uint64_t flits) {
  if (copies_serially(model)) return outgrows_buffers(model, flits);
  return routers_copy(model) && (model.cut_through ? model.buffer_flits : flits) > 1;
}

/// True where routers join parts of a reduction by request: its header goes on when all of them have come.
inline bool joins_by_request(const RouterModel& model) {
  return model.copies == Copies::as_planned && model.allocation == Allocation::incremental &&
         !slots_differ(model) && !model.path_reservation && !model.cut_through &&
         model.vc_allocation == VcAllocation::as_routed &&
         model.output_arbitration == OutputArbitration::first_come &&
         model.consumption_release == ConsumptionRelease::arrived;
}

/// True where several worms can stand in one FIFO between routers, one behind the other.
inline bool shares_buffers(const RouterModel& model) {
  return model.vc_reuse == VcReuse::early && !model.cut_through && !model.path_reservation;
}

/// A blocked worm of so many flits more than all links on its way hold leaves nothing behind it: its tail
/// has not left the source by any branch.
inline std::uint64_t beyond_buffers(const RouterModel& model) {
  return model.copies == Copies::per_flit ? 2 : 1;
}

}  // namespace wormcast

// What a discipline and numbers together say: what buffers hold, what a header needs, what a blocked worm
// keeps.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "router/discipline.hpp"
#include "router/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// How the copies of a worm leave the ends of its hops. `path`: it never branches between routers. `planned`:
/// its plan's word.
inline Copies copying(const Discipline& discipline, bool path, Copies planned) {
  if (discipline.routers_copy()) return discipline.copies;
  return path || planned == Copies::lock_step ? Copies::lock_step : Copies::asynchronous;
}

/// Where copies are serial, those with the least rank are made first: east, west, north, south (on grids the
/// lowest dimension upwards first, then the others downwards first), elsewhere by port. Consumption is last.
std::uint32_t copy_rank(const Topology& topology, ChannelId channel);

/// True where a header is granted its outputs only while the buffer behind each has a slot: it holds none
/// while it waits for one.
inline bool grants_need_slots(const RouterModel& model) {
  return !model.cut_through &&
         (model.discipline().slots != nullptr || model.output_arbitration == OutputArbitration::rotating);
}

/// The channels of a ring with this one all give one of them; nothing where the channel is in no ring.
std::optional<ChannelId> ring_of(const Topology& topology, ChannelId channel);

/// Slots that the buffer behind the next channel must have for the header of a worm of so many flits.
/// `before`: the channel that it stands in, if that takes it by the same virtual channel: straight on it
/// enters no ring.
std::uint64_t slots_needed(const Topology& topology, const RouterModel& model, std::uint64_t flits,
                           std::optional<ChannelId> before, ChannelId next);

/// Where bubbles keep rings from filling: the same of virtual channels. 0: in no such ring.
std::uint32_t bubble_ring(const Topology& topology, const RouterModel& model, const Resources& resources,
                          ResourceId resource);

/// Number of the ring that never fills of which a resource is a part; 0: of none.
using RingOf = std::function<std::uint32_t(ResourceId)>;
/// The same, nullptr where there are none, also if worms have to be of one length for it, and are not.
RingOf bubble_rings(const Topology& topology, const RouterModel& model, const Resources& resources,
                    bool one_length);

/// Why the header of a worm of so many flits could never find its slots; "" if it can.
std::string too_long_for_slots(const Topology& topology, const RouterModel& model, std::uint64_t flits);
/// Throws InputError for such a worm, the one of that index, if it takes any channel.
void check_slots(const Topology& topology, const RouterModel& model, const WormRoute& worm,
                 std::uint64_t flits, std::size_t index);

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

/// Flits of a worm from `source` over the channels of `hops` that matter: a blocked one that is longer than
/// all that stands on its way, outside its source, keeps the same. Under virtual cut-through a worm is a
/// buffer long.
template <class Hops>
std::uint64_t effective_flits(const Topology& topology, const RouterModel& model, HostId source,
                              const Hops& hops, std::uint64_t flits, bool* short_enough = nullptr) {
  if (model.cut_through) flits = model.buffer_flits;
  const Discipline& discipline = model.discipline();
  std::uint64_t most = discipline.beyond_buffers;
  if (topology.hosts_have_links()) most += buffer_slots(topology, model, source);
  for (const auto& hop : hops)
    if (hop.is_channel()) most += buffer_slots(topology, model, ChannelId{hop.target}) + discipline.registers;
  if (short_enough != nullptr) *short_enough = flits < most;
  return model.cut_through ? flits : std::min(flits, most);
}

/// Throws InputError where links differ in `what`: nothing is answered for that where `where`.
void refuse_unlike(const Topology& topology, LinkValue what, std::string_view where);

/// True where a worm that branches stands still for good, alone in the network: the first copy cannot be read
/// whole before a slot is given back, which the last one does.
inline bool outgrows_buffers(const RouterModel& model, std::uint64_t flits) {
  return model.discipline().copies == Copies::serial && flits > model.buffer_flits;
}

/// True where what a blocked worm keeps does not follow from it alone: sets of worms have to be explored.
inline bool judged_by_exploring(const RouterModel& model) {
  return model.discipline().explored || grants_need_slots(model);
}

/// True where no worm waits for a consumption channel beside an output that it has: all are granted at once,
/// and what is consumed is not held up. A worm with the arbiter of several outputs has that channel, too:
/// a router has one, for whatever input.
inline bool consumes_at_once(const RouterModel& model, const Topology& topology) {
  return model.discipline().locks_arbiters && model.consumption_channels != 0 && !topology.hosts_have_links();
}

/// The same routers, whose nodes are busy until they have answered, or not.
inline RouterModel answering(RouterModel model, bool busy) {
  model.consumption_release = busy ? ConsumptionRelease::answered : ConsumptionRelease::arrived;
  return model;
}

/// Whether such nodes, which the model does not have, are judged beside these routers.
inline bool may_answer(const RouterModel& model) {
  const auto& fixed = model.discipline().fixes;
  return !model.answered() && !model.cut_through &&
         std::find(fixed.begin(), fixed.end(), "consumption_release") == fixed.end();
}

/// True where a header takes any free virtual channel of its class, not the one that its route states.
inline bool allocates(const RouterModel& model, const Topology& topology) {
  return model.discipline().chooses_vcs ||
         (model.copies == Copies::serial && topology.spec().virtual_channels > 1 &&
          model.output_arbitration == OutputArbitration::rotating && model.flit_cycles == 1);
}

/// True where virtual channels take turns on a link.
inline bool vcs_share_links(const RouterModel& model, const Topology& topology) {
  return model.shared_links && topology.spec().virtual_channels != 1;
}

/// Where routers copy: whether a branch that is blocked may hold up the others for good. Elsewhere: whether
/// one of any worm may.
inline bool branches_hold_up(const RouterModel& model, std::uint64_t flits) {
  const Discipline& discipline = model.discipline();
  if (!discipline.routers_copy()) return !model.cut_through;
  return discipline.branches_hold_up(model.cut_through ? model.buffer_flits : flits, model.buffer_flits);
}

/// True where a consumption channel of one input serves the worm there before any other could want it.
inline bool own_input_serves(const RouterModel& model, std::uint64_t flits) {
  return !model.answered() && !outgrows_buffers(model, flits) && !model.discipline().locks_arbiters;
}

/// True where routers join parts of a reduction flit by flit, as they copy.
inline bool joins_by_flit(const RouterModel& model) { return model.discipline().copies_flit_by_flit(); }

/// True where routers join parts of a reduction by request: its header goes on when all of them have come.
inline bool joins_by_request(const RouterModel& model) {
  return model.discipline().joins && !model.cut_through && model.serves_first_come() && !model.answered();
}

/// Throws InputError on the option of what is not judged where routers choose the way, or nodes answer.
void refuse_with_choices(const RouterModel& model);

/// True where routers grant one channel after the other, copy as plans say, and take nothing again that has
/// not drained or is to be answered.
inline bool grants_plainly(const RouterModel& model) {
  return model.discipline().parameter.empty() && !model.reuses_early() && !model.answered();
}

/// True where several worms can stand in one FIFO between routers, one behind the other.
inline bool shares_buffers(const RouterModel& model) {
  return model.reuses_early() && !model.cut_through && !model.discipline().grants_ways;
}

}  // namespace wormcast

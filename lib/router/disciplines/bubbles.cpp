// Bubbles: on rings a header needs so many slots that the worms there never fill them.
//
// Virtual cut-through (packet bubble): slots for its whole worm, to enter a ring for two. Wormhole (flit
// bubble): one slot, to enter a ring slots for its whole worm and one more. So a ring keeps a free slot,
// which moves against the worms and lets each go on; worms that differ in length can waste what a packet
// bubble keeps.
// SPDX-License-Identifier: MIT
#include "router/discipline.hpp"

namespace wormcast {

extern const Discipline discipline_packet_bubble = {
    .name = "packet-bubble",
    .cite = "Carrión, Beivide, Gregorio, Vallejo 1997; Puente et al. 1999",
    .parameter = "ring_entry",
    .chosen = [](const RouterModel& m) { return m.ring_entry == RingEntry::packet_bubble; },
    .choose = [](RouterModel& m) { m.ring_entry = RingEntry::packet_bubble; },
    .slots = [](std::uint64_t flits, bool enters) { return enters ? 2 * flits : flits; },
    .longest = [](std::uint64_t slots) { return slots / 2; },
    .rings_of_one_length = true,
    .explored = true,
    .fixes = {"consumption_release", "output_arbitration"},
    .because = "of the headers that have slots the first is served",
    .reuses_early = true,
    .judges_packets = false,
    .not_with_choices = "is not judged where routers choose",
    .rule = "ring-entry",
    .without = &discipline_as_planned,
};

extern const Discipline discipline_flit_bubble = {
    .name = "flit-bubble",
    .cite = "Ma, Wang, Liu, Enright Jerger, Chen 2015 (localized)",
    .parameter = "ring_entry",
    .chosen = [](const RouterModel& m) { return m.ring_entry == RingEntry::flit_bubble; },
    .choose = [](RouterModel& m) { m.ring_entry = RingEntry::flit_bubble; },
    .slots = [](std::uint64_t flits, bool enters) { return enters ? flits + 1 : 1; },
    .longest = [](std::uint64_t slots) { return slots - 1; },
    .explored = true,
    .fixes = {"consumption_release", "output_arbitration"},
    .because = "of the headers that have slots the first is served",
    .reuses_early = true,
    .judges_packets = false,
    .not_with_choices = "is not judged where routers choose",
    .rule = "ring-entry",
    .without = &discipline_as_planned,
};

}  // namespace wormcast

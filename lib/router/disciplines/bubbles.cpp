// Bubbles: on rings a header needs so many slots that the worms there never fill them.
//
// Virtual cut-through (packet bubble): slots for its whole worm, to enter a ring for two. Wormhole (flit
// bubble): one slot, to enter a ring slots for its whole worm and one more. So a ring keeps a free slot,
// which moves against the worms and lets each go on; worms that differ in length can waste what a packet
// bubble keeps.
// SPDX-License-Identifier: MIT
#include "router/discipline.hpp"

namespace wormcast {
namespace {

/// What both have in common.
constexpr Discipline bubble(std::string_view name, std::string_view cite) {
  return {
      .name = name,
      .cite = cite,
      .parameter = "ring_entry",
      .explored = true,
      .fixes = {"consumption_release", "output_arbitration"},
      .because = "of the headers that have slots the first is served",
      .reuses_early = true,
      .judges_packets = false,
      .not_with_choices = "is not judged where routers choose",
      .rule = "ring-entry",
      .without = &discipline_as_planned,
  };
}

constexpr Discipline packet_bubble() {
  Discipline packets =
      bubble("packet-bubble", "Carrión, Beivide, Gregorio, Vallejo 1997; Puente et al. 1999");
  packets.chosen = [](const RouterModel& m) { return m.ring_entry == RingEntry::packet_bubble; };
  packets.choose = [](RouterModel& m) { m.ring_entry = RingEntry::packet_bubble; };
  packets.slots = [](std::uint64_t flits, bool enters) { return enters ? 2 * flits : flits; };
  packets.longest = [](std::uint64_t slots) { return slots / 2; };
  packets.rings_of_one_length = true;
  return packets;
}

constexpr Discipline flit_bubble() {
  Discipline flits = bubble("flit-bubble", "Ma, Wang, Liu, Enright Jerger, Chen 2015 (localized)");
  flits.chosen = [](const RouterModel& m) { return m.ring_entry == RingEntry::flit_bubble; };
  flits.choose = [](RouterModel& m) { m.ring_entry = RingEntry::flit_bubble; };
  flits.slots = [](std::uint64_t worm, bool enters) { return enters ? worm + 1 : 1; };
  flits.longest = [](std::uint64_t slots) { return slots - 1; };
  return flits;
}

}  // namespace

extern constexpr Discipline discipline_packet_bubble = packet_bubble();
extern constexpr Discipline discipline_flit_bubble = flit_bubble();

}  // namespace wormcast

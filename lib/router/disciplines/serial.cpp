// Serial copies: the router reads the whole worm for one branch, then again for the next.
//
// Nothing is read again unless it is still there: a worm that branches and does not fit into a buffer blocks
// itself. One that fits is there as a whole for each branch in turn, so a blocked branch holds up those
// behind it in the order of copies alone. Under virtual cut-through a copy is read when it can be: it holds
// up no other.
// SPDX-License-Identifier: MIT
#include "router/discipline.hpp"

namespace wormcast {

extern const Discipline discipline_serial = {
    .name = "serial copies",
    .cite = "ProNoC (router_two_stage, MULTICAST_FULL, NONATOMIC)",
    .parameter = "replication",
    .chosen = [](const RouterModel& m) { return m.copies == Copies::serial && !m.cut_through; },
    .choose = [](RouterModel& m) { m.copies = Copies::serial; },
    .copies = Copies::serial,
    .branches_hold_up = [](std::uint64_t flits, std::uint64_t slots) { return flits > slots; },
    .buffers_sources = true,
    .explored = true,
    .fixes = {"shared_links", "consumption_release"},
    .because = "which copy is made next would depend on the link, or on an answer",
    .reuses_early = true,
    .not_with_choices = "such copies are not judged where routers choose",
};

}  // namespace wormcast

// Two steps: a header is granted all its outputs in one cycle, once each is free and has a slot, and uses
// them from the next cycle on, if they still have.
//
// All copies move in lock step, and what is consumed is not held up. A header that waits holds no output, but
// the arbiter of a router serves one worm of several outputs at a time and may be locked meanwhile. Before
// each buffer stands a register, which takes one flit more where that follows without a gap.
// SPDX-License-Identifier: MIT
#include "router/discipline.hpp"

namespace wormcast {

extern const Discipline discipline_two_step = {
    .name = "two-step grants",
    .cite = "ESP (lookahead_router_multicast, ack/nack)",
    .parameter = "allocation",
    .chosen = [](const RouterModel& m) { return m.allocation == Allocation::two_step; },
    .choose = [](RouterModel& m) { m.allocation = Allocation::two_step; },
    .copies = Copies::lock_step,
    .branches_hold_up = [](std::uint64_t flits, std::uint64_t) { return flits > 1; },
    .grants_nodes = true,
    .locks_arbiters = true,
    .slots = [](std::uint64_t, bool) { return std::uint64_t{1}; },
    .registers = 1,
    .explored = true,
    .fixes = {"shared_links", "consumption_release", "output_arbitration"},
    .because =
        "a router's one arbiter grants outputs, which have no virtual channels, in an order of its own",
    .reuses_early = true,
    .judges_packets = false,
    .not_with_choices = "such copies are not judged where routers choose",
};

}  // namespace wormcast

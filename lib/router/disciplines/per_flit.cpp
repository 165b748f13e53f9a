// Flit by flit: the router copies, and a flit stays at the head of its buffer until every branch has taken
// it.
//
// Each branch takes it when it can, so none is more than a flit ahead of the others; consumption is one more.
// A worm of one flit leaves nothing behind it, so no branch of it holds up another.
// SPDX-License-Identifier: MIT
#include "router/discipline.hpp"

namespace wormcast {

extern const Discipline discipline_per_flit = {
    .name = "per flit",
    .cite = "PULP platform, FlooNoC (floo_router); BookSim 2 (iq router)",
    .parameter = "replication",
    .chosen = [](const RouterModel& m) { return m.copies == Copies::per_flit; },
    .choose = [](RouterModel& m) { m.copies = Copies::per_flit; },
    .copies = Copies::per_flit,
    .branches_hold_up = [](std::uint64_t flits, std::uint64_t) { return flits > 1; },
    .beyond_buffers = 2,
};

}  // namespace wormcast

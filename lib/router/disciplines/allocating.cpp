// Allocating routers: virtual channels, and the crossbar flit by flit, are matched by iSLIP, one iteration a
// cycle.
//
// A header asks for free virtual channels that its routing allows; copies are made flit by flit. Simulated by
// simulation/allocating; verdicts are proved for routers that copy flit by flit in their place (lib/proofs).
// SPDX-License-Identifier: MIT
#include "router/discipline.hpp"

namespace wormcast {

extern const Discipline discipline_allocating = {
    .name = "allocated virtual channels",
    .cite = "McKeown 1999; Jiang et al. 2013 (BookSim 2, iq router)",
    .parameter = "vc_allocation",
    .chosen = [](const RouterModel& m) { return m.vc_allocation == VcAllocation::islip; },
    .choose = [](RouterModel& m) { m.vc_allocation = VcAllocation::islip; },
    .copies = Copies::per_flit,
    .branches_hold_up = [](std::uint64_t flits, std::uint64_t) { return flits > 1; },
    .beyond_buffers = 2,
    .chooses_vcs = true,
    .fixes = {"consumption_release", "output_arbitration", "arbitration", "flit_cycles"},
    .because = "inputs are matched with outputs and links by iSLIP, a flit a cycle",
    .judges_packets = false,
};

}  // namespace wormcast

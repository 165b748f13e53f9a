// Atomic allocation: the outputs of a lock-step node are granted all at once or not at all.
//
// A request for several outputs stands in the queue of each and is granted when it is first in all and all
// are free, so no output is held while another one beside it is waited for; but what it waits for, others
// wait for with it.
// SPDX-License-Identifier: MIT
#include "router/discipline.hpp"

namespace wormcast {

extern const Discipline discipline_atomic = {
    .name = "atomic allocation",
    .cite = "derived here, rule 9 of data/pages/simulator.md",
    .parameter = "allocation",
    .chosen = [](const RouterModel& m) { return m.allocation == Allocation::atomic; },
    .choose = [](RouterModel& m) { m.allocation = Allocation::atomic; },
    .grants_nodes = true,
    .queues_jointly = true,
    .fixes = {"consumption_release", "output_arbitration"},
    .because = "a worm that asks for several outputs at once waits in queues",
    .rule = "allocation atomic",
    .without = &discipline_as_planned,
};

}  // namespace wormcast

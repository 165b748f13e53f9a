// Path reservation: a worm has everything on its way, injection and consumption included, before it starts.
//
// Until it is the first in all its queues and all is free it waits at its source and holds nothing, so that
// nothing is held while anything is waited for: no set of worms can block itself.
// SPDX-License-Identifier: MIT
#include "router/discipline.hpp"

namespace wormcast {

extern const Discipline discipline_reserved = {
    .name = "path reservation",
    .cite = "derived here",
    .parameter = "path_reservation",
    .chosen = [](const RouterModel& m) { return m.path_reservation; },
    .choose =
        [](RouterModel& m) {
          m.path_reservation = true;
          m.output_arbitration = OutputArbitration::first_come;
        },
    .grants_ways = true,
    .fixes = {"consumption_release", "output_arbitration"},
    .because = "worms wait at their sources, in one queue for all that is on their way",
    .not_with_choices = "a way that routers choose cannot be reserved",
    .rule = "path-reservation",
    .without = &discipline_as_planned,
};

}  // namespace wormcast

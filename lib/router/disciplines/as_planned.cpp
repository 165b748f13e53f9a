// As planned: a header asks for one channel after the other, and holds what it has been granted.
//
// Worms are copied as their plans say, together or each branch by itself; a path, and lock-step copies, move
// as one. What a blocked worm keeps follows from its length and its buffers alone (worm_footprint.hpp).
// SPDX-License-Identifier: MIT
#include "router/discipline.hpp"

namespace wormcast {

extern const Discipline discipline_as_planned = {
    .name = "as planned",
    .cite = "Dally, Seitz 1987; Lin, McKinley, Ni 1994",
    .chosen = [](const RouterModel&) { return true; },
    .joins = true,
    .rule = "replication as-planned",
    .without = &discipline_per_flit,
};

}  // namespace wormcast

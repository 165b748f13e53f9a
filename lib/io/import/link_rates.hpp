// What widths and speeds of links mean: how long a flit occupies each, beside the fastest.
// SPDX-License-Identifier: MIT
#pragma once

#include "io/import/format.hpp"

namespace wormcast::io {

/// Gives every link of a graph that is slower than the fastest flit_cycles, if it states none: how many times
/// as long the same bits take, rounded up. Rate: lanes times what a lane carries by its speed. Links whose
/// rate is not known while others' are, or whose speed is not understood, are noted and get nothing.
void rate_links(Imported& imported);

}  // namespace wormcast::io

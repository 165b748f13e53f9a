// How long a unicast-based multicast takes if messages that share a link share its bandwidth.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "multicast/routes.hpp"

namespace wormcast {

/// Time until every worm has arrived, in thousandths of a step (the time of one message alone on its
/// links), rounded to the nearest. The other end of the scale from run_steps: nothing is blocked, but
/// a message is as slow as its most crowded link makes it, and its sender is busy for as long. A node
/// sends one message at a time, in plan order.
std::uint64_t fluid_millisteps(const Routes& routes);

}  // namespace wormcast

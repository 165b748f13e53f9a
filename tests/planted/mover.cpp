// The search's flits with a fault, in place of the library's: a channel that another worm holds is granted.
// SPDX-License-Identifier: MIT
#include "router/shared_worms.hpp"

namespace wormcast {

bool SharedWorms::available(const SharedState&, Place) const { return true; }

}  // namespace wormcast

// Footprints with a fault, in place of the library's: a blocked worm keeps nothing.
// SPDX-License-Identifier: MIT
#include "router/worm_footprint.hpp"

namespace wormcast {

StepSet Footprint::kept(const StepSet&, bool) const { return none(); }

}  // namespace wormcast

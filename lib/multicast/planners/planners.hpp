// Declares the entry of every planner, which the planner's own file defines.
// SPDX-License-Identifier: MIT
#pragma once

#include "multicast/planner.hpp"

namespace wormcast {

#define PLANNER(name)           \
  namespace planner_##name {    \
    extern const Planner entry; \
  }
#include "multicast/planners/planners.def"
#undef PLANNER

}  // namespace wormcast

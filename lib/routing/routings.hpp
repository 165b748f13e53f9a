// Declares the entry of every routing function, which the function's own file defines.
// SPDX-License-Identifier: MIT
#pragma once

#include "routing/routing_function.hpp"

namespace wormcast {

#define ROUTING(name)                \
  namespace routing_##name {         \
    extern const RoutingEntry entry; \
  }
#define ALIAS(alias, name)
#include "routing/routing_functions.def"
#undef ROUTING
#undef ALIAS

}  // namespace wormcast

// How a routing function is bound that needs the network and constants alone.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "routing/routing_function.hpp"

namespace wormcast {

/// `bind` of a RoutingEntry.
template <class Function, auto... constants>
std::unique_ptr<const RoutingFunction> bound(const Topology& topology) {
  return std::make_unique<Function>(topology, constants...);
}

}  // namespace wormcast

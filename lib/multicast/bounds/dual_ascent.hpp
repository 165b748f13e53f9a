// A lower bound on the channels of a tree from a source to its destinations.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "topology/topology.hpp"

namespace wormcast {

/// No tree of channels from points[0] to all other routers of `points` has fewer. Less than the best such
/// bound, down to 0, where the network or the search is too large.
std::uint64_t dual_ascent_bound(const Topology& topology, std::span<const NodeId> points);

}  // namespace wormcast

// The length of a least Steiner tree, exactly, for few end points.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "topology/topology.hpp"

namespace wormcast {

/// Channels of a least tree that joins the routers `points`, all different. Nothing where that would
/// take more than some ten million steps.
std::optional<std::uint64_t> steiner_length(const Topology& topology, std::span<const NodeId> points);

}  // namespace wormcast

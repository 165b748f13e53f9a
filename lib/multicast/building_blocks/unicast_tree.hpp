// Multicast trees of unicasts by recursive halving of an ordered chain of nodes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "multicast/plan.hpp"
#include "multicast/request.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// The unicasts that spread the message of `chain[source]` over the chain in ⌈log2 m⌉ steps, step by
/// step, each `after` the one that informed its sender. Halves the chain again and again; the holder
/// of one half sends to the node of the other half that is nearest in the chain, so a source that
/// leads the chain always sends to the first node of the upper half.
std::vector<Worm> unicast_tree(std::span<const HostId> chain, std::size_t source);

/// The source and its destinations, lexicographic with the dimension that is routed first as the most
/// significant one. Hosts are nodes, on meshes, tori and hypercubes.
std::vector<HostId> dimension_ordered_chain(const Topology& topology, const Request& request);

}  // namespace wormcast

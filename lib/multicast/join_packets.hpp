// Routes as routers see them that join flit by flit, and what they cannot do.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "multicast/routes.hpp"
#include "router/joining_mesh.hpp"
#include "router/router_model.hpp"

namespace wormcast {

/// The channel by which flits come to an input of the router, or leave by an output.
ChannelId channel_into(const Topology& topology, NodeId node, MeshSide input);
ChannelId channel_out_of(const Topology& topology, NodeId node, MeshSide output);

/// The packet that carries worm `index` of a multicast, or of a reduction. A reduction of several parts goes
/// by dimension order, from 2^k sources: every one is another with some bits of its coordinates flipped.
/// Throws InputError where that does not hold. A single part is a worm.
JoinPacket packet_of(const Topology& topology, const Request& request, const WormRoute& route,
                     std::size_t index, std::uint32_t usual_header);

/// Throws InputError where the network or the router is not one that joins flit by flit.
void check_joining(const Topology& topology, const RouterModel& model);

}  // namespace wormcast

// Walks legs by the half's routing function.
// SPDX-License-Identifier: MIT
#include "multicast/stars/disjoint_stars.hpp"

namespace wormcast {
namespace {

void walk(const RoutingFunction& routing, NodeId at, NodeId to, Channels& channels) {
  RoutingState state = routing.first(at, to, 0);
  while (at != to) {
    const RoutingStep step = routing.next(at, state, to);
    channels.push_back(step.channel.value);
    at = step.to;
    state = step.state;
  }
}

}  // namespace

Channels first_leg_channels(const StarHalf& half, std::size_t port, std::size_t j) {
  const StarPort& leaves_by = half.ports()[port];
  Channels channels{leaves_by.channel.value};
  walk(half.routing(), leaves_by.neighbour, half.node(j), channels);
  return channels;
}

Channels leg_channels(const StarHalf& half, std::size_t i, std::size_t j) {
  Channels channels;
  walk(half.routing(), half.node(i), half.node(j), channels);
  return channels;
}

}  // namespace wormcast

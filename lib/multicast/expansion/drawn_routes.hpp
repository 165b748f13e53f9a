// Ways that are drawn for each worm when it is planned: Valiant's intermediate routers and the like.
//
// A routing function is pure, so what goes by chance stands in the plan: the class of each worm. Whoever
// reads the plan expands it to the same routes, in any order and in parts.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "multicast/plan.hpp"
#include "routing/routing_function.hpp"

namespace wormcast {

/// The seed that `text` says. Throws InputError ("--routing-seed") unless it is an integer from 0 to 2^53−1.
std::uint64_t routing_seed(std::string_view text);

/// Draws the class of every worm of multicast `id`, uniform among the choices of `routing` from its source to
/// its first stop. The draws depend on seed, multicast, place of the worm and choices alone.
void draw_classes(const RoutingFunction& routing, std::uint64_t seed, std::uint64_t id,
                  std::vector<Worm>& worms);

}  // namespace wormcast

// InfiniBand's service levels: a packet keeps its level for life, and every switch chooses the virtual
// channel (its virtual lane) on the next link by the level and the two ports that the packet comes and leaves
// by. cite: InfiniBand architecture, volume 1, 7.6 (virtual lanes), 7.6.6 (SL to VL mapping).
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

namespace wormcast {

/// Levels are 0 to 15.
inline constexpr std::uint32_t service_levels = 16;
/// In place of a level: what holds whichever of them a packet has.
inline constexpr std::uint32_t every_level = service_levels;
/// In place of a virtual channel: a packet of that level is dropped (lane 15 carries management alone).
inline constexpr std::uint8_t no_lane = 15;
/// The virtual channel of each level.
using LevelVcs = std::array<std::uint8_t, service_levels>;

}  // namespace wormcast

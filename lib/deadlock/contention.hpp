// Contention among the worms of one multicast: within a nominal step, and under arbitrary delays.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "multicast/routes.hpp"

namespace wormcast {

/// What two worms must have in common to contend.
enum class ContentionOn : std::uint8_t {
  virtual_channels,  ///< a (channel, VC)
  physical_links     ///< a channel: its virtual channels share one link
};

/// Two worms of a multicast, by index; first < second.
using WormPair = std::pair<std::uint32_t, std::uint32_t>;

/// Worms that are sent in the same nominal step (multicast/measures.hpp).
struct StepContention {
  std::uint32_t steps = 0;        ///< nominal steps of the plan
  std::uint32_t least_steps = 0;  ///< of unicasts, by nodes with one port
  std::uint64_t blocked = 0;      ///< worms left out when each step admits worms in plan order
  std::uint64_t shared = 0;       ///< channels (or virtual channels) with two or more worms, over the steps
  std::vector<WormPair> pairs;    ///< sorted; pairs with a channel in common
};

StepContention step_contention(const Routes& routes, ContentionOn on);

/// Pairs of worms for which none of the four conditions of Theorem 1 holds, sorted. With t ≤ τ for a
/// worm α → β sent in step t and a worm γ → δ in step τ: γ has the message through β; they have no
/// channel in common; γ = α; γ has it through a later send of α. Without such pairs the multicast
/// is depth contention-free: no delays can make two of its worms contend. Self-contained worms (paths,
/// trees) count as one send each. cite: McKinley, Xu, Esfahanian, Ni 1994.
std::vector<WormPair> depth_contention(const Routes& routes, ContentionOn on);

}  // namespace wormcast

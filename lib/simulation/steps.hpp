// The step model of unicast-based multicast: every message takes one step, and of messages that want one
// physical link in the same step only one gets through.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "multicast/routes.hpp"

namespace wormcast {

/// What a blocked message delays. The paper leaves it open.
enum class StepReading : std::uint8_t {
  one_port,  ///< all that its sender sends after it, and all that its receiver sends
  literal,   ///< only what its receiver sends: the sender goes on as planned
  nominal    ///< nothing; conflicts are only counted
};

/// Which of the messages that want one link gets through.
enum class StepPriority : std::uint8_t {
  older,   ///< the one of the earlier nominal step, then the earlier position in the chain
  chain,   ///< the earlier position in the chain
  subtree  ///< the one through which most worms get their message, then the older
};

inline constexpr std::string_view step_reading_names[] = {"one-port", "literal", "nominal"};
inline constexpr std::string_view step_priority_names[] = {"older", "chain", "subtree"};

struct StepModel {
  StepReading reading = StepReading::one_port;
  StepPriority priority = StepPriority::older;
};

/// How one multicast went, all alone in the network.
struct StepRun {
  std::uint64_t steps = 0;        ///< until every destination has the message
  std::uint64_t least_steps = 0;  ///< no multicast of unicasts to so many one-port nodes takes fewer
  std::vector<std::uint64_t> arrival_steps;  ///< parallel to the destinations, from 1; 0: the source itself
  std::uint64_t blocked = 0;                 ///< times that a message did not get through in a step
  std::uint64_t shared_links = 0;            ///< links that several messages wanted, over the steps
  std::uint64_t sharing_pairs = 0;           ///< pairs of messages that wanted a link in the same step
};

/// Worms of any shape count as one message. Throws InputError where the routes leave a destination out.
StepRun run_steps(const Routes& routes, const StepModel& model);

/// Time until every worm has arrived, in thousandths of a step (the time of one message alone on its
/// links), rounded to the nearest. The other end of the scale from run_steps: nothing is blocked, but
/// a message is as slow as its most crowded link makes it, and its sender is busy for as long. A node
/// sends one message at a time, in plan order.
std::uint64_t fluid_millisteps(const Routes& routes);

}  // namespace wormcast

// Exhaustive exploration of everything a few worms can do: the slow measure of the exact search.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "deadlock/plain/plain_worm.hpp"
#include "multicast/routes.hpp"
#include "topology/random.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// One request, made when everything before it has come to rest: the worm and the hop it asks for (of an
/// atomic node one of those it asks for), −1: it starts.
struct ExploredRequest {
  std::uint32_t worm = 0;
  std::int32_t hop = -1;
};

/// How a worm stands in a deadlock, by hop + 1; at 0: its source.
struct StandingWorm {
  bool ready = false;                    ///< all that it awaits has arrived
  std::vector<bool> firm;                ///< granted, and no other worm's tail stands before it in the FIFO
  std::vector<bool> held;                ///< and its own tail has not left (consumption: not entered)
  std::vector<bool> waits;               ///< its header can go there next, but it is not granted or not firm
  std::vector<std::uint32_t> waits_for;  ///< worms that stand before it there; ascending
  bool keeps_port = false;               ///< an answer: it has what it answers came by
};

struct Exploration {
  /// Requests that lead from empty buffers to a deadlock. Each is granted at once, except
  /// that one for what atomic nodes ask for together may be made early, and then waits in its queues.
  std::optional<std::vector<ExploredRequest>> deadlock;
  std::vector<StandingWorm> standing;  ///< in it, by worm
  bool exhausted = false;              ///< every state was seen
  std::uint64_t states = 0;
};

/// Explores every order of requests. At most `limit` states are looked at.
Exploration explore(const Topology& topology, const RouterModel& model,
                    const std::vector<ExploredWorm>& worms, std::uint64_t limit);
/// Indices of multicasts whose worms, of so many flits, block each other after one order of requests that is
/// drawn step by step: each waits for the next. None if all arrive.
std::vector<std::size_t> drawn_standstill(const Topology& topology, const RouterModel& model,
                                          const std::vector<Routes>& multicasts, std::uint64_t flits,
                                          Random& random);

}  // namespace wormcast

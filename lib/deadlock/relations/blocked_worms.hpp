// Worms that stand still for good: each holds a piece of its way, and all that its router offers it is held.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "deadlock/relations/relation_graph.hpp"
#include "deadlock/verdict.hpp"

namespace wormcast {

// Escape subfunctions: an order of lanes in which every header, wherever it waits, is offered one that comes
// later than all it can hold.

struct Escape {
  /// The escape's lanes, each later than those that a worm can hold which waits for it as its escape.
  std::vector<ResourceId> numbering;
  std::vector<bool> satisfied;  ///< by place: whether it is offered an escape (places that pass: always)
  std::vector<bool> numbered;   ///< by lane
  bool complete = false;        ///< every place is, and all that others take is numbered
};

/// The largest escape there is: complete if any is. `others`: dependencies of worms whose routers choose
/// nothing; complete only if all that these take is numbered.
Escape find_escape(const RelationGraph& graph, const DependencyGraph& others = {});

/// A worm that stands: where it began, what it took, where its header waits.
struct RelationWorm {
  std::uint32_t entry = 0;
  std::vector<std::size_t> taken;  ///< indices of the graph's arcs, in order, those of passed stops too
  std::uint32_t waits = 0;         ///< a place where a header waits for any of its arcs
};

struct BlockedWormsRules {
  std::uint32_t held_lanes = 0xffffffff;  ///< most lanes that a worm holds, the last ones on its way
  std::uint32_t worms_a_source = 0;       ///< whose tail is still there; 0: no limit
  std::vector<std::uint32_t> held_of{};   ///< by traffic, in place of held_lanes; may be empty
  bool each_once = false;                 ///< every sort of traffic is one worm
  std::uint64_t partial_sets = 0;         ///< tried at most
  std::uint32_t held_by(std::uint16_t traffic) const {
    return held_of.empty() ? held_lanes : held_of[traffic];
  }
  /// Whether there is such a worm at all, which the legs alone do not say.
  std::function<bool(const RelationWorm&)> exists;
};

struct BlockedWorms {
  std::optional<std::vector<RelationWorm>> worms;  ///< in an order in which they can come to stand
  bool exhausted = false;                          ///< without worms: there are none
  std::uint64_t looked_at = 0;
};

/// The lanes that the worm holds while it waits.
std::vector<ResourceId> held_lanes(const RelationGraph& graph, const RelationWorm& worm, std::uint32_t most);
/// Every lane that it took on its way.
std::vector<ResourceId> taken_lanes(const RelationGraph& graph, const RelationWorm& worm);

BlockedWorms find_blocked_worms(const RelationGraph& graph, const Escape& escape,
                                const BlockedWormsRules& rules);

/// The hosts at which a worm stops, from the first one to the one that it is on its way to; `joined`: how
/// many of them belong to the worm it began as, the rest to the reply that goes on from there.
struct WormStops {
  std::uint32_t sort = 0;
  std::vector<HostId> hosts;
  std::size_t joined = 0;
};
/// True if no lane stands twice among those that the worm took: its hops can be fixed.
bool takes_each_once(const RelationGraph& graph, const RelationWorm& worm);
/// Why hops that witnesses fix cannot say these worms; nullptr where they can.
const char* not_fixable(const std::vector<WitnessWorm>& witness);
WormStops stops_of(const RelationGraph& graph, const RelationWorm& worm);

/// Worms of so many `flits` each in the order of their starts, each with the whole way to where it was going:
/// as it went, then any shortest one. They start one after the other, and ask for what they never get when
/// all of them stand.
std::vector<WitnessWorm> time_blocked_worms(const RelationGraph& graph, const RouterModel& model,
                                            const std::vector<std::uint64_t>& flits,
                                            const std::vector<RelationWorm>& worms);

}  // namespace wormcast

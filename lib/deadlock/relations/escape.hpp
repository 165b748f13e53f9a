// Escape subfunctions: an order of lanes in which every header, wherever it waits, is offered one that comes
// later than all it can hold.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "deadlock/relations/relation_graph.hpp"

namespace wormcast {

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

}  // namespace wormcast

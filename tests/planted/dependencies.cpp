// Dependencies with a fault, in place of the library's: branches of a worm never wait for each other.
// SPDX-License-Identifier: MIT
#include "deadlock/graph/dependency_graph.hpp"

namespace wormcast {

void DependencyGraph::add_sibling_dependencies(const Footprint&, std::int32_t, const CauseOf&) {}

}  // namespace wormcast

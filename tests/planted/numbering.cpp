// Orders of resources with a fault, in place of the library's: any graph is taken for acyclic, in the order
// of ids.
// SPDX-License-Identifier: MIT
#include "deadlock/graph/dependency_graph.hpp"

namespace wormcast {

void DependencyOrder::number() {
  acyclic_ = true;
  for (std::uint32_t r = 0; r < graph_->taken().size(); ++r)
    if (graph_->taken()[r]) numbering_.push_back(ResourceId{r});
}

}  // namespace wormcast

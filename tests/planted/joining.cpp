// How routers join parts flit by flit with a fault, in place of the library's: reductions to one root are
// one.
// SPDX-License-Identifier: MIT
#include "router/joining_mesh.hpp"

namespace wormcast {

bool JoiningMesh::same_reduction(const JoinFlit& a, const JoinFlit& b) const {
  return packets_[a.packet].root == packets_[b.packet].root;
}

}  // namespace wormcast

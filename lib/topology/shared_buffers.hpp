// What early reuse of virtual channels and copies flit by flit mean for the buffers of blocked worms.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "topology/router_model.hpp"

namespace wormcast {

/// True where several worms can stand in one FIFO between routers, one behind the other.
inline bool shares_buffers(const RouterModel& model) {
  return model.vc_reuse == VcReuse::early && !model.cut_through && !model.path_reservation;
}

/// A blocked worm of so many flits more than all buffers on its way hold leaves nothing behind it: its tail
/// has not left the source by any branch.
inline std::uint64_t beyond_buffers(const RouterModel& model) {
  return model.copies == Copies::per_flit ? 2 : 1;
}

}  // namespace wormcast

// Checks worms that are said to stand still for good under routing relations.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "deadlock/verdict.hpp"
#include "multicast/plan.hpp"
#include "routing/routing_function.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// What a worm of a witness is allowed to do.
struct AllowedWorm {
  Worm worm;  ///< a chain
  const RoutingFunction* routing = nullptr;
  bool routers_choose = true;
  std::uint32_t vc_offset = 0;
  /// From the last stop a reply goes there, joined so.
  std::optional<HostId> reply_to{};
  const RoutingFunction* reply_routing = nullptr;
  bool reply_routers_choose = true;
  std::uint32_t reply_vc_offset = 0;
};

/// Why the witness is no standstill that can come about; "" if it is. `allowed`: in the order of the witness.
std::string refuse_relation_witness(const Topology& topology, const RouterModel& model,
                                    const std::vector<WitnessWorm>& witness,
                                    const std::vector<AllowedWorm>& allowed);

}  // namespace wormcast

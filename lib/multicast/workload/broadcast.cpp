// Pattern `broadcast`: every other node.
// SPDX-License-Identifier: MIT
#include "multicast/legs.hpp"
#include "multicast/workload/pattern.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

DestinationPattern bind_broadcast(const Topology& topology, const PatternOptions&) {
  if (topology.host_count() < 2)
    refuse("--pattern", "'broadcast' needs two nodes, {} has one", topology.name());
  return {[&topology](HostId source, Random&) { return all_but(topology, source); }};
}

}  // namespace

extern const PatternEntry pattern_broadcast = {
    .name = "broadcast",
    .summary = "every other node",
    .topologies = "all",
    .bind = bind_broadcast,
};

}  // namespace wormcast

// Pattern `broadcast`: every other node.
// SPDX-License-Identifier: MIT
#include "multicast/workload/pattern.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

DestinationPattern bind_broadcast(const Topology& topology, const PatternOptions&) {
  if (topology.hosts() < 2) refuse("--pattern", "'broadcast' needs two nodes, {} has one", topology.name());
  return {[hosts = topology.hosts()](HostId source, Random&) {
    std::vector<HostId> result;
    result.reserve(hosts - 1);
    for (std::uint32_t host = 0; host < hosts; ++host)
      if (host != source.value) result.push_back(HostId{host});
    return result;
  }};
}

}  // namespace

extern const PatternEntry pattern_broadcast = {
    .name = "broadcast",
    .summary = "every other node",
    .topologies = "all",
    .bind = bind_broadcast,
};

}  // namespace wormcast

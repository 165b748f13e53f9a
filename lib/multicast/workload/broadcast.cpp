// Pattern `broadcast`: every other node.
// SPDX-License-Identifier: MIT
#include "multicast/workload/pattern.hpp"
#include "topology/refuse.hpp"

namespace wormcast::pattern_broadcast {
namespace {

DestinationPattern bind(const Topology& topology, const PatternOptions&) {
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

const PatternEntry entry = {
    .name = "broadcast",
    .summary = "every other node",
    .topologies = "all",
    .bind = bind,
};

}  // namespace wormcast::pattern_broadcast

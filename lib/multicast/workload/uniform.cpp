// Pattern `uniform`: K destinations, every set of K other nodes equally likely; with K = 1 the
// uniform unicast traffic of the literature.
//
// Draws: the number of destinations first where it is a range, then Floyd's sample of the nodes
// with the source left out.
// cite: Dally, Towles 2004, Principles and Practices of Interconnection Networks, table 3.1
// SPDX-License-Identifier: MIT
#include "multicast/workload/pattern.hpp"

namespace wormcast {
namespace {

DestinationPattern bind_uniform(const Topology& topology, const PatternOptions& options) {
  return {[&topology, hosts = topology.host_count(),
           range = parse_destination_count(topology, options.destinations)](
              HostId source, Random& random) -> std::vector<HostId> {
    const auto count = static_cast<std::uint32_t>(random.between(range.least, range.most));
    const std::uint32_t own = topology.place_of(source);
    const auto host = [&](std::uint32_t other) { return topology.nth_host(other < own ? other : other + 1); };
    // A set of one is a draw.
    if (count == 1) return {host(static_cast<std::uint32_t>(random.below(hosts - 1)))};
    std::vector<HostId> result;
    result.reserve(count);
    for (const std::uint32_t other : sample(random, count, hosts - 1)) result.push_back(host(other));
    return result;
  }};
}

}  // namespace

extern const PatternEntry pattern_uniform = {
    .name = "uniform",
    .summary = "K (or K1 to K2) destinations, every set equally likely; K = 1 unless said",
    .topologies = "all",
    .cite = "Dally, Towles 2004, table 3.1",
    .options = {"--destinations"},
    .bind = bind_uniform,
};

}  // namespace wormcast

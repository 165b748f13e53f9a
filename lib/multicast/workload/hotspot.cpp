// Pattern `hotspot`: uniform destinations with a share of the traffic to a few nodes.
//
// With probability --hotspot-share one of the K destinations is one of the --hotspot nodes, each equally
// likely, and the others are any other nodes; else all are any other nodes, every set equally likely. A hot
// spot that draws itself sends to any others. Draws: the number of destinations where it is a range, share,
// hot spot, sample.
// cite: Pfister, Norton 1985, "Hot spot contention and combining in multistage interconnection networks"
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "multicast/workload/pattern.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

DestinationPattern bind_hotspot(const Topology& topology, const PatternOptions& options) {
  if (topology.host_count() < 2)
    refuse("--pattern", "'hotspot' needs two nodes, {} has one", topology.name());
  if (options.hotspot.empty()) throw InputError("--hotspot", "pattern 'hotspot' needs at least one node");
  const Fraction share = options.hotspot_share.empty()
                             ? Fraction{1, 5}
                             : parse_decimal("--hotspot-share", options.hotspot_share);
  if (share.numerator > share.denominator) refuse("--hotspot-share", "{} is above 1", options.hotspot_share);
  return {[&topology, hosts = topology.host_count(),
           spots = parse_hosts(topology, "--hotspot", options.hotspot), is_hot = Bernoulli(share),
           range = parse_destination_count(topology, options.destinations)](
              HostId source, Random& random) -> std::vector<HostId> {
    std::uint32_t count = range.least;
    if (count < range.most) count = static_cast<std::uint32_t>(random.between(count, range.most));
    HostId spot = source;
    if (is_hot(random)) spot = spots[static_cast<std::size_t>(random.below(spots.size()))];
    const std::uint32_t hot = spot == source ? 0 : 1;
    const auto [low, high] =
        std::minmax({topology.place_of(source), hot == 1 ? topology.place_of(spot) : hosts});
    const auto host = [&, low = low, high = high](std::uint32_t other) {  // neither of the two is drawn again
      other += other >= low ? 1 : 0;
      return topology.nth_host(other + (other >= high ? 1 : 0));
    };
    if (count == 1)  // as of a sample
      return {hot == 1 ? spot : host(static_cast<std::uint32_t>(random.below(hosts - 1)))};
    std::vector<HostId> result;
    result.reserve(count);
    for (const std::uint32_t other : sample(random, count - hot, hosts - 1 - hot))
      result.push_back(host(other));
    if (hot == 1) result.insert(std::lower_bound(result.begin(), result.end(), spot), spot);
    return result;
  }};
}

}  // namespace

extern const PatternEntry pattern_hotspot = {
    .name = "hotspot",
    .summary =
        "one of the K destinations is of --hotspot with probability --hotspot-share (0.2), the others "
        "uniform",
    .topologies = "all",
    .cite = "Pfister, Norton 1985",
    .options = {"--hotspot", "--hotspot-share", "--destinations"},
    .bind = bind_hotspot,
};

}  // namespace wormcast

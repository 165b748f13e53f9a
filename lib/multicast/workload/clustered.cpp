// Pattern `clustered`: K destinations near one another.
//
// A centre is drawn uniformly among all nodes; the destinations are a uniform sample of K from the
// smallest ball of hops around it that holds K nodes beside the source, and that is no smaller than
// --radius. A breadth-first search from the centre stops at that ball, so the cost of a multicast is
// the ball's size. Draws: number of destinations, centre, sample.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "multicast/workload/pattern.hpp"
#include "topology/connectivity.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

/// The sorted hosts, without `source`, of the smallest ball around `centre` that holds `count` of them and
/// has at least that radius.
std::vector<HostId> hosts_near(const Adjacency& links, const HostsByRouter& hosts, NodeId centre,
                               HostId source, std::uint32_t count, std::uint64_t radius) {
  std::vector<bool> seen(links.routers());
  std::vector<NodeId> layer{centre};
  std::vector<HostId> ball;
  seen[centre.value] = true;
  for (std::uint64_t hops = 0; !layer.empty() && (hops <= radius || ball.size() < count); ++hops) {
    std::vector<NodeId> farther;
    for (const NodeId node : layer) {
      for (const HostId host : hosts.at(node))
        if (host != source) ball.push_back(host);
      for (const OutChannel& out : links.out(node)) {
        if (seen[out.to.value]) continue;
        seen[out.to.value] = true;
        farther.push_back(out.to);
      }
    }
    layer.swap(farther);
  }
  if (ball.size() < count)
    refuse("--destinations",
           "{} destinations, but only {} nodes beside the source can be reached from router {}", count,
           ball.size(), centre.value);
  std::sort(ball.begin(), ball.end());
  return ball;
}

DestinationPattern bind_clustered(const Topology& topology, const PatternOptions& options) {
  const std::uint64_t radius = options.radius.empty() ? 0 : parse_integer("--radius", options.radius);
  const DestinationCount range = parse_destination_count(topology, options.destinations);
  return {[&topology, range, radius, links = Adjacency(topology), hosts = HostsByRouter(topology)](
              HostId source, Random& random) {
    const auto count = static_cast<std::uint32_t>(random.between(range.least, range.most));
    const HostId centre = topology.nth_host(static_cast<std::uint32_t>(random.below(topology.host_count())));
    const std::vector<HostId> ball =
        hosts_near(links, hosts, topology.router_of(centre), source, count, radius);
    std::vector<HostId> result;
    for (const std::uint32_t i : sample(random, count, static_cast<std::uint32_t>(ball.size())))
      result.push_back(ball[i]);
    return result;
  }};
}

}  // namespace

extern const PatternEntry pattern_clustered = {
    .name = "clustered",
    .summary =
        "K (or K1 to K2) destinations within --radius hops of a random centre, or the least radius that "
        "holds K",
    .topologies = "all",
    .options = {"--destinations", "--radius"},
    .bind = bind_clustered,
};

}  // namespace wormcast

// Pattern `clustered`: K destinations near one another.
//
// A centre is drawn uniformly among all nodes; the destinations are a uniform sample of K from the
// smallest ball of hops around it that holds K nodes beside the source, and that is no smaller than
// --radius. A breadth-first search from the centre stops at that ball, so the cost of a multicast is
// the ball's size. Draws: number of destinations, centre, sample.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "multicast/workload/arguments.hpp"
#include "multicast/workload/pattern.hpp"
#include "topology/connectivity.hpp"
#include "topology/error.hpp"

namespace wormcast::pattern_clustered {
namespace {

class Clustered final : public DestinationPattern {
 public:
  Clustered(const Topology& topology, DestinationCount count, std::uint64_t radius)
      : topology_(&topology), count_(count), radius_(radius), hosts_(topology) {}

  std::vector<HostId> destinations(HostId source, Random& random) const override {
    const auto count = static_cast<std::uint32_t>(random.between(count_.least, count_.most));
    const HostId centre{static_cast<std::uint32_t>(random.below(topology_->hosts()))};
    const std::vector<HostId> ball = hosts_near(topology_->router_of(centre), source, count);
    std::vector<HostId> result;
    for (const std::uint32_t i : sample(random, count, static_cast<std::uint32_t>(ball.size())))
      result.push_back(ball[i]);
    return result;
  }

 private:
  /// The sorted hosts of the ball, without `source`.
  std::vector<HostId> hosts_near(NodeId centre, HostId source, std::uint32_t count) const {
    std::vector<bool> seen(topology_->routers());
    std::vector<NodeId> layer{centre};
    std::vector<HostId> ball;
    seen[centre.value] = true;
    for (std::uint64_t hops = 0; !layer.empty() && (hops <= radius_ || ball.size() < count); ++hops) {
      std::vector<NodeId> farther;
      for (const NodeId node : layer) {
        for (const HostId host : hosts_.at(node))
          if (host != source) ball.push_back(host);
        for (std::uint32_t port = 0; port < topology_->ports(); ++port) {
          const auto neighbour = topology_->neighbour(node, PortId{port});
          if (!neighbour || seen[neighbour->value]) continue;
          seen[neighbour->value] = true;
          farther.push_back(*neighbour);
        }
      }
      layer.swap(farther);
    }
    if (ball.size() < count)
      throw InputError("--destinations", std::to_string(count) + " destinations, but only " +
                                             std::to_string(ball.size()) +
                                             " nodes beside the source can be reached from router " +
                                             std::to_string(centre.value));
    std::sort(ball.begin(), ball.end());
    return ball;
  }

  const Topology* topology_;
  DestinationCount count_;
  std::uint64_t radius_;
  HostsByRouter hosts_;
};

std::unique_ptr<const DestinationPattern> bind(const Topology& topology, const PatternOptions& options) {
  const std::uint64_t radius = options.radius.empty() ? 0 : parse_integer("--radius", options.radius);
  return std::make_unique<Clustered>(topology, parse_destination_count(topology, options.destinations),
                                     radius);
}

}  // namespace

extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "clustered",
    .summary =
        "K (or K1 to K2) destinations within --radius hops of a random centre, or the least radius that "
        "holds K",
    .topologies = "all",
    .options = {"--destinations", "--radius"},
    .bind = bind,
};

}  // namespace wormcast::pattern_clustered

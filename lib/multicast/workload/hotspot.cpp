// Pattern `hotspot`: uniform unicast with a share of the traffic to a few nodes.
//
// With probability --hotspot-share the destination is one of the --hotspot nodes, each equally
// likely, else any other node, each equally likely. A hot spot that draws itself sends to any other
// node. Draws: share, hot spot or sample.
// cite: Pfister, Norton 1985, "Hot spot contention and combining in multistage interconnection networks"
// SPDX-License-Identifier: MIT
#include "multicast/workload/arguments.hpp"
#include "multicast/workload/pattern.hpp"
#include "topology/error.hpp"

namespace wormcast::pattern_hotspot {
namespace {

class Hotspot final : public DestinationPattern {
 public:
  Hotspot(std::uint32_t hosts, std::vector<HostId> spots, Bernoulli hot)
      : hosts_(hosts), spots_(std::move(spots)), hot_(hot) {}

  std::vector<HostId> destinations(HostId source, Random& random) const override {
    if (hot_(random)) {
      const HostId spot = spots_[static_cast<std::size_t>(random.below(spots_.size()))];
      if (spot != source) return {spot};
    }
    const auto other = static_cast<std::uint32_t>(random.below(hosts_ - 1));
    return {HostId{other < source.value ? other : other + 1}};
  }

 private:
  std::uint32_t hosts_;
  std::vector<HostId> spots_;
  Bernoulli hot_;
};

std::unique_ptr<const DestinationPattern> bind(const Topology& topology, const PatternOptions& options) {
  if (topology.hosts() < 2)
    throw InputError("--pattern", "'hotspot' needs two nodes, " + topology.name() + " has one");
  if (options.hotspot.empty()) throw InputError("--hotspot", "pattern 'hotspot' needs at least one node");
  const Fraction share = options.hotspot_share.empty()
                             ? Fraction{1, 5}
                             : parse_decimal("--hotspot-share", options.hotspot_share);
  if (share.numerator > share.denominator)
    throw InputError("--hotspot-share", options.hotspot_share + " is above 1");
  return std::make_unique<Hotspot>(topology.hosts(), parse_hosts(topology, "--hotspot", options.hotspot),
                                   Bernoulli(share));
}

}  // namespace

extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "hotspot",
    .summary = "unicast to one of --hotspot with probability --hotspot-share (0.2), else uniform",
    .topologies = "all",
    .cite = "Pfister, Norton 1985",
    .options = {"--hotspot", "--hotspot-share"},
    .bind = bind,
};

}  // namespace wormcast::pattern_hotspot

// Pattern `next-group`: every node sends to random nodes of the group after its own, on dragonflies.
//
// All traffic of a group then takes the links to one other group: the worst case of minimal routing, for
// which Valiant's was made. cite: Kim, Dally, Scott, Abts 2008 (worst-case traffic).
// SPDX-License-Identifier: MIT
#include <map>

#include "multicast/workload/pattern.hpp"
#include "topology/error.hpp"

namespace wormcast::pattern_next_group {
namespace {

class NextGroup final : public DestinationPattern {
 public:
  explicit NextGroup(const Topology& topology) : topology_(topology) {
    for (std::uint32_t host = 0; host < topology.hosts(); ++host)
      members_[group(HostId{host})].push_back(HostId{host});
    if (members_.size() < 2)
      throw InputError("--pattern", "'next-group' needs two groups, " + topology.name() + " has one");
  }

  std::vector<HostId> destinations(HostId source, Random& random) const override {
    auto next = members_.upper_bound(group(source));
    if (next == members_.end()) next = members_.begin();
    return {next->second[random.below(next->second.size())]};
  }

 private:
  std::uint32_t group(HostId host) const {
    return topology_.spec().graph.groups[topology_.router_of(host).value];
  }

  const Topology& topology_;
  std::map<std::uint32_t, std::vector<HostId>> members_;  ///< hosts of the groups that have some
};

std::unique_ptr<const DestinationPattern> bind(const Topology& topology, const PatternOptions&) {
  if (topology.spec().graph.groups.empty())
    throw InputError("--pattern",
                     "'next-group' needs groups of routers, as in a dragonfly of gen-topology; " +
                         topology.name() + " has none");
  return std::make_unique<NextGroup>(topology);
}

}  // namespace

extern const PatternEntry entry;
const PatternEntry entry = {
    .name = "next-group",
    .summary = "unicast to a random node of the next group: the worst case of minimal routes",
    .topologies = "dragonflies",
    .cite = "Kim, Dally, Scott, Abts 2008",
    .bind = bind,
};

}  // namespace wormcast::pattern_next_group

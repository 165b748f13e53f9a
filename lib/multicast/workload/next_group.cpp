// Pattern `next-group`: every node sends to random nodes of the group after its own, on dragonflies.
//
// All traffic of a group then takes the links to one other group: the worst case of minimal routing, for
// which Valiant's was made. cite: Kim, Dally, Scott, Abts 2008 (worst-case traffic).
// SPDX-License-Identifier: MIT
#include <map>

#include "multicast/workload/pattern.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

DestinationPattern bind_next_group(const Topology& topology, const PatternOptions&) {
  const std::vector<std::uint32_t>& groups = topology.spec().graph.groups;
  if (groups.empty())
    refuse("--pattern",
           "'next-group' needs groups of routers, as in a dragonfly of gen-topology; {} has none",
           topology.name());
  const auto group = [&topology, &groups](HostId host) { return groups[topology.router_of(host).value]; };
  std::map<std::uint32_t, std::vector<HostId>> members;  // hosts of the groups that have some
  for (std::uint32_t host = 0; host < topology.hosts(); ++host)
    members[group(HostId{host})].push_back(HostId{host});
  if (members.size() < 2) refuse("--pattern", "'next-group' needs two groups, {} has one", topology.name());
  return {[members, group](HostId source, Random& random) {
    auto next = members.upper_bound(group(source));
    if (next == members.end()) next = members.begin();
    return std::vector{next->second[random.below(next->second.size())]};
  }};
}

}  // namespace

extern const PatternEntry pattern_next_group = {
    .name = "next-group",
    .summary = "unicast to a random node of the next group: the worst case of minimal routes",
    .topologies = "dragonflies",
    .cite = "Kim, Dally, Scott, Abts 2008",
    .bind = bind_next_group,
};

}  // namespace wormcast

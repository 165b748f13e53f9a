// Dependencies as members of records.
// SPDX-License-Identifier: MIT
#include "io/dependency_member.hpp"

#include <algorithm>
#include <array>

#include "deadlock/table_check.hpp"
#include "io/members.hpp"
#include "io/resource_member.hpp"
#include "topology/faults.hpp"

namespace wormcast::io {
namespace {

constexpr std::array<Member, 12> dependency_members = {{{"held"},
                                                        {"waited_for"},
                                                        {"multicast", false},
                                                        {"worm", false},
                                                        {"hop", false},
                                                        {"source", false},
                                                        {"destination", false},
                                                        {"next_destination", false},
                                                        {"group", false},
                                                        {"switch", false},
                                                        {"in_port", false},
                                                        {"out_port", false}}};

/// Where a packet waits: the switch, the port it came by and the one it is to leave by.
void write_switch(const Dependency& edge, const Topology& topology, const Resources& resources,
                  RecordLine& line) {
  const Resource held = resources.describe(edge.from);
  const Resource wanted = resources.describe(edge.to);
  if (held.kind != Resource::Kind::network || wanted.kind != Resource::Kind::network) return;
  const auto out = topology.ends(wanted.channel);
  const auto back = topology.ends(ChannelId{held.channel.value ^ 1U});  // of a graph's link
  line.key("switch").string(router_name(topology, out->from));
  line.key("in_port").number(back->port.value);
  line.key("out_port").number(out->port.value);
}

}  // namespace

Dependency read_dependency_member(const Value& object, const Topology& topology, const Resources& resources,
                                  std::vector<std::string>& groups) {
  Dependency edge;
  WormCause of_worm;
  LegCause of_leg;
  GroupCause of_group;
  const auto host = [&](const Value& value) {
    return HostId{static_cast<std::uint32_t>(value.integer(0, topology.hosts() - 1))};
  };
  std::array<bool, dependency_members.size()> seen{};
  read_members(object, dependency_members, [&](int index, const Value& value) {
    seen[static_cast<std::size_t>(index)] = true;
    if (index == 0) edge.from = read_resource_member(value, topology, resources);
    if (index == 1) edge.to = read_resource_member(value, topology, resources);
    if (index == 2) of_worm.multicast = value.integer(0);
    if (index == 3) of_worm.worm = static_cast<std::uint32_t>(value.integer(0, UINT32_MAX));
    if (index == 4) of_worm.hop = static_cast<std::int32_t>(value.signed_integer(-1, INT32_MAX));
    if (index == 5) of_leg.source = host(value);
    if (index == 6) of_leg.destination = host(value);
    if (index == 7) of_leg.next_destination = host(value);
    if (index == 8) {
      const std::string name(value.text());
      const auto known = std::find(groups.begin(), groups.end(), name);
      of_group.group = static_cast<std::uint32_t>(known - groups.begin());
      if (known == groups.end()) groups.push_back(name);
    }
    if (index == 9) value.text();  // these three follow from the resources
    if (index > 9) value.integer(0);
  });
  const bool worm = seen[2] && seen[3] && seen[4] && !seen[5] && !seen[6] && !seen[7] && !seen[8];
  const bool legs = !seen[2] && !seen[3] && !seen[4] && seen[5] && seen[6] && !seen[8];
  const bool group = seen[8] && !seen[2] && !seen[3] && !seen[4] && !seen[5] && !seen[6] && !seen[7];
  if (!worm && !legs && !group)
    object.fail("it names neither multicast, worm and hop nor source and destination nor a group");
  if (worm) edge.cause = of_worm;
  if (legs) edge.cause = of_leg;
  if (group) edge.cause = of_group;
  return edge;
}

void write_dependency_member(const Dependency& edge, const Verdict& verdict, const Topology& topology,
                             const Resources& resources, RecordLine& line) {
  line.raw("{").key("held");
  write_resource_member(resources.describe(edge.from), line);
  line.key("waited_for");
  write_resource_member(resources.describe(edge.to), line);
  if (const auto* worm = std::get_if<WormCause>(&edge.cause)) {
    line.key("multicast").number(worm->multicast);
    line.key("worm").number(worm->worm);
    line.key("hop").signed_number(worm->hop);
  } else if (const auto* leg = std::get_if<LegCause>(&edge.cause)) {
    line.key("source").number(leg->source.value);
    line.key("destination").number(leg->destination.value);
    if (leg->next_destination) line.key("next_destination").number(leg->next_destination->value);
  } else {
    line.key("group").string(verdict.groups[std::get<GroupCause>(edge.cause).group]);
  }
  if (verdict.scope == tables_scope) write_switch(edge, topology, resources, line);
  line.raw("}");
}

}  // namespace wormcast::io

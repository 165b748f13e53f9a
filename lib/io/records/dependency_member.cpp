// Dependencies as members of records.
// SPDX-License-Identifier: MIT
#include "io/records/dependency_member.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "deadlock/tables/table_check.hpp"
#include "io/records/resource_member.hpp"
#include "io/text/members.hpp"
#include "topology/faults.hpp"

namespace wormcast::io {
namespace {

constexpr std::array<Member, 14> dependency_members = {{{"held"},
                                                        {"waited_for"},
                                                        {"multicast", false},
                                                        {"worm", false},
                                                        {"hop", false},
                                                        {"source", false},
                                                        {"destination", false},
                                                        {"next_destination", false},
                                                        {"group", false},
                                                        {"service_level", false},
                                                        {"switch", false},
                                                        {"in_port", false},
                                                        {"out_port", false},
                                                        {"class", false}}};

constexpr int class_member = 13;

/// Where a packet of tables waits: the switch, the port it came by and the one it is to leave by.
struct WaitingPlace {
  std::string at;
  std::uint32_t in_port = 0, out_port = 0;
};

/// Nothing where it comes from a host or goes to one.
std::optional<WaitingPlace> waiting_place(const Dependency& edge, const Topology& topology,
                                          const Resources& resources) {
  const Resource held = resources.describe(edge.from);
  const Resource wanted = resources.describe(edge.to);
  if (held.kind != Resource::Kind::network || wanted.kind != Resource::Kind::network) return std::nullopt;
  const auto out = topology.ends(wanted.channel);
  const auto back = topology.ends(ChannelId{held.channel.value ^ 1U});  // of a graph's link
  return WaitingPlace{router_name(topology, out->from), back->port.value, out->port.value};
}

/// What the record says of the place follows from the resources: all of it stands there as it follows, or
/// none.
class StatedPlace {
 public:
  static constexpr int first_member = 10;  ///< of dependency_members

  void take(int index, const Value& value) {
    values_[static_cast<std::size_t>(index - first_member)] = value;
  }
  void check(const Value& object, const std::optional<WaitingPlace>& place) const {
    const auto& [at, in_port, out_port] = values_;
    if (!at && !in_port && !out_port) return;
    if (!place)
      object.fail("switch, in_port and out_port belong to dependencies of tables, between two channels");
    if (!at || !in_port || !out_port) object.fail("switch, in_port and out_port come together");
    if (at->text() != place->at)
      at->fail(at->shown() + "; the channels meet at switch \"" + place->at + "\"");
    check_port(*in_port, place->in_port);
    check_port(*out_port, place->out_port);
  }

 private:
  static void check_port(const Value& stated, std::uint32_t port) {
    if (const std::uint64_t number = stated.integer(0); number != port)
      stated.fail(std::to_string(number) + "; the channel is at port " + std::to_string(port));
  }

  std::array<std::optional<Value>, 3> values_;
};

void write_level(std::optional<std::uint8_t> level, RecordLine& line) {
  if (level) line.key("service_level").number(*level);
}

}  // namespace

Dependency read_dependency_member(const Value& object, const Topology& topology, const Resources& resources,
                                  Verdict& verdict) {
  std::vector<std::string>& groups = verdict.groups;
  Dependency edge;
  StatedPlace place;
  std::optional<std::uint8_t> level;
  WormCause of_worm;
  LegCause of_leg;
  GroupCause of_group;
  const auto host = [&](const Value& value) {
    return HostId{static_cast<std::uint32_t>(value.integer(0, topology.hosts() - 1))};
  };
  std::array<bool, dependency_members.size()> seen{};
  read_members<dependency_members>(object, [&](int index, const Value& value) {
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
    if (index == 9) level = static_cast<std::uint8_t>(value.integer(0, service_levels - 1));
    if (index >= StatedPlace::first_member && index < class_member) place.take(index, value);
    if (index == class_member) of_leg.vc_class = static_cast<std::uint32_t>(value.integer(0, UINT32_MAX));
  });
  const bool worm = seen[2] && seen[3] && seen[4] && !seen[5] && !seen[6] && !seen[7] && !seen[8];
  const bool legs = !seen[2] && !seen[3] && !seen[4] && seen[5] && seen[6] && !seen[8];
  const bool group = seen[8] && !seen[2] && !seen[3] && !seen[4] && !seen[5] && !seen[6] && !seen[7];
  if (!worm && !legs && !group)
    object.fail("it names neither multicast, worm and hop nor source and destination nor a group");
  const bool of_tables = verdict.scope == tables_scope;
  if (level && !of_tables) object.fail("service_level belongs to dependencies of tables");
  if (of_leg.vc_class && (!legs || of_tables)) object.fail("class belongs to multicasts of a planner");
  of_leg.service_level = of_group.service_level = level;
  if (worm) edge.cause = of_worm;
  if (legs) edge.cause = of_leg;
  if (group) edge.cause = of_group;
  place.check(object, of_tables ? waiting_place(edge, topology, resources) : std::nullopt);
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
    write_level(leg->service_level, line);
    if (leg->vc_class) line.key("class").number(*leg->vc_class);
  } else {
    const auto& group = std::get<GroupCause>(edge.cause);
    line.key("group").string(verdict.groups[group.group]);
    write_level(group.service_level, line);
  }
  const bool of_tables = verdict.scope == tables_scope;
  if (const auto place = of_tables ? waiting_place(edge, topology, resources) : std::nullopt) {
    line.key("switch").string(place->at);
    line.key("in_port").number(place->in_port);
    line.key("out_port").number(place->out_port);
  }
  line.raw("}");
}

}  // namespace wormcast::io

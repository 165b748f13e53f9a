// Dependencies as members of records.
// SPDX-License-Identifier: MIT
#include "io/records/verdict_members.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "routing/forwarding_tables.hpp"
#include "topology/error.hpp"
#include "topology/faults.hpp"

namespace wormcast::io {
namespace {

/// Where a packet of tables waits: the switch, the port it came by and the one it is to leave by.
struct WaitingPlace {
  std::string at;
  std::uint32_t in_port = 0, out_port = 0;
};

/// Nothing where it comes from a host or goes to one.
std::optional<WaitingPlace> waiting_place(const Dependency& edge, const Scope& scope) {
  const Resource held = scope.resources->describe(edge.from);
  const Resource wanted = scope.resources->describe(edge.to);
  if (held.kind != Resource::Kind::network || wanted.kind != Resource::Kind::network) return std::nullopt;
  const auto out = scope.network->ends(wanted.channel);
  const auto back = scope.network->ends(ChannelId{held.channel.value ^ 1U});  // of a graph's link
  return WaitingPlace{router_name(*scope.network, out->from), back->port.value, out->port.value};
}

/// A dependency as its record says it.
struct DependencyRecord {
  ResourceId held, waited_for;
  std::optional<std::uint64_t> multicast;
  std::optional<std::uint32_t> worm;
  std::optional<std::int32_t> hop;
  std::optional<HostId> source, destination, next_destination;
  std::optional<std::string> group;
  std::optional<std::uint8_t> service_level;
  std::optional<std::uint32_t> vc_class;
  std::optional<std::string> at;
  std::optional<std::uint32_t> in_port, out_port;
};
using R = DependencyRecord;

constexpr auto dependency_rows =
    table(always<&R::held, ResourceShape>("held", "resource held"),
          always<&R::waited_for, ResourceShape>("waited_for", "resource requested"),
          where_stated<&R::multicast, Number<>>("multicast", "routes: of the first worm that has it"),
          where_stated<&R::worm, Number<0, UINT32_MAX>>("worm", "routes: its index"),
          where_stated<&R::hop, Optional<Signed<-1, INT32_MAX>>>(
              "hop", "routes: index in `hops`, −1 for the source; with reductions, of what is held"),
          where_stated<&R::source, Optional<Host>>("source",
                                                   "all multicasts, tables: of a worm or route that has it"),
          where_stated<&R::destination, Optional<Host>>(
              "destination", "of that worm or route (of the turn of a tree: hosts near its ends)"),
          where_stated<&R::next_destination, Optional<Host>>("next_destination",
                                                             "where the worm goes on or branches"),
          where_stated<&R::group, Optional<Text>>("group", "tables: the multicast group"),
          where_stated<&R::service_level, Number<0, service_levels - 1>>(
              "service_level", "tables: where `sl2vl` tables use it; not of a loop at every level"),
          where_stated<&R::vc_class, Number<0, UINT32_MAX>>("class",
                                                            "all multicasts: of a way that is drawn (3.3)"),
          where_stated<&R::at, Optional<Text>>("switch", "tables: where the packet waits"),
          where_stated<&R::in_port, Number<0, UINT32_MAX>>("in_port", "tables: of the held channel"),
          where_stated<&R::out_port, Number<0, UINT32_MAX>>("out_port", "tables: of the other"));

/// Its cause: a worm, a leg or a group.
constexpr char dependency_rules[] =
    R"("oneOf":[{"required":["multicast","worm","hop"],)"
    R"("properties":{"source":false,"destination":false,"next_destination":false,"group":false,"class":false}},)"
    R"({"required":["source","destination"],)"
    R"("properties":{"multicast":false,"worm":false,"hop":false,"group":false}},)"
    R"({"required":["group"],"properties":{"multicast":false,"worm":false,"hop":false,"source":false,)"
    R"("destination":false,"next_destination":false,"class":false}}])";

/// What the record says of the place follows from the resources: all of it stands there as it follows, or
/// none.
void check_place(const R& record, const std::optional<WaitingPlace>& place, const Value& object) {
  if (!record.at && !record.in_port && !record.out_port) return;
  if (!place)
    object.fail("switch, in_port and out_port belong to dependencies of tables, between two channels");
  if (!record.at || !record.in_port || !record.out_port)
    object.fail("switch, in_port and out_port come together");
  const auto check = [&](const char* key, const std::string& said, const std::string& follows,
                         const char* what) {
    if (said != follows) throw InputError(object.place() + "." + key, said + "; " + what + follows);
  };
  check("switch", "\"" + *record.at + "\"", "\"" + place->at + "\"", "the channels meet at switch ");
  check("in_port", std::to_string(*record.in_port), std::to_string(place->in_port),
        "the channel is at port ");
  check("out_port", std::to_string(*record.out_port), std::to_string(place->out_port),
        "the channel is at port ");
}

Dependency as_dependency(const R& record, const Value& object, const Scope& scope, Verdict& verdict) {
  Dependency edge;
  edge.from = record.held;
  edge.to = record.waited_for;
  const bool any_worm = record.multicast || record.worm || record.hop;
  const bool any_leg = record.source || record.destination || record.next_destination;
  const bool worm = record.multicast && record.worm && record.hop && !any_leg && !record.group;
  const bool legs = record.source && record.destination && !any_worm && !record.group;
  const bool group = record.group && !any_worm && !any_leg;
  if (!worm && !legs && !group)
    object.fail("it names neither multicast, worm and hop nor source and destination nor a group");
  const bool of_tables = speaks_of_tables(verdict);
  if (record.service_level && !of_tables) object.fail("service_level belongs to dependencies of tables");
  if (record.vc_class && (!legs || of_tables)) object.fail("class belongs to multicasts of a planner");
  if (worm) {
    WormCause cause;
    cause.multicast = *record.multicast;
    cause.worm = *record.worm;
    cause.hop = *record.hop;
    edge.cause = cause;
  }
  if (legs) {
    LegCause cause;
    cause.source = *record.source;
    cause.destination = *record.destination;
    cause.next_destination = record.next_destination;
    cause.service_level = record.service_level;
    cause.vc_class = record.vc_class;
    edge.cause = cause;
  }
  if (group) {
    std::vector<std::string>& groups = verdict.groups;
    const auto known = std::find(groups.begin(), groups.end(), *record.group);
    GroupCause cause;
    cause.group = static_cast<std::uint32_t>(known - groups.begin());
    cause.service_level = record.service_level;
    if (known == groups.end()) groups.push_back(*record.group);
    edge.cause = cause;
  }
  check_place(record, of_tables ? waiting_place(edge, scope) : std::nullopt, object);
  return edge;
}

R record_of_dependency(const Dependency& edge, const Verdict& verdict, const Scope& scope) {
  R record;
  record.held = edge.from;
  record.waited_for = edge.to;
  if (const auto* worm = std::get_if<WormCause>(&edge.cause)) {
    record.multicast = worm->multicast;
    record.worm = worm->worm;
    record.hop = worm->hop;
  } else if (const auto* leg = std::get_if<LegCause>(&edge.cause)) {
    record.source = leg->source;
    record.destination = leg->destination;
    record.next_destination = leg->next_destination;
    record.service_level = leg->service_level;
    record.vc_class = leg->vc_class;
  } else {
    const auto& group = std::get<GroupCause>(edge.cause);
    record.group = verdict.groups[group.group];
    record.service_level = group.service_level;
  }
  if (!speaks_of_tables(verdict)) return record;
  if (const auto place = waiting_place(edge, scope)) {
    record.at = place->at;
    record.in_port = place->in_port;
    record.out_port = place->out_port;
  }
  return record;
}

}  // namespace

Dependency read_dependency(const Value& object, const Scope& scope, Verdict& verdict) {
  R record;
  read_object<dependency_rows>(object, record, scope);
  return as_dependency(record, object, scope, verdict);
}

void write_dependency(const Dependency& edge, const Verdict& verdict, RecordLine& line, const Scope& scope) {
  Object<dependency_rows>::write(record_of_dependency(edge, verdict, scope), line, scope);
}

std::string dependency_form() { return Object<dependency_rows, dependency_rules>::form(); }

}  // namespace wormcast::io

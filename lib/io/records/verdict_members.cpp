// Dependencies, the resources that they name, and router parameters as members of records.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "io/records/verdict_record.hpp"
#include "routing/forwarding_tables.hpp"
#include "topology/faults.hpp"
#include "topology/refuse.hpp"

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
          where_stated<&R::worm, Number32>("worm", "routes: its index"),
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
          where_stated<&R::vc_class, Number32>("class", "all multicasts: of a way that is drawn (3.3)"),
          where_stated<&R::at, Optional<Text>>("switch", "tables: where the packet waits"),
          where_stated<&R::in_port, Number32>("in_port", "tables: of the held channel"),
          where_stated<&R::out_port, Number32>("out_port", "tables: of the other"));

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
    if (said != follows) refuse(object.place() + "." + key, "{}; {}{}", said, what, follows);
  };
  check("switch", "\"" + *record.at + "\"", "\"" + place->at + "\"", "the channels meet at switch ");
  check("in_port", std::to_string(*record.in_port), std::to_string(place->in_port),
        "the channel is at port ");
  check("out_port", std::to_string(*record.out_port), std::to_string(place->out_port),
        "the channel is at port ");
}

Dependency as_dependency(const R& record, const Value& object, const Scope& scope, Verdict& verdict) {
  Dependency edge{record.held, record.waited_for, {}};
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
  if (worm) edge.cause = WormCause{*record.multicast, *record.worm, *record.hop};
  if (legs)
    edge.cause = LegCause{*record.source, *record.destination, record.next_destination, record.service_level,
                          record.vc_class};
  if (group) {
    std::vector<std::string>& groups = verdict.tables.groups;
    const auto known = std::find(groups.begin(), groups.end(), *record.group);
    edge.cause = GroupCause{static_cast<std::uint32_t>(known - groups.begin()), record.service_level};
    if (known == groups.end()) groups.push_back(*record.group);
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
    record.group = verdict.tables.groups[group.group];
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

/// What a resource is named by.
struct NamedBy {
  std::optional<std::uint32_t> injection, host_link, consumption, channel, vc;
};
constexpr auto resource_rows = table(
    where_stated<&NamedBy::injection, Below<hosts_of>>("injection", "host whose injection channel it is"),
    where_stated<&NamedBy::host_link, Below<hosts_of>>("host_link",
                                                       "graphs: host whose link from its switch it is"),
    where_stated<&NamedBy::consumption, Below<hosts_of>>("consumption",
                                                         "host whose consumption queue or channel it is"),
    where_stated<&NamedBy::channel, Below<channels_of>>(
        "channel", "channel; with `consumption`: by which the worm comes"),
    where_stated<&NamedBy::vc, VirtualChannel>("vc", "virtual channel; omitted: 0"));
constexpr char resource_rules[] = R"("oneOf":[)"
                                  R"({"required":["injection"],"not":{"required":["channel"]}},)"
                                  R"({"required":["host_link"],"maxProperties":1},)"
                                  R"({"required":["consumption"],"maxProperties":1},)"
                                  R"({"required":["consumption","channel"]},)"
                                  R"({"required":["channel"],"not":{"required":["consumption"]}}])";
using NamedResource = Object<resource_rows, resource_rules>;

ResourceId named_resource(const Value& object, const Scope& scope) {
  const Topology& topology = *scope.network;
  const Resources& resources = *scope.resources;
  NamedBy named_by;
  NamedResource::read(object, named_by, scope);
  const auto& [injection, host_link, consumption, channel, vc] = named_by;
  const int named = (injection ? 1 : 0) + (host_link ? 1 : 0) + (consumption ? 1 : 0);
  if (named > 1 || (named == 0 && !channel) || (channel && (injection || host_link)) ||
      (vc && !channel && !injection) || (channel && !topology.ends(ChannelId{*channel})) ||
      (host_link && !topology.hosts_have_links()))
    object.fail("names no resource");
  if (injection) return resources.injection(HostId{*injection}, vc.value_or(0));
  if (host_link) return resources.host_link(HostId{*host_link});
  if (!consumption) return resources.network(ChannelId{*channel}, vc.value_or(0));
  const std::optional<ChannelId> input = channel ? std::optional(ChannelId{*channel}) : std::nullopt;
  const ResourceId id = resources.consumption(HostId{*consumption}, input, vc.value_or(0));
  // Where consumption is not by input, or the channel ends elsewhere, it would stand for another.
  if (const Resource named_so = resources.describe(id);
      input && (!named_so.by_input || named_so.host.value != *consumption))
    object.fail("names no resource");
  return id;
}

using ParameterKind = RouterParameter::Kind;

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

void ResourceShape::write(ResourceId from, RecordLine& line, const Scope& scope) {
  const Resource resource = scope.resources->describe(from);
  NamedBy named_by;
  if (resource.kind == Resource::Kind::injection) named_by.injection = resource.host.value;
  if (resource.kind == Resource::Kind::host_link) named_by.host_link = resource.host.value;
  if (resource.kind == Resource::Kind::consumption) named_by.consumption = resource.host.value;
  if (resource.kind == Resource::Kind::network || resource.by_input)
    named_by.channel = resource.channel.value;
  if (resource.vc != 0) named_by.vc = resource.vc;
  NamedResource::write(named_by, line, scope);
}

void ResourceShape::read(const Value& object, ResourceId& to, const Scope& scope) {
  to = named_resource(object, scope);
}

std::string ResourceShape::form() { return NamedResource::form(); }

std::uint64_t read_router_parameter(const Value& value, const RouterParameter& parameter) {
  if (parameter.kind == ParameterKind::words) return word_index(value, parameter.known_words());
  if (parameter.kind == ParameterKind::flag) return value.boolean() ? 1 : 0;
  if (parameter.kind == ParameterKind::channels && value.type() == JsonType::string) {
    if (value.text() == parameter.words[0]) return 0;
    value.fail(fmt::format("{} is neither \"{}\" nor a number", value.shown(), parameter.words[0]));
  }
  return value.integer(parameter.least_in_record, parameter.most);
}

void write_router_parameter(const RouterModel& model, const RouterParameter& parameter, RecordLine& line) {
  const std::uint64_t value = parameter.get(model);
  if (parameter.kind == ParameterKind::flag)
    line.boolean(value != 0);
  else if (parameter.kind == ParameterKind::words ||
           (parameter.kind == ParameterKind::channels && value == 0))
    line.string(parameter.words[value]);
  else
    line.number(value);
}

std::string router_parameter_form(const RouterParameter& parameter) {
  if (parameter.kind == ParameterKind::flag) return Flag::form();
  if (parameter.kind == ParameterKind::words) return words_form(parameter.known_words());
  const std::string number =
      shapes_detail::integer_schema(static_cast<std::int64_t>(parameter.least_in_record), parameter.most);
  if (parameter.kind == ParameterKind::number) return number;
  return fmt::format(R"({{"anyOf":[{},{{"const":"{}"}}]}})", number, parameter.words[0]);
}

}  // namespace wormcast::io

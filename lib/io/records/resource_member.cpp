// Resources in records.
// SPDX-License-Identifier: MIT
#include "io/records/verdict_members.hpp"

#include <cstdint>
#include <optional>

namespace wormcast::io {
namespace {

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

}  // namespace

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

}  // namespace wormcast::io

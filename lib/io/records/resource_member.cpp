// Resources in records.
// SPDX-License-Identifier: MIT
#include "io/records/resource_member.hpp"

#include <array>
#include <optional>

#include "io/text/members.hpp"

namespace wormcast::io {
namespace {

ResourceId named_resource(const Value& object, const Topology& topology, const Resources& resources) {
  static constexpr std::array<Member, 5> members = {{{"channel", false},
                                                     {"vc", false},
                                                     {"injection", false},
                                                     {"host_link", false},
                                                     {"consumption", false}}};
  std::array<std::optional<std::uint32_t>, members.size()> given;
  read_members<members>(object, [&](int index, const Value& value) {
    const std::uint64_t bound = index == 0   ? topology.channel_bound()
                                : index == 1 ? topology.virtual_channel_bound()
                                             : topology.hosts();
    given[static_cast<std::size_t>(index)] = static_cast<std::uint32_t>(value.integer(0, bound - 1));
  });
  const auto& [channel, vc, injection, host_link, consumption] = given;
  const int named = (injection ? 1 : 0) + (host_link ? 1 : 0) + (consumption ? 1 : 0);
  if (named > 1 || (named == 0 && !channel) || (channel && (injection || host_link)) || (vc && !channel) ||
      (channel && !topology.ends(ChannelId{*channel})) || (host_link && !topology.hosts_have_links()))
    object.fail("names no resource");
  if (injection) return resources.injection(HostId{*injection});
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
  line.raw("{");
  switch (resource.kind) {
    case Resource::Kind::injection:
      line.key("injection").number(resource.host.value);
      break;
    case Resource::Kind::host_link:
      line.key("host_link").number(resource.host.value);
      break;
    case Resource::Kind::consumption:
      line.key("consumption").number(resource.host.value);
      break;
    case Resource::Kind::network:
      break;
  }
  if (resource.kind == Resource::Kind::network || resource.by_input) {
    line.key("channel").number(resource.channel.value);
    if (resource.vc != 0) line.key("vc").number(resource.vc);
  }
  line.raw("}");
}

void ResourceShape::read(const Value& object, ResourceId& to, const Scope& scope) {
  to = named_resource(object, *scope.network, *scope.resources);
}

ValueForm ResourceShape::form() {
  const std::string integer = Number<>::form().schema;
  return {"resource", R"({"type":"object","properties":{"channel":)" + integer + R"(,"vc":)" +
                          Number<0, 254>::form().schema + R"(,"injection":)" + integer + R"(,"host_link":)" +
                          integer + R"(,"consumption":)" + integer +
                          R"(},"additionalProperties":false,"dependentRequired":{"vc":["channel"]},)"
                          R"("oneOf":[{"required":["injection"],"not":{"required":["channel"]}},)"
                          R"({"required":["host_link"],"not":{"required":["channel"]}},)"
                          R"({"required":["consumption"]},)"
                          R"({"required":["channel"],"not":{"required":["consumption"]}}]})"};
}

}  // namespace wormcast::io

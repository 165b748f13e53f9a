// The explicit list of routing functions. To add one: write its file, add a line to routing_functions.def.
// SPDX-License-Identifier: MIT
#include <array>
#include <utility>
#include <vector>

#include "routing/routing_function.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast {

#define ROUTING(name)                \
  namespace routing_##name {         \
    extern const RoutingEntry entry; \
  }
#define ALIAS(alias, name)
#include "routing/routing_functions.def"
#undef ROUTING
#undef ALIAS

std::span<const RoutingEntry* const> routing_functions() {
  static constexpr std::array list = {
#define ROUTING(name) &routing_##name::entry,
#define ALIAS(alias, name)
#include "routing/routing_functions.def"
#undef ROUTING
#undef ALIAS
  };
  return list;
}

std::span<const std::string_view> unicast_routings() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const RoutingEntry* entry : routing_functions())
      if (entry->unicasts) all.push_back(entry->name);
    return all;
  }();
  return names;
}

const RoutingEntry* find_routing_function(std::string_view name) {
  static constexpr std::pair<std::string_view, const RoutingEntry*> aliases[] = {
#define ROUTING(name)
#define ALIAS(alias, name) {alias, &routing_##name::entry},
#include "routing/routing_functions.def"
#undef ROUTING
#undef ALIAS
  };
  return find_by_name(routing_functions(), aliases, name);
}

std::string routing_name(std::string_view text) {
  const RoutingEntry* entry = find_routing_function(text);
  return std::string(entry == nullptr ? text : entry->name);
}

std::unique_ptr<const RoutingFunction> bind_routing(std::string_view name, const Topology& topology) {
  const RoutingEntry* entry = find_routing_function(name);
  if (entry == nullptr)
    throw InputError("routing",
                     unknown_name("routing function", name, routing_functions(), "route-expand --list"));
  if (const auto reason = entry->unsupported(topology))
    throw InputError("routing",
                     std::string(entry->name) + " does not apply to " + topology.name() + ": " + *reason);
  auto bound = entry->bind(topology);
  const std::uint32_t limit = topology.least(LinkValue::virtual_channels, topology.spec().virtual_channels);
  if (limit != 0 && bound->virtual_channels() > limit)
    throw InputError("routing", std::string(entry->name) + " needs " +
                                    std::to_string(bound->virtual_channels()) +
                                    " virtual channels a channel, the topology has " + std::to_string(limit) +
                                    (topology.alike(LinkValue::virtual_channels) ? "" : " on some"));
  return bound;
}

}  // namespace wormcast

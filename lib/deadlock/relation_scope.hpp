// Verdicts on worms whose routers choose, or whose nodes answer: what is judged so, and how it is said.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "topology/error.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Indices of the two sorts of traffic that verdicts on planners know.
inline constexpr std::uint32_t multicast_sort = 0;
inline constexpr std::uint32_t unicast_sort = 1;

/// A node takes a worm of one sort only while the worm of another sort that answers it can be sent.
struct ProtocolRule {
  std::uint32_t request = unicast_sort;
  std::uint32_t reply = unicast_sort;
};

/// What is said of a planner's worms beside planner, routing functions and routers.
struct RelationScope {
  std::optional<ProtocolRule> depends;
  std::uint32_t unicast_vc = 0;  ///< first virtual channel of the unicasts beside the multicasts

  bool any() const { return depends || unicast_vc != 0; }
};

/// "unicasts:multicasts", request and reply; throws InputError on `field`.
inline ProtocolRule parse_protocol_rule(std::string_view field, std::string_view text) {
  const auto sort = [&](std::string_view name) {
    if (name == "multicasts") return multicast_sort;
    if (name == "unicasts") return unicast_sort;
    throw InputError(std::string(field),
                     in_quotes(text) + " is not REQUEST:REPLY, where each is multicasts or unicasts");
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) sort("");
  return {sort(text.substr(0, colon)), sort(text.substr(colon + 1))};
}

inline std::string write_protocol_rule(const ProtocolRule& rule) {
  const auto name = [](std::uint32_t sort) { return sort == unicast_sort ? "unicasts" : "multicasts"; };
  return std::string(name(rule.request)) + ":" + name(rule.reply);
}

/// Whether replies share with requests what their sources have a limited number of; no numbering of lanes
/// speaks of that.
inline bool replies_queue_at_sources(const Topology& topology, const RouterModel& model,
                                     const RelationScope& scope) {
  return scope.depends && (model.injection_channels > 0 || topology.hosts_have_links());
}

}  // namespace wormcast

// Verdicts on worms whose routers choose, or whose nodes answer: what is judged so, and how it is said.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "multicast/legs.hpp"
#include "routing/routing_function.hpp"
#include "topology/error.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

// Multicasts to plan, to look for a deadlock among them or to hold a proof against them.

/// Source, destinations, ascending, and the class of the worm where the way is drawn and this is the one to
/// look at.
using MulticastSet =
    std::set<std::tuple<std::uint32_t, std::vector<std::uint32_t>, std::optional<std::uint32_t>>>;

// Worms whose routers choose, sort by sort: what finds verdicts on them and what checks these begin with.

/// Worms of one sort: the legs of which they consist, and the routing function that joins the legs' ends.
struct RelationTraffic {
  const RoutingFunction* routing = nullptr;
  std::vector<Leg> legs;
  bool routers_choose = true;            ///< virtual channels; false: worms take those of their class
  bool each_from_its_first_leg = false;  ///< only legs that go on from nothing start a worm
  std::uint32_t vc_offset = 0;           ///< added to every virtual channel
};

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

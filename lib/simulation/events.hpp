// Events in routers and on links that cost energy, of whole multicasts. What a worm does follows from its
// route, its length and the rules of its routers, so no engine counts anything: a multicast that is delivered
// has crossed every hop of its routes with every flit.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "multicast/routes.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// How often each came, or what each costs.
struct EventCounts {
  std::uint64_t buffer_writes = 0;
  std::uint64_t buffer_reads = 0;
  std::uint64_t crossbar_traversals = 0;
  std::uint64_t link_traversals = 0;
  std::uint64_t vc_allocations = 0;
  std::uint64_t switch_allocations = 0;
};

inline constexpr std::array<std::pair<const char*, std::uint64_t EventCounts::*>, 6> event_counts = {{
    {"buffer_writes", &EventCounts::buffer_writes},
    {"buffer_reads", &EventCounts::buffer_reads},
    {"crossbar_traversals", &EventCounts::crossbar_traversals},
    {"link_traversals", &EventCounts::link_traversals},
    {"vc_allocations", &EventCounts::vc_allocations},
    {"switch_allocations", &EventCounts::switch_allocations},
}};

/// The events of the worms, as they are planned; of worms that are routed on the way, those but for channels
/// between routers. `length_flits`: of the multicast.
EventCounts events_of(const Routes& routes, std::uint64_t length_flits, const Topology& topology,
                      const RouterModel& model);
/// Adds some to a sum, if there are any; throws InputError where records cannot state that.
void add_events(const std::optional<EventCounts>& some, std::optional<EventCounts>& sum);
/// Adds a channel between routers that a worm of so many flits takes on the way.
void add_channel_taken(EventCounts& events, std::uint64_t flits);

}  // namespace wormcast
